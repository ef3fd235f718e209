"""A definition simplified by what the types of its columns and its groups allow."""

from __future__ import annotations

from functools import partial

from everview.algebra.derive.typed import typed
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Distinct, Project, Rel
from everview.algebra.scalars import Column, Ref, Scalar, Types, substitute
from everview.algebra.types import can_be_grouped, type_of
from everview.algebra.walk import highest_id
from everview.rewrite.aggregate_aggregate_merge import aggregate_aggregate_merge
from everview.rewrite.aggregate_distinct_of_key import aggregate_distinct_of_key
from everview.rewrite.distinct_of_key import distinct_of_key
from everview.rewrite.project_merge import project_merge
from everview.rewrite.rules import rewrite


def without_needless_distinct(rel: Rel, types: Types) -> Rel:
    """DISTINCT left out where a key tells the rows apart."""
    by_keys = (partial(rule, types=types) for rule in (distinct_of_key, aggregate_distinct_of_key))
    return rewrite(rel, (*by_keys, project_merge))


def without_inner_groups(rel: Rel, types: Types) -> Rel:
    """Rows in place of groups that are grouped again."""
    return rewrite(rel, (partial(aggregate_aggregate_merge, types=types), project_merge))


def rooted_in_groups(rel: Rel, types: Types) -> Rel:
    """δ(A) at the root as  Π(γ(A)),  A grouped by all its columns: what is stored of a view so is
    a row for each group, with the number of rows in it. Not where Spark cannot group by a column.
    """
    shown = rel if isinstance(rel, Project) else Project(rel, _as_they_are(rel.columns))
    match shown.input:
        case Distinct(input_) if _can_be_grouped(input_, types):
            names = Fresh(highest_id(rel)).columns(c.name for c in input_.columns)
            pairs = list(zip(names, input_.columns, strict=True))
            renamed = project_merge(Project(input_, tuple((n, Ref(c.id)) for n, c in pairs)))
            key_of = {c.id: Ref(n.id) for n, c in pairs}
            outputs = tuple((c, substitute(s, key_of)) for c, s in shown.outputs)
            return Project(Aggregate(renamed, names, ()), outputs)
        case Aggregate():
            return shown
        case _:
            return rel


def _can_be_grouped(rel: Rel, types: Types) -> bool:
    known = typed(rel, types)
    return all(can_be_grouped(type_of(known.get(c.id, "variant"))) for c in rel.columns)


def _as_they_are(columns: tuple[Column, ...]) -> tuple[tuple[Column, Scalar], ...]:
    """The outputs of a projection that gives the columns as they are."""
    return tuple((c, Ref(c.id)) for c in columns)
