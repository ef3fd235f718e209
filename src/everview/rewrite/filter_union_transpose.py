"""Move a filter into the terms of a union of changes, where it can join their conditions."""

from __future__ import annotations

from everview.algebra.relations import Filter, Rel, UnionAll
from everview.algebra.scalars import Ref, Scalar, substitute


def filter_union_transpose(rel: Rel) -> Rel:
    """σ_p(ΔA + ΔB)  =  σ_p ΔA + σ_p ΔB"""
    if not isinstance(rel, Filter) or not isinstance(rel.input, UnionAll):
        return rel
    union = rel.input
    if not union.weighted:
        return rel
    terms = []
    for term in union.inputs:
        pairs = zip(union.columns, term.columns, strict=True)
        by: dict[int, Scalar] = {c.id: Ref(own.id) for c, own in pairs}
        terms.append(Filter(term, substitute(rel.condition, by)))
    return UnionAll(tuple(terms), union.columns)
