"""What turns one version into another: the cheapest source of each commit, summed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from deltalake import DeltaTable

from everview.errors import LostHistory
from everview.facts.files import NO_ROWS, ChangeFile, DataFile, Positions, Sign, TableFile
from everview.facts.schema import Schema
from everview.facts.tables import Lost, TableChanges
from everview.lake.delta.load import load
from everview.lake.delta.log import FileAction, LogEntry, Metadata, read_entries
from everview.lake.delta.partitions import shaped
from everview.lake.delta.snapshot import metadata_of, read_files, stored_files
from everview.lake.delta.stats import bounds_from_stats
from everview.lake.delta.vectors import Vector, read_vector
from everview.lake.differences import file_difference
from everview.lake.shapes import common_columns
from everview.lake.storage import Storage, decoded, in_threads, is_absolute
from everview.lake.summed import (
    APPENDED,
    CHANGE_FILES,
    DIFFERENCE,
    FEED,
    NO_DATA_CHANGE,
    VECTORS,
    Summed,
)

# An UPDATE by this writer (seen up to 1.6.6) leaves a new row out of the feed if the file holds an
# equal one already.
_BAD_FEEDS = "delta-rs"


def read_changes(
    storage: Storage, old: int, new: int, columns: tuple[str, ...] | None = None
) -> TableChanges | Lost:
    """The changes from `old` to `new`; Lost where the log or the files of it are gone."""
    if old > new:
        return Lost(
            f"version {old} is newer than version {new}: the table was put back or made again"
        )
    try:
        found = _read(storage, old, new, columns)
        return found if columns is None or isinstance(found, Lost) else _bounded_by(found, columns)
    except LostHistory as lost:
        return Lost(f"{lost.what}. {lost.remedy}".removesuffix(" ").removesuffix("."))


def _read(
    storage: Storage, old: int, new: int, columns: tuple[str, ...] | None
) -> TableChanges | Lost:
    end = load(storage, new)
    shape = metadata_of(end)
    entries = read_entries(storage, range(old + 1, new + 1))
    known = [entry for entry in entries if entry is not None]
    if len(known) == len(entries) and not _needs_both_ends(known, shape):
        schema = _common(_shapes_within(storage, old, known), shape, columns)
        if not isinstance(schema, Lost):
            total = _by_commit(storage, old, known, replace(shape, schema=schema))
            files = () if total is None else total.files
            if total is not None and total.is_single and not _missing(storage, files):
                return TableChanges(shape.id, storage.uri, old, new, schema, files, total.ways)
    return _between_ends(storage, old, end, columns)


def _bounded_by(changes: TableChanges, columns: tuple[str, ...]) -> TableChanges:
    """With bounds of these columns alone: those of others may be of several types."""
    files = tuple(replace(c, file=_with_bounds(c.file, columns)) for c in changes.files)
    return replace(changes, files=files)


def _with_bounds(file: TableFile, names: tuple[str, ...]) -> TableFile:
    if not isinstance(file, DataFile):
        return file
    return replace(file, bounds=tuple(b for b in file.bounds if b[0] in names))


def _needs_both_ends(entries: list[LogEntry], shape: Metadata) -> bool:
    """Removes without partition values are told only by the file lists."""
    actions = [action for entry in entries for action in entry.files]
    return bool(shape.partition_by) and any(not action.complete for action in actions)


def _by_commit(
    storage: Storage, old: int, entries: list[LogEntry], shape: Metadata
) -> Summed | None:
    """The sum of the commits; None if a vector that one of them names is gone."""
    known = _described(storage, old, entries, shape)
    try:
        deleted = _deleted_rows(storage, entries)
    except LostHistory:
        return None
    total = Summed()
    for entry in entries:
        way = _way(entry)
        total.count(way)
        if way == CHANGE_FILES:
            total.give(_own_files(entry.own, "minus", shape.schema), Sign.MINUS)
            total.give(_own_files(entry.own, "plus", shape.schema), Sign.PLUS)
        elif way == FEED:
            total.give((shaped(a.file, shape) for a in entry.of_kind("cdc")), Sign.FEED)
        elif way != NO_DATA_CHANGE:
            for action in (*entry.of_kind("remove"), *entry.of_kind("add")):
                file = known.get(action.file.path) or _bounded(action, shape)
                rows = NO_ROWS if action.vector is None else deleted[action.vector]
                total.add(file, 1 if action.kind == "add" else -1, rows)
    return total


def _deleted_rows(storage: Storage, entries: list[LogEntry]) -> dict[Vector, Positions]:
    """What the vectors hold that commits name which are told by their files."""
    told = (entry for entry in entries if _way(entry) in (VECTORS, DIFFERENCE, APPENDED))
    named = {action.vector for entry in told for action in entry.files if action.vector is not None}
    vectors = tuple(named)
    return dict(zip(vectors, in_threads(lambda v: read_vector(storage, v), vectors), strict=True))


def _way(entry: LogEntry) -> str:
    """How the changes of one commit are read: the cheapest that it allows."""
    if not entry.data_change:
        return NO_DATA_CHANGE
    if entry.own.get("has_change_files"):
        return CHANGE_FILES
    if entry.of_kind("cdc") and _BAD_FEEDS not in entry.engine:
        return FEED
    removed = {action.file.path for action in entry.of_kind("remove")}
    if any(action.file.path in removed for action in entry.of_kind("add")):
        return VECTORS
    return DIFFERENCE if removed else APPENDED


def _bounded(action: FileAction, shape: Metadata) -> DataFile:
    bounds = bounds_from_stats(action.stats, shape.schema)
    return replace(shaped(action.file, shape), bounds=bounds)


def _own_files(own: Mapping[str, Any], part: str, schema: Schema) -> Iterator[DataFile]:
    """The change files of a commit of ours; those of older ones have no statistics."""
    for file in own.get(part, ()):
        partition = tuple((name, value) for name, value in file["partition"])
        bounds = bounds_from_stats(file.get("stats"), schema)
        yield DataFile(file["path"], file["size"], file["rows"], partition, bounds)


def _described(
    storage: Storage, old: int, entries: list[LogEntry], shape: Metadata
) -> Mapping[str, DataFile]:
    """Row counts and bounds of removed files: the commit that added them knows, or the older
    snapshot, if it is there.
    """
    ended = (e for e in entries if _way(e) in (DIFFERENCE, VECTORS))
    removes = (action for entry in ended for action in entry.of_kind("remove"))
    paths = {action.file.path for action in removes if action.file.rows is None}
    adds = (action for entry in entries for action in entry.of_kind("add"))
    added = {a.file.path: _bounded(a, shape) for a in adds if a.file.path in paths}
    unknown = paths - added.keys()
    if not unknown:
        return added
    try:
        found = stored_files(load(storage, old), frozenset(unknown))
    except LostHistory:
        return added
    return {**added, **{file.path: file for file in found}}


def _between_ends(
    storage: Storage, old: int, end: DeltaTable, columns: tuple[str, ...] | None
) -> TableChanges | Lost:
    """By the file lists of both ends: the way that needs none of the commits in between."""
    begin = load(storage, old)
    after = metadata_of(end)
    schema = _common([(old, metadata_of(begin))], after, columns)
    if isinstance(schema, Lost):
        return schema
    files = file_difference(read_files(begin), read_files(end))
    missing = _missing(storage, files)
    if missing:
        return Lost(
            f"files of the changes since version {old} were vacuumed, {missing[0]} for one; "
            f"delta.deletedFileRetentionDuration of the table says how long they are kept"
        )
    ways = ((DIFFERENCE, end.version() - old),)
    return TableChanges(after.id, storage.uri, old, end.version(), schema, files, ways)


def _shapes_within(
    storage: Storage, old: int, entries: list[LogEntry]
) -> list[tuple[int, Metadata]]:
    """The shapes that rows of the range may have. Without a metaData action all have the last."""
    inside = [(entry.version, entry.metadata) for entry in entries if entry.metadata is not None]
    return [(old, metadata_of(load(storage, old))), *inside] if inside else []


def _common(
    older: list[tuple[int, Metadata]], newest: Metadata, columns: tuple[str, ...] | None
) -> Schema | Lost:
    for version, before in older:
        if before.id != newest.id:
            return Lost(
                f"the table was replaced after version {version}: its id was {before.id}, "
                f"is {newest.id}"
            )
    return common_columns(older, newest, columns)


def _missing(storage: Storage, files: Iterable[ChangeFile]) -> tuple[str, ...]:
    """Files that were vacuumed, so that the loss is told now and not inside a running task."""
    paths = (change.file.path for change in files)
    return storage.missing(decoded(path) for path in paths if not is_absolute(path))
