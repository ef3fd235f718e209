"""Rows in plain Python: lines with weights, and bags that count them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from everview.algebra.scalars import Column, ColumnId

Row = tuple[Any, ...]
Line = tuple[Row, int]  # a row and its weight: 1 in each line of a plain relation
CountedBag = Counter[Row]
Named = dict[ColumnId, Any]


def bag(some: Iterable[Line]) -> CountedBag:
    counted: CountedBag = Counter()
    for row, weight in some:
        counted[row] += weight
    return Counter({row: n for row, n in counted.items() if n != 0})


def minus(left: CountedBag, right: CountedBag) -> CountedBag:
    """The difference with signs (a Counter's own minus drops negative counts)."""
    return Counter({r: n for r in left.keys() | right.keys() if (n := left[r] - right[r]) != 0})


def plain(counted: CountedBag) -> list[Line]:
    """A line for each copy of each row; none for a row whose count is not positive."""
    return [(row, 1) for row in counted.elements()]


def named(columns: tuple[Column, ...], row: Row) -> Named:
    return {c.id: v for c, v in zip(columns, row, strict=True)}


def chosen(row: Named, columns: Iterable[Column]) -> Row:
    return tuple(row[c.id] for c in columns)
