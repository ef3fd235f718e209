"""The delta rule of UnionAll."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Rel, UnionAll


def delta_union_all(union: UnionAll, changes: tuple[Rel | None, ...]) -> Rel | None:
    """Δ(A ⊎ B)  =  ΔA + ΔB"""
    terms = tuple(c for c in changes if c is not None)
    return replace(union, inputs=terms) if terms else None
