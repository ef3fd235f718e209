"""Which side of a join is known to be small enough to be sent to every task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from everview.algebra.relations import Join, Rel
from everview.algebra.walk import inputs, over_inputs, transformed

MOST_ROWS = 500_000

# Rows of a leaf now read, and rows of the whole table behind it; None where the log does not say.
LeafRows = Callable[[Rel], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class _Size:
    """Estimated rows, and the rows there would be if all of the table were read."""

    rows: float
    whole: float


def with_small_sides(rel: Rel, leaf_rows: LeafRows) -> Rel:
    """The plan with a broadcast of the left side only where the changes so far stay small.

    A changed dimension meets as many rows of a fact table as there are per row of the dimension.
    """
    return _Hinting(leaf_rows).of(rel)[0]


def without_broadcast(rel: Rel) -> Rel:
    """The plan with every choice left to Spark, for changes that are not small."""


    def plain(some: Rel) -> Rel:
        return replace(some, broadcast=None) if isinstance(some, Join) else some

    return transformed(rel, plain)


@dataclass(frozen=True, slots=True)
class _Hinting:
    leaf_rows: LeafRows
    done: dict[int, tuple[Rel, _Size | None]] = field(default_factory=dict)

    def of(self, rel: Rel) -> tuple[Rel, _Size | None]:
        if id(rel) not in self.done:
            self.done[id(rel)] = self._of(rel)
        return self.done[id(rel)]

    def _of(self, rel: Rel) -> tuple[Rel, _Size | None]:
        below = [self.of(i) for i in inputs(rel)]
        done = over_inputs(rel, tuple(r for r, _ in below))
        sizes = [size for _, size in below]
        if not below:
            known = self.leaf_rows(rel)
            return done, None if known is None else _Size(*known)
        if not isinstance(done, Join):
            return done, _added(sizes)
        left, right = sizes
        small = left is not None and left.rows <= MOST_ROWS
        side = done.broadcast if done.broadcast != "left" or small else None
        hinted = done if side == done.broadcast else replace(done, broadcast=side)
        return hinted, _joined(done, left, right)


def _added(sizes: list[_Size | None]) -> _Size | None:
    known = [s for s in sizes if s is not None]
    if len(known) < len(sizes):
        return None
    return _Size(sum(s.rows for s in known), sum(s.whole for s in known))


def _joined(join: Join, left: _Size | None, right: _Size | None) -> _Size | None:
    if left is None or right is None:
        return None
    if join.kind == "cross":
        return _Size(left.rows * right.rows, left.whole * right.whole)
    each = max(1.0, right.whole / max(1.0, left.whole))
    return _Size(left.rows * each, max(left.whole, right.whole))
