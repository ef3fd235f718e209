"""Which stored files may hold some keys, told from their bounds alone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from everview.algebra.ranges import Range
from everview.facts.files import Bounds, TableFile

# What goes in: the files of a table with the lowest and highest value of their columns, and keys
# that are looked for. What comes out: the files that may hold one of the keys; a file is left out
# only if it cannot. There may be many files and many keys, so the keys are sorted by their first
# column: the keys that may lie in a file are then a slice of them, found by bisection, and only
# those are compared with its other columns.
#
#     keys (3, x), (9, y)       file 1 holds 1..5, a..m: no, as x is beyond m
#                               file 2 holds 8..9, a..z: yes
#                               file 3 says nothing of its values: yes

KeyValues = tuple[Any, ...]


def files_with_keys(
    files: tuple[TableFile, ...], columns: tuple[str, ...], keys: Sequence[KeyValues]
) -> tuple[TableFile, ...]:
    """The files that may hold one of the keys; a file is left out only if its bounds exclude
    all.
    """
    places = [i for i, _ in enumerate(columns) if all(_has_order(k[i]) for k in keys)]
    if not places:
        return files
    ordered = _Ordered([tuple(k[i] for i in places) for k in keys])
    names = [columns[i] for i in places]
    return tuple(f for f in files if ordered.any_in([f.bounds_of(n) for n in names]))


def files_overlapping(
    files: tuple[TableFile, ...], others: tuple[TableFile, ...], columns: tuple[str, ...]
) -> tuple[TableFile, ...]:
    """The files that may hold a row with the same values of the columns, none of them NULL, as a
    row of the others.
    """
    return tuple(
        f for f in files if any(all(_overlap(f, other, n) for n in columns) for other in others)
    )


def _overlap(one: TableFile, other: TableFile, column: str) -> bool:
    a, b = one.bounds_of(column), other.bounds_of(column)
    if not (_known(a) and _known(b)):
        return True
    return bool(a.low <= b.high and b.low <= a.high)


def files_within(
    files: tuple[TableFile, ...], ranges: Mapping[str, Range]
) -> tuple[TableFile, ...]:
    """The files that may hold a row whose columns lie in these ranges."""
    return tuple(f for f in files if all(_meets(f.bounds_of(n), r) for n, r in ranges.items()))


def ranges_that_cut(
    ranges: Mapping[str, Range], files: tuple[TableFile, ...]
) -> Mapping[str, Range]:
    """The ranges that may leave out rows of these files worth a filter.

    A filter names the ends of its range, so that Spark compiles the query anew for every change;
    where changes are spread over all keys it would keep nearly every row. So a range that covers
    more than half of what the files hold is left out.

        files hold 1 to 100    range 40 to 60: a filter    range 3 to 97: none
    """
    return {name: r for name, r in ranges.items() if not _covers_most(r, files, name)}


def _covers_most(range_: Range, files: tuple[TableFile, ...], column: str) -> bool:
    if range_.has_no_value:
        return False
    bounds = [f.bounds_of(column) for f in files]
    known = [b for b in bounds if _known(b)]
    if not known or len(known) < len(bounds):
        return False
    low, high = min(b.low for b in known), max(b.high for b in known)
    if isinstance(low, str):
        return bool(range_.low <= low and high <= range_.high)
    met = min(high, range_.high) - max(low, range_.low)
    return bool(2 * met > high - low)


def _meets(bounds: Bounds, range_: Range) -> bool:
    if range_.null and admits(bounds, None):
        return True
    if range_.has_no_value:
        return False
    return not _known(bounds) or bool(bounds.low <= range_.high and range_.low <= bounds.high)


def _has_order(value: Any) -> bool:
    """Whether Python orders values of this kind as Spark does: not nested and binary ones."""
    return value is None or isinstance(value, int | float | Decimal | str | date)


def admits(bounds: Bounds, value: Any) -> bool:
    """Whether a file with these bounds of a column may hold the value.

    Absent only if the bounds are present and exclude it; NULL only if the number of NULLs is known
    to be 0.
    """
    if value is None:
        return bounds.nulls is None or bounds.nulls > 0
    if not _known(bounds):
        return True
    return bool(bounds.low <= value <= bounds.high)


def _known(bounds: Bounds) -> bool:
    """Whether both bounds are there; a NaN bounds nothing."""
    ends = (bounds.low, bounds.high)
    return all(end is not None and end == end for end in ends)


class _Ordered:
    """Keys sorted by their first column, so that a file's range is a slice of them."""

    def __init__(self, keys: Sequence[KeyValues]) -> None:
        self._nulls = [k for k in keys if k[0] is None]
        self._keys = sorted((k for k in keys if k[0] is not None and k[0] == k[0]), key=_first)
        self._firsts = [k[0] for k in self._keys]
        self._odd = [k for k in keys if k[0] is not None and k[0] != k[0]]  # NaN has no place

    def any_in(self, bounds: list[Bounds]) -> bool:
        first = bounds[0]
        chosen = self._keys
        if _known(first):
            start = bisect_left(self._firsts, first.low)
            chosen = self._keys[start : bisect_right(self._firsts, first.high)]
        if self._odd and not _known(first):
            return True
        return any(all(map(admits, bounds, key)) for key in (*chosen, *self._nulls))


def _first(key: KeyValues) -> Any:
    return key[0]
