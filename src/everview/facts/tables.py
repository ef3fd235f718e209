"""What the lake says of a table: head, snapshot, changes, commits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from everview.facts.files import ChangeFile, Positions, Sign, TableFile
from everview.facts.schema import Schema


@dataclass(frozen=True, slots=True)
class Head:
    """A table now. `id` is the table's own id: a table dropped and made again has another.
    `reader_features` are what it asks its readers to know, by name.
    """

    id: str
    version: int
    properties: Mapping[str, str] = field(default_factory=dict)
    reader_features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one version."""

    table_id: str
    uri: str
    version: int
    schema: Schema
    partition_by: tuple[str, ...]
    files: tuple[TableFile, ...]
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int | None:
        counts = [f.rows for f in self.files]
        return None if any(c is None for c in counts) else sum(c for c in counts if c is not None)

    @property
    def bytes(self) -> int:
        return sum(f.size for f in self.files)


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The files whose signed rows turn the table at `old` into the table at `new` (gross: rows
    may cancel).

    `ways` counts the commits per way of reading: "change files", "appended files", "change data
    feed", "deletion vectors", "file difference", "no data change".
    """

    table_id: str
    uri: str
    old: int
    new: int
    schema: Schema
    files: tuple[ChangeFile, ...]
    ways: tuple[tuple[str, int], ...] = ()

    @property
    def empty(self) -> bool:
        return not self.files

    @property
    def insert_only(self) -> bool:
        return all(f.sign is Sign.PLUS for f in self.files)

    @property
    def delete_only(self) -> bool:
        return all(f.sign is Sign.MINUS for f in self.files)

    @property
    def rows(self) -> int | None:
        counts = [f.file.rows for f in self.files]
        return None if any(c is None for c in counts) else sum(c for c in counts if c is not None)

    @property
    def bytes(self) -> int:
        return sum(f.file.size for f in self.files)


@dataclass(frozen=True, slots=True)
class Lost:
    """The changes cannot be told any more, and why; the answer is a full recompute."""

    reason: str


@dataclass(frozen=True, slots=True)
class TableShape:
    """Columns, partition columns and properties of a table."""

    schema: Schema
    partition_by: tuple[str, ...]
    properties: Mapping[str, str]


MARKS_PROPERTY = "delta.enableDeletionVectors"
"""The property that the first commit with marks sets on its table."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Rows of a stored file, by their index in it, that a commit deletes while the file stays.

    Rows that were deleted before may be among them; a file without any row left is removed.
    """

    file: TableFile
    rows: Positions


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit to be made on top of `base`: all of it or nothing, and only if `base` is still
    the head.

    `transactions` are Delta `txn` actions, (appId, version). `metadata` is one JSON value for
    the commit's user metadata. `minus` and `plus` are the change files (never part of a
    snapshot), named in the metadata. `marks` are rows deleted in files that stay; they tell what
    they change themselves, without change files. `shape` is what the table becomes, None if it
    stays as it is: every file before it is then among the removes, the table keeps its id, and
    properties that the shape does not name stay.
    """

    base: int
    operation: str
    token: str
    adds: tuple[TableFile, ...] = ()
    removes: tuple[TableFile, ...] = ()
    minus: tuple[TableFile, ...] = ()
    plus: tuple[TableFile, ...] = ()
    has_change_files: bool = False
    data_change: bool = True
    transactions: tuple[tuple[str, int], ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    shape: TableShape | None = None
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """One line of a table's history, newest first in lists."""

    version: int
    timestamp: int  # milliseconds since the epoch
    operation: str
    metadata: Mapping[str, Any]  # our own JSON, {} for a foreign commit
    data_change: bool
