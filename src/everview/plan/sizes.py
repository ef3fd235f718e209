"""How many rows the operators of a plan of changes are likely to give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from everview.algebra.relations import (
    Aggregate,
    Changes,
    Except,
    Intersect,
    Join,
    Local,
    Rel,
    Touched,
    UnionAll,
)

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
    """The size of an operator's rows, given those of its inputs."""
    match rel:
        case Aggregate(keys=()):
            return Size(1, 1, few=True)
        case Join():
            return _joined(rel, *below)
        case UnionAll():
            return _added(below)
        case Except() | Intersect():
            return replace(below[0], few=all(b.few for b in below))
        case _ if below:
            return replace(below[0], few=below[0].few or isinstance(rel, Touched))
        case _:
            rows, whole = leaf_rows(rel) or (None, None)
            return Size(rows, whole, few=isinstance(rel, Changes | Local))


def _added(sizes: list[Size]) -> Size:
    rows = [s.rows for s in sizes]
    whole = [s.whole for s in sizes]
    return Size(_sum(rows), _sum(whole), few=all(s.few for s in sizes))


def _sum(some: list[float | None]) -> float | None:
    known = [n for n in some if n is not None]
    return sum(known) if len(known) == len(some) else None


def _joined(join: Join, left: Size, right: Size) -> Size:
    """A row meets as many partners as there are rows of the other table for each of its own: a
    changed dimension meets many rows of a fact table.
    """
    few = left.few or (right.few and join.kind in ("inner", "cross", "semi"))
    if left.rows is None or right.rows is None or left.whole is None or right.whole is None:
        return Size(None, None, few)
    if join.kind == "cross":
        return Size(left.rows * right.rows, left.whole * right.whole, left.few and right.few)
    if join.kind == "full":
        return Size(left.rows + right.rows, left.whole + right.whole, left.few and right.few)
    by_left = left.rows * max(1.0, right.whole / max(1.0, left.whole))
    by_right = right.rows * max(1.0, left.whole / max(1.0, right.whole))
    match join.kind:
        case "semi":
            return Size(min(left.rows, by_right) if right.few else left.rows, left.whole, few)
        case "anti" | "mark":
            return Size(left.rows, left.whole, few)
        case _:
            rows = by_right if right.few and not left.few else by_left
            return Size(rows, max(left.whole, right.whole), few)
