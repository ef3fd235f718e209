"""The commit files that we write ourselves: the Delta library can change neither the properties of
a table together with its rows, nor the deletion vectors of its files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from deltalake import DeltaTable

from everview.errors import UnsupportedFeature
from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.facts.tables import Commit, TableShape
from everview.lake.delta.actions import Action, data_files, milliseconds_now, user_metadata
from everview.lake.delta.live import live_adds
from everview.lake.delta.log import LOG_FOLDER
from everview.lake.delta.marks import mark_actions, marked_files, remove_action
from everview.lake.delta.protocol import (
    ENABLED,
    NTZ,
    VECTORS_FEATURE,
    has_vectors,
    raised,
    why_not_mark,
    why_not_write,
    writer_features,
)
from everview.lake.delta.put import put_if_absent
from everview.lake.delta.snapshot import metadata_of, read_files
from everview.lake.delta.stats import stats_json
from everview.lake.storage import Storage, decoded
from everview.lake.types import check_partition_columns, check_types
from everview.version import VERSION

_RESHAPABLE = frozenset({"appendOnly", "invariants", NTZ, VECTORS_FEATURE, "changeDataFeed"})


def needs_commit_file(table: DeltaTable, commit: Commit) -> bool:
    """Whether the Delta library cannot write the commit: it can neither change the shape of a
    table nor mark rows, and a file that it removes without naming its vector stays.
    """
    is_changed = commit.shape is not None or bool(commit.marks)
    return is_changed or (bool(commit.removes) and has_vectors(table))


def check_commit(table: DeltaTable, commit: Commit) -> None:
    """Raise what forbids a commit file of our own, before anything is tried."""
    if commit.shape is not None:
        _check_reshape(table, commit, commit.shape)
        return
    deletes = commit.data_change
    why = why_not_mark(table) if commit.marks else why_not_write(table, deletes=deletes)
    if why:
        raise UnsupportedFeature(why, remedy="Let the writer that asked for it change the table.")


def _check_reshape(table: DeltaTable, commit: Commit, shape: TableShape) -> None:
    check_types(shape.schema)
    check_partition_columns(shape.schema, shape.partition_by)
    removed = {file.path for file in data_files(commit.removes)}
    kept = [file.path for file in read_files(table) if file.path not in removed]
    if kept:
        raise ValueError(f"a new shape for a table that keeps files of the old one: {kept[0]}")
    remedy = "Another writer asked for that: drop the view and create it again."
    unknown = sorted(writer_features(table) - _RESHAPABLE)
    if unknown:
        raise UnsupportedFeature(
            f"the table at {table.table_uri} asks its writers for {', '.join(unknown)}",
            remedy=remedy,
        )
    why = why_not_write(table, deletes=bool(removed))
    if why:
        raise UnsupportedFeature(why, remedy=remedy)


def write_commit_file(storage: Storage, table: DeltaTable, commit: Commit) -> None:
    """Put the commit file of the version after the base; it must not be there yet."""
    put_actions(storage, commit.base + 1, _actions(storage, table, commit))


def put_actions(storage: Storage, version: int, actions: Iterable[Action]) -> None:
    """Put the commit file of a version; it must not be there yet."""
    lines = [json.dumps(action) for action in actions]
    path = f"{LOG_FOLDER}/{version:020d}.json"
    put_if_absent(storage, path, ("\n".join(lines) + "\n").encode("utf-8"))


def _actions(storage: Storage, table: DeltaTable, commit: Commit) -> Iterator[Action]:
    now = milliseconds_now()
    shape = commit.shape or _shape_of(table)
    yield commit_info(commit, shape.schema, now)
    live = _live(storage, commit)
    marked = marked_files(storage, commit, live)
    yield from _shaping(table, commit, marks=bool(marked))
    for app, version in commit.transactions:
        yield {"txn": {"appId": app, "version": version, "lastUpdated": now}}
    for file in data_files(commit.removes):
        yield remove_action(live[decoded(file.path)], now, data_change=commit.data_change)
    yield from mark_actions(storage, marked, now)
    for file in data_files(commit.adds):
        stats = stats_json(file, shape.schema)
        yield {"add": _file(file, commit, modificationTime=now, stats=stats)}


def _live(storage: Storage, commit: Commit) -> dict[str, Action]:
    """The add actions of the files that the commit removes or marks."""
    ended = data_files((*commit.removes, *(mark.file for mark in commit.marks)))
    paths = [file.path for file in ended]
    live = live_adds(storage, commit.base, paths)
    lost = [path for path in paths if decoded(path) not in live]
    if lost:
        raise ValueError(f"version {commit.base} of {storage.uri} has no file {lost[0]}")
    return live


def commit_info(commit: Commit, schema: Schema, now: int) -> Action:
    """Who made the commit, when and with which user metadata."""
    told = {"mode": "Overwrite"} if commit.shape is not None else {"mode": "Append"}
    return {
        "commitInfo": {
            "timestamp": now,
            "operation": "WRITE",
            "operationParameters": told,
            "engineInfo": f"everview/{VERSION}",
            "userMetadata": user_metadata(commit, schema),
        }
    }


def _file(file: DataFile, commit: Commit, **more: object) -> Action:
    partition = {name: value or None for name, value in file.partition}
    return {
        "path": file.path,
        "partitionValues": partition,
        "size": file.size,
        "dataChange": commit.data_change,
        **more,
    }


def _shaping(table: DeltaTable, commit: Commit, *, marks: bool) -> Iterator[Action]:
    """Protocol and metadata where the commit changes them: a new shape, or the first vectors."""
    if commit.shape is not None:
        is_zoneless = "timestamp_ntz" in commit.shape.schema.to_json()
        yield from raised(table, [NTZ] if is_zoneless else [])
        properties = {**table.metadata().configuration, **commit.shape.properties}
        text = commit.shape.schema.to_json()
        yield _metadata(table, text, commit.shape.partition_by, properties)
    elif marks:
        yield from raised(table, [VECTORS_FEATURE])
        if table.metadata().configuration.get(ENABLED) != "true":
            yield with_properties(table, {**table.metadata().configuration, ENABLED: "true"})


def _shape_of(table: DeltaTable) -> TableShape:
    known = metadata_of(table)
    return TableShape(known.schema, known.partition_by, {})


def with_properties(table: DeltaTable, properties: Mapping[str, str]) -> Action:
    """The metaData action of a table that gets other properties alone. Its schema stays as it is
    written: it may say more of a column than we read.
    """
    partition_by = tuple(table.metadata().partition_columns)
    return _metadata(table, table.schema().to_json(), partition_by, properties)


def _metadata(
    table: DeltaTable, schema: str, partition_by: tuple[str, ...], properties: Mapping[str, str]
) -> Action:
    """The table's own metadata, its id above all."""
    before = table.metadata()
    return {
        "metaData": {
            "id": str(before.id),
            "name": before.name,
            "description": before.description,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema,
            "partitionColumns": list(partition_by),
            "createdTime": before.created_time,
            "configuration": dict(properties),
        }
    }
