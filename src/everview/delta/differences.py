"""The delta rule of EXCEPT and INTERSECT, with ALL or without."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import At, Except, Intersect, Rel, Shared, Signed, UnionAll
from everview.delta.context import DeltaContext
from everview.delta.touched import of_keys, touched_keys


def delta_difference(
    rel: Except | Intersect, left: Rel | None, right: Rel | None, context: DeltaContext
) -> Rel | None:
    """Δ(A - B)  =  (A_new ⋉ K - B_new ⋉ K)  -  (A_old ⋉ K - B_old ⋉ K),
    K = touched rows of ΔA and ΔB; the same for ∩. One rule for the forms that Vista, 3.4.1
    tells apart, right for gross changes too.
    """
    changes = tuple((c, c.columns) for c in (left, right) if c is not None)
    if not changes:
        return None
    keys = touched_keys(changes, context.fresh)
    terms = (
        Signed(_of_rows(rel, At.NEW, keys, context), 1),
        Signed(_of_rows(rel, At.OLD, keys, context), -1),
    )
    return UnionAll(terms, rel.columns)


def _of_rows(rel: Except | Intersect, snapshot: At, keys: Shared, context: DeltaContext) -> Rel:
    sides = (context.at(side, snapshot) for side in (rel.left, rel.right))
    left, right = (of_keys(side, side.columns, keys, context.fresh) for side in sides)
    return replace(rel, left=left, right=right)
