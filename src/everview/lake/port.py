"""The port that every table format stands behind: what may be asked of a table, as values."""

from __future__ import annotations

from typing import Protocol

from pyarrow import NativeFile

from everview.facts.files import TableFile
from everview.facts.schema import Schema
from everview.facts.tables import Commit, CommitInfo, Head, Lost, Snapshot, TableChanges, TableShape


class LakeTable(Protocol):
    """One table at one location; each call answers by the table as it is then."""

    @property
    def uri(self) -> str: ...

    def head(self) -> Head:
        """The newest version, the table's id and its properties. NotATable if there is none."""
        ...

    def snapshot(self, version: int) -> Snapshot:
        """The table at a version, with the files' statistics and the properties it had then.

        LostHistory if it cannot be built any more.
        """
        ...

    def readable_snapshot(self, version: int, beside: Snapshot | None = None) -> Snapshot:
        """The snapshot if all its files are still there; LostHistory if some were vacuumed. The
        files of a snapshot `beside` it are there.
        """
        ...

    def changes(
        self, old: int, new: int, columns: tuple[str, ...] | None = None
    ) -> TableChanges | Lost:
        """What turns version `old` into version `new` (old <= new), or why that cannot be told.

        Where the table got other columns in between, `columns` are those that matter: if they
        stayed as they were, the changes are told of them (and of the partition columns) alone.
        """
        ...

    def commit(self, commit: Commit) -> int:
        """Make the commit on top of `commit.base` and give its version: rows, transactions and,
        where it has one, the new shape of the table become visible together.

        Every exception of the storage is answered by looking for the token first. CommitConflict
        (another writer was first) and CommitFailed (nobody was) only when it is certain that the
        commit did not land, CommitUnknown when that cannot be known.
        """
        ...

    def add_columns(self, new: Schema, base: int, token: str) -> int:
        """Add columns at the end, on top of a version; conflicts are those of a commit."""
        ...

    def set_properties(self, properties: dict[str, str], base: int, token: str) -> int:
        """Set properties, on top of a version; conflicts are those of a commit."""
        ...

    def becoming(self, shape: TableShape) -> LakeTable:
        """The same table for a writer of files that a commit of this shape will add."""
        ...

    def partition_by(self) -> tuple[str, ...]:
        """The partition columns of files to be written."""
        ...

    def open_file(self, path: str) -> NativeFile:
        """A file of a snapshot, by the path that it has there, to be read."""
        ...

    def create_file(self, path: str) -> NativeFile:
        """A new file below the table's folder, part of no commit yet, to be written."""
        ...

    def written(self, folder: str) -> tuple[TableFile, ...]:
        """The files that a writer left below a folder of the table, ready to commit."""
        ...

    def remove_folder(self, folder: str) -> None:
        """Remove a folder of the table whose files are part of no commit."""
        ...

    def why_not_mark(self) -> str:
        """Why a commit with marks would be refused, so that files are rewritten; "" if it would
        not.
        """
        ...

    def drop_vectors(self, base: int, token: str) -> int:
        """Open the table to readers that do not know deletion vectors, on top of a version;
        UnsupportedFeature says why not yet, conflicts are those of a commit.
        """
        ...

    def find_token(self, token: str, since: int) -> int | None:
        """The version after `since` whose commit carries the token, None if certainly none does.

        CommitUnknown if a commit after `since` cannot be read any more.
        """
        ...

    def transaction(self, app_id: str) -> int | None:
        """The version recorded last for an application id (survives log cleanup), None if never."""
        ...

    def history(self, limit: int | None = None) -> tuple[CommitInfo, ...]:
        """Commits still in the log, newest first."""
        ...

    def checkpoint(self) -> None:
        """Write a checkpoint of the head; never part of a commit."""
        ...

    def vacuum(self, retention_hours: float, *, dry_run: bool) -> tuple[str, ...]:
        """Remove files that no version within the retention names; gives their paths."""
        ...


class Lake(Protocol):
    """A format: opens and creates tables at URIs."""

    def open(self, uri: str) -> LakeTable:
        """The table at a location: NotATable if there is none, UnsupportedFeature by name."""
        ...

    def create(
        self, uri: str, schema: Schema, partition_by: tuple[str, ...], properties: dict[str, str]
    ) -> LakeTable:
        """Create an empty table (version 0); NameTaken if the location already holds one."""
        ...
