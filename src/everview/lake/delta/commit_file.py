"""The commit file of a new shape, written by us: the Delta library cannot change the properties
of a table together with its rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from deltalake import DeltaTable

from everview.errors import UnsupportedFeature
from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.facts.tables import Commit, TableShape
from everview.lake.delta.actions import data_files, milliseconds_now, user_metadata
from everview.lake.delta.log import LOG
from everview.lake.delta.put import put_if_absent
from everview.lake.delta.snapshot import read_files
from everview.lake.delta.stats import stats_json
from everview.lake.storage import Storage
from everview.lake.types import check_partition_columns, check_types
from everview.version import VERSION

Action = dict[str, Any]

# What a writer must honour and we do: rows are never checked against constraints here.
_WRITABLE = frozenset(
    {"appendOnly", "invariants", "timestampNtz", "deletionVectors", "changeDataFeed"}
)
_NEWEST_WITHOUT_FEATURES = 2
_WITH_FEATURES = (3, 7)  # reader and writer versions that list features by name
_NTZ = "timestampNtz"


def check_reshape(table: DeltaTable, commit: Commit, shape: TableShape) -> None:
    """Raise what forbids the commit, before anything is tried."""
    check_types(shape.schema)
    check_partition_columns(shape.schema, shape.partition_by)
    removed = {file.path for file in data_files(commit.removes)}
    kept = [file.path for file in read_files(table) if file.path not in removed]
    if kept:
        raise ValueError(f"a new shape for a table that keeps files of the old one: {kept[0]}")
    protocol = table.protocol()
    features = set(protocol.writer_features or ())
    is_legacy = protocol.min_writer_version <= _NEWEST_WITHOUT_FEATURES
    is_listed = protocol.min_writer_version == _WITH_FEATURES[1] and features <= _WRITABLE
    if not is_legacy and not is_listed:
        unknown = ", ".join(sorted(features - _WRITABLE)) or str(protocol.min_writer_version)
        raise UnsupportedFeature(
            f"the table at {table.table_uri} asks its writers for {unknown}",
            remedy="Another writer asked for that: drop the view and create it again.",
        )
    if removed and table.metadata().configuration.get("delta.appendOnly") == "true":
        raise UnsupportedFeature(
            f"the table at {table.table_uri} is append-only (delta.appendOnly = true)",
            remedy="Another writer set that property: take it away, or create the view again.",
        )


def write_commit_file(
    storage: Storage, table: DeltaTable, commit: Commit, shape: TableShape
) -> None:
    """Put the commit file of the version after the base; it must not be there yet."""
    lines = [json.dumps(action) for action in _actions(table, commit, shape)]
    path = f"{LOG}/{commit.base + 1:020d}.json"
    put_if_absent(storage, path, ("\n".join(lines) + "\n").encode("utf-8"))


def _actions(table: DeltaTable, commit: Commit, shape: TableShape) -> Iterator[Action]:
    now = milliseconds_now()
    yield {
        "commitInfo": {
            "timestamp": now,
            "operation": "WRITE",
            "operationParameters": {"mode": "Overwrite"},
            "engineInfo": f"everview/{VERSION}",
            "userMetadata": user_metadata(commit, shape.schema),
        }
    }
    yield from _protocol(table, shape.schema)
    yield {"metaData": _metadata(table, shape)}
    for app, version in commit.transactions:
        yield {"txn": {"appId": app, "version": version, "lastUpdated": now}}
    for file in data_files(commit.removes):
        yield {"remove": _file(file, commit, deletionTimestamp=now, extendedFileMetadata=True)}
    for file in data_files(commit.adds):
        stats = stats_json(file, shape.schema)
        yield {"add": _file(file, commit, modificationTime=now, stats=stats)}


def _file(file: DataFile, commit: Commit, **more: object) -> Action:
    partition = {name: value or None for name, value in file.partition}
    return {
        "path": file.path,
        "partitionValues": partition,
        "size": file.size,
        "dataChange": commit.data_change,
        **more,
    }


def _metadata(table: DeltaTable, shape: TableShape) -> Action:
    """The table's own metadata, its id above all, with the new shape."""
    before = table.metadata()
    return {
        "id": str(before.id),
        "name": before.name,
        "description": before.description,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": shape.schema.to_json(),
        "partitionColumns": list(shape.partition_by),
        "createdTime": before.created_time,
        "configuration": {**before.configuration, **shape.properties},
    }


def _protocol(table: DeltaTable, schema: Schema) -> Iterator[Action]:
    """A protocol action if the columns need one: timestamps without time zone are a feature."""
    protocol = table.protocol()
    if "timestamp_ntz" not in schema.to_json() or _NTZ in (protocol.writer_features or ()):
        return
    reader, writer = _WITH_FEATURES
    read, written = protocol.reader_features or (), protocol.writer_features or ()
    # The older protocol asked every writer for these two without naming them.
    legacy = () if protocol.min_writer_version == writer else ("appendOnly", "invariants")
    yield {
        "protocol": {
            "minReaderVersion": reader,
            "minWriterVersion": writer,
            "readerFeatures": _sorted((*read, _NTZ)),
            "writerFeatures": _sorted((*written, *legacy, _NTZ)),
        }
    }


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(set(names))
