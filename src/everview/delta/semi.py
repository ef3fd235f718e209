"""The delta rule of joins that only test their right side: semi, anti and mark."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.joins import JoinKind
from everview.algebra.relations import At, Join, Project, Rel, Signed, Touched, UnionAll
from everview.algebra.scalars import FALSE, TRUE, Ref, Scalar, refs
from everview.delta.context import Context


def delta_tested(join: Join, left: Rel | None, right: Rel | None, context: Context) -> Rel | None:
    """Δ(A ⋉ B)  =  ΔA ⋉ B_new  +  T ⋉ B_new  -  T ⋉ B_old,  T = A_old ⋉ touched ΔB

    The same for ▷ and the mark join (seed 003, P17 to P24, for bags and any condition; its loyal
    rows are what T ⋉ B_new - T ⋉ B_old leaves): only rows of A that match a touched row of B can
    be tested otherwise than before. The condition that tests NULLs as NOT IN does finds them by
    itself.
    """
    new = context.at(join.right, At.NEW)
    terms: list[Rel] = []
    if left is not None:
        terms.append(_tested(join, left, new, context))
    if right is not None:
        retested = tested_again(join, right, context)
        old = context.at(join.right, At.OLD)
        terms.append(Signed(_tested(join, retested, new, context), 1))
        terms.append(Signed(_tested(join, retested, old, context), -1))
    return UnionAll(tuple(terms), join.columns) if terms else None


def _tested(join: Join, left: Rel, right: Rel, context: Context) -> Rel:
    """The same test of other rows. A mark is A ⋉ B, marked true, and A ▷ B, marked false: there
    are few rows to test, and no plan of Spark's is needed that marks them.
    """
    if join.mark is None:
        return replace(join, left=left, right=right)
    left = context.shared("tested", left)
    marked = []
    kinds: tuple[tuple[JoinKind, Scalar], ...] = (("semi", TRUE), ("anti", FALSE))
    for kind, mark in kinds:
        rows = Join(kind, left, right, join.condition)
        marked.append(Project(rows, (*((c, Ref(c.id)) for c in left.columns), (join.mark, mark))))
    return UnionAll(tuple(marked), join.columns)


def tested_again(join: Join, right: Rel, context: Context) -> Rel:
    """T = A_old ⋉ touched ΔB, of which only the columns that the condition reads matter."""
    assert join.condition is not None
    read = refs(join.condition)
    touched = Touched(right, tuple(c for c in right.columns if c.id in read))
    tested = Join("semi", context.at(join.left, At.OLD), touched, join.condition)
    return context.shared("tested", tested)
