"""How many rows the operators of a plan of changes are likely to give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from everview.algebra.derive.equalities import join_equalities
from everview.algebra.joins import JoinKind
from everview.algebra.relations import (
    Aggregate,
    Except,
    Intersect,
    Join,
    Local,
    Rel,
    Touched,
)

# What goes in: the sizes of an operator's inputs, and of a leaf the rows that the log counts.
# What comes out: an estimate, which may be wrong without harm to the rows of a plan: it only
# decides which side of a join is sent to every task. Two numbers go up the plan together, the
# rows now read and the rows if whole tables were read: their ratio says how many partners a
# changed row has.
#
#     Δstores ⋈ sales      10 of 100 stores changed; sales has 5000 rows
#     each store has 5000 / 100 = 50 sales:  about 10 * 50 = 500 rows

# Rows of a leaf now read, and rows of the whole table behind it; None where the log does not say.
LeafRows = Callable[[Rel], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class Size:
    """Estimated rows, and the rows there would be if all of the tables were read; None where it
    is not known. `few`: only rows that changes touch.
    """

    rows: float | None
    whole: float | None
    few: bool

    def at_most(self, rows: int) -> bool:
        return self.rows is not None and self.rows <= rows


def size_of(rel: Rel, below: list[Size], leaf_rows: LeafRows) -> Size:
    """The size of an operator's rows, given those of its inputs: as many as they have together,
    unless something else is known.
    """
    few = is_few(rel, [b.few for b in below])
    match rel:
        case Aggregate(keys=()):
            return Size(1, 1, few)
        case Join():
            rows, whole = _rows_of_join(rel.kind, below[0], below[1])
            return Size(rows, whole, few)
        case Except() | Intersect():
            return replace(below[0], few=few)
        case _ if not below:
            known = leaf_rows(rel)
            return Size(None, None, few) if known is None else Size(*known, few)
        case _:
            return Size(_sum([b.rows for b in below]), _sum([b.whole for b in below]), few)


def is_few(rel: Rel, below: list[bool]) -> bool:
    """Whether an operator gives few rows when changes are few, given the same of its inputs: where
    nothing else is known, if all of them do.
    """
    match rel:
        case Touched() | Local() | Aggregate(keys=()):
            return True
        case Join(kind="inner"):
            return rel.weighted or all(below) or (any(below) and bool(join_equalities(rel)))
        case _ if rel.weighted:
            return True
        case Join(kind="semi"):
            return any(below)
        case Join(kind="left" | "anti" | "mark") | Except() | Intersect():
            return below[0]
        case _:
            return bool(below) and all(below)


def _sum(some: list[float | None]) -> float | None:
    known = [n for n in some if n is not None]
    return sum(known) if len(known) == len(some) else None


def _rows_of_join(kind: JoinKind, left: Size, right: Size) -> tuple[float | None, float | None]:
    """Rows and whole: a row meets as many partners as there are rows of the other table for each of
    its own, so that a changed dimension meets many rows of a fact table.
    """
    if left.rows is None or right.rows is None or left.whole is None or right.whole is None:
        return None, None
    by_left = left.rows * max(1.0, right.whole / max(1.0, left.whole))
    by_right = right.rows * max(1.0, left.whole / max(1.0, right.whole))
    match kind:
        case "cross":
            return left.rows * right.rows, left.whole * right.whole
        case "full":
            return left.rows + right.rows, left.whole + right.whole
        case "semi":
            return min(left.rows, by_right) if right.few else left.rows, left.whole
        case "anti" | "mark":
            return left.rows, left.whole
        case _:
            rows = by_right if right.few and not left.few else by_left
            return rows, max(left.whole, right.whole)
