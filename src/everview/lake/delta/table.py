"""Delta tables read and committed without a JVM: the embedded format behind the port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from deltalake import DeltaTable
from deltalake import Schema as DeltaSchema
from deltalake.exceptions import DeltaError

from everview.errors import LostHistory, NameTaken
from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.facts.tables import Commit, CommitInfo, Head, Lost, Snapshot, TableChanges, TableShape
from everview.lake.delta.alter import add_delta_columns, set_properties
from everview.lake.delta.changes import read_changes
from everview.lake.delta.commit import NO_HOOKS, make_commit, search_token
from everview.lake.delta.landed import INTERVAL
from everview.lake.delta.load import load
from everview.lake.delta.log import read_entries, versions_in_log
from everview.lake.delta.lower import drop_vectors
from everview.lake.delta.protocol import why_not_mark
from everview.lake.delta.put import why_not_put
from everview.lake.delta.refusals import refuse_file, storage_errors
from everview.lake.delta.snapshot import metadata_of, read_snapshot
from everview.lake.delta.vacuum import vacuum_files
from everview.lake.footers import read_written
from everview.lake.storage import Storage, decoded, is_absolute
from everview.lake.types import check_partition_columns, check_types

_CHECKPOINT_INTERVAL = {INTERVAL: "20"}


class EmbeddedTable:
    """A Delta table at one location; every call reads the log as it is then."""

    def __init__(self, storage: Storage, becomes: TableShape | None = None) -> None:
        self._storage = storage
        self._becomes = becomes

    @property
    def uri(self) -> str:
        return self._storage.uri

    def becoming(self, shape: TableShape) -> EmbeddedTable:
        """The same table for a writer of files that a commit of this shape will add."""
        return EmbeddedTable(self._storage, shape)

    def head(self) -> Head:
        table = load(self._storage)
        metadata = table.metadata()
        features = tuple(sorted(table.protocol().reader_features or ()))
        return Head(str(metadata.id), table.version(), dict(metadata.configuration), features)

    def snapshot(self, version: int) -> Snapshot:
        return read_snapshot(self._storage, version)

    def readable_snapshot(self, version: int, beside: Snapshot | None = None) -> Snapshot:
        """The snapshot if all its files are still there; LostHistory if some were vacuumed. The
        files of a snapshot `beside` it are there.
        """
        snapshot = self.snapshot(version)
        there = frozenset() if beside is None else frozenset(f.path for f in beside.files)
        relative = [
            decoded(f.path)
            for f in snapshot.files
            if f.path not in there and not is_absolute(f.path)
        ]
        if self._storage.missing(relative):
            raise LostHistory(
                f"files of version {version} of {self.uri} were vacuumed",
                remedy="Read a newer version.",
            )
        return snapshot

    def changes(
        self, old: int, new: int, columns: tuple[str, ...] | None = None
    ) -> TableChanges | Lost:
        return read_changes(self._storage, old, new, columns)

    def commit(self, commit: Commit) -> int:
        return make_commit(self._storage, commit)

    def why_not_mark(self) -> str:
        return why_not_mark(load(self._storage)) or why_not_put(self._storage)

    def find_token(self, token: str, since: int) -> int | None:
        return search_token(self._storage, token, since)[1]

    def transaction(self, app_id: str) -> int | None:
        return load(self._storage).transaction_version(app_id)

    def history(self, limit: int | None = None) -> tuple[CommitInfo, ...]:
        return tuple(
            CommitInfo(
                version=entry.version,
                timestamp=entry.timestamp,
                operation=entry.operation,
                metadata=entry.own,
                data_change=entry.data_change,
            )
            for entry in read_entries(self._storage, self._newest_first(limit))
            if entry is not None
        )

    def _newest_first(self, limit: int | None) -> Sequence[int]:
        if limit is None:
            return versions_in_log(self._storage)[::-1]
        head = load(self._storage).version()
        return range(head, max(head - limit, -1), -1)

    def checkpoint(self) -> None:
        load(self._storage).create_checkpoint()

    def vacuum(self, retention_hours: float, *, dry_run: bool) -> tuple[str, ...]:
        return vacuum_files(self._storage, retention_hours, dry_run=dry_run)

    def add_columns(self, new: Schema, base: int, token: str) -> int:
        """Add columns at the end, on top of a version; conflicts are those of a commit."""
        return add_delta_columns(self._storage, new, base, token)

    def set_properties(self, properties: dict[str, str], base: int, token: str) -> int:
        """Set properties, on top of a version; conflicts are those of a commit."""
        return set_properties(self._storage, properties, base, token)

    def drop_vectors(self, base: int, token: str) -> int:
        """Open the table to readers that do not know deletion vectors, once its log names none."""
        return drop_vectors(self._storage, base, token)

    def remove_folder(self, folder: str) -> None:
        """Remove a folder of the table whose files are part of no commit."""
        self._storage.delete_folder(folder)

    def partition_by(self) -> tuple[str, ...]:
        """The partition columns of files to be written."""
        return self._shape()[1]

    def open_file(self, path: str) -> pa.NativeFile:
        return self._storage.open(decoded(path))

    def create_file(self, path: str) -> pa.NativeFile:
        return self._storage.create(path)

    def written(self, folder: str) -> tuple[DataFile, ...]:
        """The Parquet files that a writer left below a folder of the table, from their footers."""
        schema, partition_by = self._shape()
        return read_written(self._storage, folder, schema, partition_by)

    def _shape(self) -> tuple[Schema, tuple[str, ...]]:
        shape = self._becomes or metadata_of(load(self._storage))
        return shape.schema, shape.partition_by


class EmbeddedDelta:
    """The embedded Delta format; `storage_options` are those of the Delta library."""

    def __init__(self, storage_options: Mapping[str, str] | None = None) -> None:
        self._options = dict(storage_options or {})

    def open(self, uri: str) -> EmbeddedTable:
        storage = Storage(uri, self._options)
        refuse_file(storage.uri)
        with storage_errors(storage.uri):
            load(storage)
        return EmbeddedTable(storage)

    def create(
        self, uri: str, schema: Schema, partition_by: tuple[str, ...], properties: dict[str, str]
    ) -> EmbeddedTable:
        check_types(schema)
        check_partition_columns(schema, partition_by)
        storage = Storage(uri, self._options)
        try:
            DeltaTable.create(
                storage.uri,
                DeltaSchema.from_json(schema.to_json()),
                mode="error",
                partition_by=list(partition_by),
                configuration={**_CHECKPOINT_INTERVAL, **properties},
                storage_options=self._options or None,
                raise_if_key_not_exists=False,
                post_commithook_properties=NO_HOOKS,
            )
        except DeltaError as error:
            if "already exists" not in str(error):
                raise
            raise NameTaken(f"there is a table at {storage.uri} already") from error
        return EmbeddedTable(storage)
