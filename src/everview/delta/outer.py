"""The delta rules of outer joins: matched rows, and those padded with NULLs (Griffin & Kumar)."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.derive.signs import OTHER
from everview.algebra.relations import At, Join, Project, Rel, Signed, UnionAll
from everview.algebra.scalars import NULL, Column, Ref
from everview.delta.context import DeltaContext
from everview.delta.semi import delta_tested, lone_otherwise, tested_again


def delta_left(
    join: Join, left: Rel | None, right: Rel | None, context: DeltaContext
) -> Rel | None:
    """Δ(A ⟕ B)  =  ΔA ⟕ B_new  +  T ⋈ ΔB  +  pad(T ▷ B_new)  -  pad(T ▷ B_old),
    T = A_old ⋉ touched ΔB, which are all rows of A that meet ΔB (Griffin & Kumar, P25 to P28)
    """
    terms: list[Rel] = []
    if left is not None:
        terms.append(replace(join, left=left, right=context.at(join.right, At.NEW)))
    if right is not None:
        right = context.shared("changes", right)
        retested = tested_again(join, right, context)
        terms.append(replace(join, kind="inner", left=retested, right=right))
        terms += [_padded(lone, join) for lone in _lone_again(join, right, retested, context)]
    return UnionAll(tuple(terms), join.columns) if terms else None


def _lone_again(join: Join, right: Rel, retested: Rel, context: DeltaContext) -> list[Rel]:
    """T ▷ B_new - T ▷ B_old. Of insertions alone no row of T is without partner now; of deletions
    alone none was before.
    """
    sign = context.signs.of(right)
    if sign is not None:
        return [Signed(lone_otherwise(join, retested, sign, context), OTHER[sign])]
    old, new = (context.at(join.right, snapshot) for snapshot in (At.OLD, At.NEW))
    return [
        Signed(Join("anti", retested, new, join.condition), 1),
        Signed(Join("anti", retested, old, join.condition), -1),
    ]


def delta_right(
    join: Join, left: Rel | None, right: Rel | None, context: DeltaContext
) -> Rel | None:
    """Δ(A ⟖ B)  =  Δ(B ⟕ A), its columns in the order of A, B (Griffin & Kumar, P29 and on)."""
    turned = replace(join, kind="left", left=join.right, right=join.left)
    changes = delta_left(turned, right, left, context)
    return None if changes is None else _in_order(changes, join.columns)


def delta_full(
    join: Join, left: Rel | None, right: Rel | None, context: DeltaContext
) -> Rel | None:
    """Δ(A ⟗ B)  =  Δ(A ⟕ B)  +  pad Δ(B ▷ A)  (Griffin & Kumar, D5)"""
    terms = []
    left = None if left is None else context.shared("changes", left)
    right = None if right is None else context.shared("changes", right)
    matched = delta_left(replace(join, kind="left"), left, right, context)
    if matched is not None:
        terms.append(matched)
    turned = replace(join, kind="anti", left=join.right, right=join.left)
    lone = delta_tested(turned, right, left, context)
    if lone is not None:
        terms.append(_padded(lone, join))
    return UnionAll(tuple(terms), join.columns) if terms else None


def _padded(rel: Rel, join: Join) -> Project:
    """Rows of one side with NULLs for the columns of the other."""
    own = {c.id for c in rel.columns}
    return Project(rel, tuple((c, Ref(c.id)) if c.id in own else (c, NULL) for c in join.columns))


def _in_order(rel: Rel, columns: tuple[Column, ...]) -> Project:
    return Project(rel, tuple((c, Ref(c.id)) for c in columns))
