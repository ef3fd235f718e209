"""Make one filter of two, for other rules to see all that is asked of the rows."""

from __future__ import annotations

from everview.algebra.relations import Filter, Rel
from everview.algebra.scalars import all_of, conjuncts


def filter_merge(rel: Rel) -> Rel:
    """σ_p(σ_q A)  =  σ_{q ∧ p} A"""
    if not isinstance(rel, Filter) or not isinstance(rel.input, Filter):
        return rel
    inner = rel.input
    return Filter(inner.input, all_of(conjuncts(inner.condition) + conjuncts(rel.condition)))
