"""The files that make up a snapshot or a change, with what the log says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any

from pyroaring import FrozenBitMap64

Positions = FrozenBitMap64
"""Rows of a file by their index in it, counted from zero."""

NO_ROWS = Positions()


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of one column in one file; None means not known.

    `low` and `high` are Python values of the column's type (int, float, Decimal, str, date,
    datetime, bool) and skip NULLs: no value is below `low` or above `high`, NaN being the largest
    float. They are the smallest and largest values in files just written; read back from a log
    they may lie further out, as writers round. `nulls` is the number of NULLs, exactly.
    """

    low: Any = None
    high: Any = None
    nulls: int | None = None


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Which rows of a file count, by row index: only these, or all without these (a deletion
    vector).
    """

    rows: Positions
    kind: str  # "only" | "without"


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file. `path` is as in the log: relative to the table's root, or an absolute
    URI. `rows` counts those that the selection leaves.
    """

    path: str
    size: int
    rows: int | None = None
    partition: tuple[tuple[str, str | None], ...] = ()
    bounds: tuple[tuple[str, Bounds], ...] = ()
    selection: RowSelection | None = None

    @property
    def deleted(self) -> Positions:
        """The rows that the file still holds and the table no longer does."""
        chosen = self.selection
        return chosen.rows if chosen is not None and chosen.kind == "without" else NO_ROWS

    @property
    def physical_rows(self) -> int | None:
        """The rows that the file holds, the deleted ones included."""
        return None if self.rows is None else self.rows + len(self.deleted)

    def bounds_of(self, column: str) -> Bounds:
        return next((b for name, b in self.bounds if name == column), Bounds())


@dataclass(frozen=True, slots=True)
class InlineFile:
    """A file that is the rows themselves, values in the order of its columns: of the in-memory
    lake, or of changes of which few are left after those that cancel.
    """

    path: str
    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    partition: tuple[tuple[str, str | None], ...] = ()

    @property
    def rows(self) -> int:
        return len(self.values)

    @property
    def size(self) -> int:
        return 0

    def bounds_of(self, column: str) -> Bounds:
        """Of whole numbers, texts and days."""
        if column not in self.columns:
            return Bounds()
        place = self.columns.index(column)
        values = [row[place] for row in self.values if row[place] is not None]
        nulls = len(self.values) - len(values)
        if not values or {type(v) for v in values} not in _ORDERED:
            return Bounds(nulls=nulls)
        return Bounds(min(values), max(values), nulls)


_ORDERED: tuple[set[type], ...] = ({int}, {str}, {date})

TableFile = DataFile | InlineFile


def count_marked(files: Iterable[TableFile]) -> int:
    """How many rows the files hold that are deleted."""
    return sum(len(f.deleted) for f in files if isinstance(f, DataFile))


class Sign(Enum):
    """What the rows of a change file do: their weight, or the column that says it row by row."""

    PLUS = "+"
    MINUS = "-"
    FEED = "_change_type"


@dataclass(frozen=True, slots=True)
class ChangeFile:
    """A file whose rows are inserted (PLUS), deleted (MINUS), or say so themselves (FEED, change
    data feed).
    """

    file: TableFile
    sign: Sign
