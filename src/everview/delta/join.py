"""The delta rule of inner and cross joins."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import At, Join, Rel, UnionAll
from everview.delta.context import DeltaContext


def delta_join(
    join: Join, left: Rel | None, right: Rel | None, context: DeltaContext
) -> Rel | None:
    """Δ(L ⋈ R)  =  ΔL ⋈ R_new  +  L_old ⋈ ΔR,  or where OLD is gone of L but not of R
                =  ΔL ⋈ R_old  +  L_new ⋈ ΔR

    Nested, this is one term per changed table; in term i the tables before i are at OLD, those
    after i at NEW, so that the state bug (Colby et al., example 1.2) cannot be written. Where rows
    only came this is no more than is needed: the files of OLD are some of those of NEW. The form
    L_new ⋈ ΔR - ΔL ⋈ ΔR would read the same, and take the changes for insertions and deletions.
    """
    turned = context.is_gone(join.left) and not context.is_gone(join.right)
    of_right, of_left = (At.OLD, At.NEW) if turned else (At.NEW, At.OLD)
    terms: list[Rel] = []
    if left is not None:
        terms.append(replace(join, left=left, right=context.at(join.right, of_right)))
    if right is not None:
        terms.append(replace(join, left=context.at(join.left, of_left), right=right))
    return UnionAll(tuple(terms), join.columns) if terms else None
