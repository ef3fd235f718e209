"""Distribute a join over a union of changes, so that each changed table gets a term of its own."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Join, Project, Rel, UnionAll
from everview.algebra.scalars import Ref


def join_union_transpose(rel: Rel) -> Rel:
    """(ΔA + ΔB) ⋈ C  =  ΔA ⋈ C + ΔB ⋈ C"""
    if not isinstance(rel, Join) or rel.kind not in ("inner", "cross"):
        return rel
    if isinstance(rel.left, UnionAll) and rel.left.weighted:
        terms = tuple(replace(rel, left=term) for term in _terms(rel.left))
    elif isinstance(rel.right, UnionAll) and rel.right.weighted:
        terms = tuple(replace(rel, right=term) for term in _terms(rel.right))
    else:
        return rel
    return UnionAll(terms, rel.columns)


def _terms(union: UnionAll) -> tuple[Rel, ...]:
    """The inputs under the union's own columns."""
    return tuple(
        i
        if i.columns == union.columns
        else Project(
            i, tuple((c, Ref(own.id)) for c, own in zip(union.columns, i.columns, strict=True))
        )
        for i in union.inputs
    )
