"""Which relations have rows that are groups: the one place that decides."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.derive.typed import typed
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Distinct, Filter, Join, Project, Rel, UnionAll
from everview.algebra.scalars import Ref, Types
from everview.algebra.types import can_be_grouped, type_of
from everview.algebra.walk import highest_id
from everview.rewrite.group_form.form import GroupForm, Making, NoForm, Passing, as_they_are
from everview.rewrite.group_form.of_filter import of_filter
from everview.rewrite.group_form.of_join import of_join
from everview.rewrite.group_form.of_union import of_union

# What goes in: a definition. What comes out: the same rows as groups of rows that need no further
# groups to be known, or the operator at which that ends and why. An aggregate is such groups. What
# stands above it, selections, projections, joins, unions, is turned into columns and conditions of
# the groups and into operators on the rows below (Gupta & Mumick, table 4: how a change table gets
# past each operator; the tables as printed have errors, which docs/operators/change-tables.md
# lists). So the whole definition is maintained by one change table of its stored groups.
#
#     σ total > 10 (γ city, sum(price) as total (sales)) ⋈ γ city, count(*) (stores)
#     one stored row per city: both functions, how many rows of each input, whether it is shown


def group_form(rel: Rel, types: Types) -> GroupForm | NoForm:
    """The rows of a definition as groups."""
    return _form(rel, making(rel, types))


def making(rel: Rel, types: Types) -> Making:
    """What is known of a definition whose rows are to be groups."""
    return Making(dict(typed(rel, types)), Fresh(highest_id(rel)))


def _form(rel: Rel, making: Making) -> GroupForm | NoForm:
    match rel:
        case Aggregate():
            return GroupForm(rel, as_they_are(rel.columns)).after(rel, Passing.GROUPS)
        case Distinct():
            return _of_distinct(rel, making)
        case Project(input_, outputs):
            form = _form(input_, making)
            if isinstance(form, NoForm):
                return form
            shown = tuple((c, form.over(s)) for c, s in outputs)
            return replace(form, outputs=shown).after(rel, Passing.COLUMNS)
        case Filter(input_, _):
            form = _form(input_, making)
            return form if isinstance(form, NoForm) else of_filter(rel, form, making)
        case Join(_, left, right):
            return of_join(rel, _form(left, making), _form(right, making), making)
        case UnionAll(inputs):
            return of_union(rel, [_form(i, making) for i in inputs], making)
        case _:
            return NoForm(rel, "its rows are not groups")


def _of_distinct(rel: Distinct, making: Making) -> GroupForm | NoForm:
    """δ(A)  =  γ_A(A), under columns of its own: A may be shown as it is beside its groups."""
    columns = rel.input.columns
    if not all(can_be_grouped(type_of(making.type_of(c.id) or "variant")) for c in columns):
        return NoForm(rel, "a column is of a type that cannot be a key")
    keys = tuple(making.column(c.name, making.types[c.id]) for c in columns)
    pairs = list(zip(keys, columns, strict=True))
    rows = Project(rel.input, tuple((key, Ref(c.id)) for key, c in pairs))
    form = GroupForm(Aggregate(rows, keys, ()), tuple((c, Ref(key.id)) for key, c in pairs))
    return form.after(rel, Passing.DISTINCT)
