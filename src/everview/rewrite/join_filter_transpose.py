"""Pull a filter below an inner join above it, so that joins become neighbours."""

from __future__ import annotations

from everview.algebra.relations import Filter, Join, Rel


def join_filter_transpose(rel: Rel) -> Rel:
    """σ_p(A) ⋈ B  =  σ_p(A ⋈ B)"""
    if not isinstance(rel, Join) or rel.kind not in ("inner", "cross"):
        return rel
    if isinstance(rel.left, Filter):
        inner = Join(rel.kind, rel.left.input, rel.right, rel.condition, rel.broadcast)
        return Filter(inner, rel.left.condition)
    if isinstance(rel.right, Filter):
        inner = Join(rel.kind, rel.left, rel.right.input, rel.condition, rel.broadcast)
        return Filter(inner, rel.right.condition)
    return rel
