"""A definition simplified by what the types of its columns and its groups allow."""

from __future__ import annotations

from functools import partial

from everview.algebra.relations import Rel
from everview.algebra.scalars import Types
from everview.rewrite.aggregate_aggregate_merge import aggregate_aggregate_merge
from everview.rewrite.aggregate_distinct_of_key import aggregate_distinct_of_key
from everview.rewrite.distinct_of_key import distinct_of_key
from everview.rewrite.group_form.form import NoForm
from everview.rewrite.group_form.group_form import group_form
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
    """The rows of the definition as groups where they are some, so that what is stored is a row for
    each group: DISTINCT, and selections, joins and unions of groups.
    """
    form = group_form(rel, types)
    return rel if isinstance(form, NoForm) else rewrite(form.plan(), (project_merge,))
