"""Small sides of joins: sent to every task, or used to cut the large side first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from everview.algebra.derive.equalities import Equality, join_equalities
from everview.algebra.fresh import Fresh
from everview.algebra.joins import Side
from everview.algebra.memo import Memo
from everview.algebra.relations import (
    Changes,
    Distinct,
    Join,
    Local,
    Project,
    Rel,
    Shared,
    Touched,
)
from everview.algebra.scalars import Compare, Ref, all_of
from everview.algebra.walk import highest_id, over_inputs, transformed
from everview.optimize.sizes import LeafRows, Size, size_of

# What goes in: a plan of changes, and how many rows its leaves have. What comes out: the same
# plan with hints. From the leaves up, the size of each operator is estimated, and a join with one
# small side says so: Spark sends that side to every task, and the large side is not shuffled. It
# could not see that by itself, because it estimates the size of a join from the bytes of its
# files, not from how few rows changed.
#
#     Δsales ⋈ stores          Δsales has 100 rows: broadcast Δsales
#     K ▷ sales                Spark cannot broadcast the left side of ▷, so sales are cut first:
#     K ▷ (sales ⋉ keys of K)  keys of K are broadcast, and what is left of sales is small too

MOST_ROWS = 500_000
LARGE = 100_000  # rows below which Spark joins as it sees fit


def with_small_sides(rel: Rel, leaf_rows: LeafRows) -> Rel:
    """The plan with a broadcast of what the changes touch, where that stays small.

    Spark cannot send the left side of a left, semi or anti join to every task: there a large
    right side is cut to the partners of the left rows first, and small is joined with small.
    """
    return _Hinting(leaf_rows, Fresh(highest_id(rel))).of(rel)[0]


def without_broadcast(rel: Rel) -> Rel:
    """The plan with every choice left to Spark, for changes that are not small."""

    def plain(some: Rel) -> Rel:
        return replace(some, broadcast=None) if isinstance(some, Join) else some

    return transformed(rel, plain)


@dataclass(frozen=True, slots=True)
class _Hinting:
    leaf_rows: LeafRows
    fresh: Fresh
    memo: Memo[tuple[Rel, Size]] = field(default_factory=Memo)

    def of(self, rel: Rel) -> tuple[Rel, Size]:
        return self.memo.of(rel, self._choose)

    def _choose(self, rel: Rel) -> tuple[Rel, Size]:
        below = [self.of(i) for i in rel.inputs]
        done = over_inputs(rel, tuple(r for r, _ in below))
        sizes = [size for _, size in below]
        if isinstance(done, Join):
            done = self._with_small_side(done, *sizes)
        return done, size_of(rel, sizes, self.leaf_rows)

    def _with_small_side(self, join: Join, left: Size, right: Size) -> Join:
        """The join as it is best run, given the sizes of its sides."""
        if join.kind in ("left", "semi", "anti") and _is_small(left) and _is_large(right):
            return self._with_partners_only(join, left, right)
        side = _small_side(join, left, right)
        return join if side == join.broadcast else replace(join, broadcast=side)

    def _with_partners_only(self, join: Join, left: Size, right: Size) -> Join:
        """A ▷ B  =  A ▷ (B ⋉ keys of A): the same for ⋉ and ⟕."""
        found = join_equalities(join)
        if not found:
            return join
        rows = join.left
        if not isinstance(rows, Shared | Changes | Local):
            rows = Shared("tested", rows)
        keys = self._keys(rows, found)
        pairs = zip(found, keys.columns, strict=True)
        same = all_of(tuple(Compare(e.op, e.right, Ref(key.id)) for e, key in pairs))
        partners = Join("semi", join.right, keys, same, broadcast="right")
        size = size_of(partners, [right, left], self.leaf_rows)
        side: Side | None = "right" if size.at_most(MOST_ROWS) else None
        return replace(join, left=rows, right=partners, broadcast=side)

    def _keys(self, rows: Rel, found: tuple[Equality, ...]) -> Rel:
        columns = self.fresh.columns(f"key{i}" for i, _ in enumerate(found))
        values = Project(rows, tuple((c, e.left) for c, e in zip(columns, found, strict=True)))
        return Touched(values, columns) if rows.weighted else Distinct(values)


def _is_small(size: Size) -> bool:
    return size.few and size.at_most(MOST_ROWS)


def _is_large(size: Size) -> bool:
    return not size.few and not size.at_most(LARGE)


def _small_side(join: Join, left: Size, right: Size) -> Side | None:
    """Which side to send; one that is small by construction stays."""
    if join.broadcast == "right" or (_is_small(right) and not _is_small(left)):
        return None if join.kind in ("right", "full") else "right"
    if join.broadcast == "left" and left.at_most(MOST_ROWS):
        return "left"
    return None
