"""Make a filter above an inner join part of its condition, for the join order to see."""

from __future__ import annotations

from everview.algebra.relations import Filter, Join, Rel
from everview.algebra.scalars import all_of, conjuncts


def filter_join_merge(rel: Rel) -> Rel:
    """σ_p(A ⋈_q B)  =  A ⋈_{q ∧ p} B"""
    if not isinstance(rel, Filter) or not isinstance(rel.input, Join):
        return rel
    join = rel.input
    if join.kind not in ("inner", "cross"):
        return rel
    conditions = conjuncts(join.condition) + conjuncts(rel.condition)
    return Join("inner", join.left, join.right, all_of(conditions), join.broadcast)
