"""Do not pad rows that the filter above an outer join leaves out."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.derive.never_null import not_null_where
from everview.algebra.operator import ids
from everview.algebra.relations import Filter, Join, JoinKind, Rel

# By kind: what is left of it where each row has a left side, and where each has a right side.
_WITH_LEFT: dict[JoinKind, JoinKind] = {"right": "inner", "full": "left"}
_WITH_RIGHT: dict[JoinKind, JoinKind] = {"left": "inner", "full": "right"}


def filter_outer_join(rel: Rel) -> Rel:
    """σ_p(A ⟕ B)  =  σ_p(A ⋈ B)  where p is true of no row whose columns of B are all NULL; so too
    for each side of ⟖ and ⟗ that p needs a value of.
    """
    if not isinstance(rel, Filter) or not isinstance(rel.input, Join):
        return rel
    join, there = rel.input, not_null_where(rel.condition)
    kind = join.kind
    if there & ids(join.left.columns):
        kind = _WITH_LEFT.get(kind, kind)
    if there & ids(join.right.columns):
        kind = _WITH_RIGHT.get(kind, kind)
    return rel if kind == join.kind else replace(rel, input=replace(join, kind=kind))
