"""The delta rules of outer joins: matched rows, and those padded with NULLs (Griffin & Kumar)."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import At, Join, Project, Rel, UnionAll
from everview.algebra.scalars import NULL, Column, Ref
from everview.delta.context import DeltaContext
from everview.delta.partners import Matched, Tested, lone_again
from everview.delta.semi import tested_again


def delta_left(join: Join, left: Tested, right: Tested, context: DeltaContext) -> Rel | None:
    """Δ(A ⟕ B)  =  ΔA ⟕ B_new  +  T ⋈ ΔB  +  pad(T ▷ B_new)  -  pad(T ▷ B_old),
    T = A_old ⋉ touched ΔB, which are all rows of A that meet ΔB (Griffin & Kumar, P25 to P28)
    """
    terms: list[Rel] = []
    if left.changes is not None:
        terms.append(replace(join, left=left.changes, right=context.at(join.right, At.NEW)))
    if right.changes is not None:
        retested = tested_again(join, right.changes, context, At.OLD)
        matched = replace(join, kind="inner", left=retested, right=right.changes)
        lone = lone_again(join, right, Matched(retested, matched), context)
        terms += [matched, *(_padded(some, join) for some in lone)]
    return UnionAll(tuple(terms), join.columns) if terms else None


def delta_right(join: Join, left: Tested, right: Tested, context: DeltaContext) -> Rel | None:
    """Δ(A ⟖ B)  =  Δ(B ⟕ A), its columns in the order of A, B (Griffin & Kumar, P29 and on)."""
    turned = replace(join, kind="left", left=join.right, right=join.left)
    changes = delta_left(turned, right, left, context)
    return None if changes is None else _in_order(changes, join.columns)


def delta_full(join: Join, left: Tested, right: Tested, context: DeltaContext) -> Rel | None:
    """Δ(A ⟗ B)  =  Δ(A ⟕ B)  +  pad(ΔB ▷ A_new)  +  pad(T ▷ A_new)  -  pad(T ▷ A_old),
    T = B_old ⋉ touched ΔA  (Griffin & Kumar, D5)
    """
    terms = []
    changes = delta_left(replace(join, kind="left"), left, right, context)
    if changes is not None:
        terms.append(changes)
    turned = Join("anti", join.right, join.left, join.condition)
    if right.changes is not None:
        new = context.at(join.left, At.NEW)
        terms.append(_padded(replace(turned, left=right.changes, right=new), join))
    if left.changes is not None:
        retested = tested_again(turned, left.changes, context, At.OLD)
        matched = Join("inner", left.changes, retested, join.condition)
        lone = lone_again(turned, left, Matched(retested, matched), context)
        terms += [_padded(some, join) for some in lone]
    return UnionAll(tuple(terms), join.columns) if terms else None


def _padded(rel: Rel, join: Join) -> Project:
    """Rows of one side with NULLs for the columns of the other."""
    own = {c.id for c in rel.columns}
    return Project(rel, tuple((c, Ref(c.id)) if c.id in own else (c, NULL) for c in join.columns))


def _in_order(rel: Rel, columns: tuple[Column, ...]) -> Project:
    return Project(rel, tuple((c, Ref(c.id)) for c in columns))
