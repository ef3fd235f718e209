"""The delta rule of joins that only test their right side: semi, anti and mark."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.derive.signs import OTHER, WeightSign
from everview.algebra.joins import JoinKind
from everview.algebra.relations import At, Join, Project, Rel, Signed, Touched, UnionAll
from everview.algebra.scalars import FALSE, TRUE, Ref, Scalar, refs
from everview.delta.context import DeltaContext


def delta_tested(
    join: Join, left: Rel | None, right: Rel | None, context: DeltaContext
) -> Rel | None:
    """Δ(A ⋉ B)  =  ΔA ⋉ B_new  +  T ⋉ B_new  -  T ⋉ B_old,  T = A_old ⋉ touched ΔB;
    of insertions into B   ΔA ⋉ B_old  +  T ▷ B_old,  T = A_new ⋉ touched ΔB

    The second reads one snapshot of each, where by the first B would be read at both. The same for
    ▷ and the mark join (Griffin & Kumar, P17 to P24, for bags and any condition; its loyal rows
    are what T ⋉ B_new - T ⋉ B_old leaves): only rows of A that match a touched row of B can be
    tested otherwise than before. The condition that tests NULLs as NOT IN does finds them by
    itself.
    """
    sign = None if right is None else context.signs.of(right)
    of_b, of_a = (At.OLD, At.NEW) if sign == 1 else (At.NEW, At.OLD)
    terms: list[Rel] = []
    if left is not None:
        terms.append(_tested(join, left, context.at(join.right, of_b), context))
    if right is not None:
        terms += _tested_again(join, right, tested_again(join, right, context, of_a), context)
    return UnionAll(tuple(terms), join.columns) if terms else None


def _tested_again(join: Join, right: Rel, retested: Rel, context: DeltaContext) -> list[Rel]:
    """T ⋉ B_new - T ⋉ B_old. Of insertions alone every row of T has a partner now, so it is
    T ▷ B_old; of deletions alone each had one, so it is -(T ▷ B_new) (Vista, 5.12.2).
    """
    sign = context.signs.of(right)
    if sign is None:
        snapshots: tuple[tuple[At, WeightSign], ...] = ((At.NEW, 1), (At.OLD, -1))
        sides = [(context.at(join.right, snapshot), weight) for snapshot, weight in snapshots]
        return [Signed(_tested(join, retested, side, context), weight) for side, weight in sides]
    lone = lone_otherwise(join, retested, sign, context)
    match join.kind:
        case "semi":
            return [Signed(lone, sign)]
        case "anti":
            return [Signed(lone, OTHER[sign])]
        case _:
            lone = context.shared("tested", lone)
            came, went = (_marked(join, lone, mark) for mark in (TRUE, FALSE))
            return [Signed(came, sign), Signed(went, OTHER[sign])]


def lone_otherwise(join: Join, retested: Rel, sign: WeightSign, context: DeltaContext) -> Rel:
    """The rows of T that have no partner at the one snapshot, and all have one at the other."""
    without = context.at(join.right, At.OLD if sign == 1 else At.NEW)
    return Join("anti", retested, without, join.condition)


def _tested(join: Join, left: Rel, right: Rel, context: DeltaContext) -> Rel:
    """The same test of other rows. A mark is A ⋉ B, marked true, and A ▷ B, marked false: there
    are few rows to test, and no plan of Spark's is needed that marks them.
    """
    if join.mark is None:
        return replace(join, left=left, right=right)
    left = context.shared("tested", left)
    marked = []
    kinds: tuple[tuple[JoinKind, Scalar], ...] = (("semi", TRUE), ("anti", FALSE))
    for kind, mark in kinds:
        marked.append(_marked(join, Join(kind, left, right, join.condition), mark))
    return UnionAll(tuple(marked), join.columns)


def _marked(join: Join, rows: Rel, mark: Scalar) -> Rel:
    assert join.mark is not None
    return Project(rows, (*((c, Ref(c.id)) for c in rows.columns), (join.mark, mark)))


def tested_again(join: Join, right: Rel, context: DeltaContext, snapshot: At) -> Rel:
    """T = A ⋉ touched ΔB at a snapshot; of ΔB only the columns that the condition reads matter."""
    assert join.condition is not None
    read = refs(join.condition)
    touched = Touched(right, tuple(c for c in right.columns if c.id in read))
    tested = Join("semi", context.at(join.left, snapshot), touched, join.condition)
    return context.shared("tested", tested)
