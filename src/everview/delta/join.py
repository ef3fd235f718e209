"""The delta rule of inner and cross joins."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import At, Join, Rel, UnionAll
from everview.delta.context import DeltaContext


def delta_join(
    join: Join, left: Rel | None, right: Rel | None, context: DeltaContext
) -> Rel | None:
    """Δ(L ⋈ R)  =  ΔL ⋈ R_new  +  L_old ⋈ ΔR

    Nested, this is one term per changed table; in term i the tables before i are at OLD, those
    after i at NEW, so that the state bug (Colby et al., example 1.2) cannot be written.
    """
    terms: list[Rel] = []
    if left is not None:
        terms.append(replace(join, left=left, right=context.at(join.right, At.NEW)))
    if right is not None:
        terms.append(replace(join, left=context.at(join.left, At.OLD), right=right))
    return UnionAll(tuple(terms), join.columns) if terms else None
