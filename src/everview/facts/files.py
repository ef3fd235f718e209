"""The files that make up a snapshot or a change, with what the log says of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


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

    rows: tuple[int, ...]
    kind: str  # "only" | "without"


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file. `path` is as in the log: relative to the table's root, or an absolute
    URI.
    """

    path: str
    size: int
    rows: int | None = None
    partition: tuple[tuple[str, str | None], ...] = ()
    bounds: tuple[tuple[str, Bounds], ...] = ()
    selection: RowSelection | None = None

    def bounds_of(self, column: str) -> Bounds:
        return next((b for name, b in self.bounds if name == column), Bounds())


@dataclass(frozen=True, slots=True)
class InlineFile:
    """The in-memory lake's file: the rows themselves, values in the order of the schema it was
    written with.
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
        return Bounds()


TableFile = DataFile | InlineFile


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
