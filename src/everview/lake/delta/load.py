"""Opening a Delta table at a version, with the library's errors told apart."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, DeltaProtocolError, TableNotFoundError

from everview.errors import EverviewError, LostHistory, NotATable
from everview.lake.delta.features import check_configuration, check_features
from everview.lake.delta.log import LOG_FOLDER, read_entry, versions_in_log
from everview.lake.delta.opened import OPENED, OpenedLog
from everview.lake.storage import Storage

_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.(?:.*\.)?parquet$")


def load(storage: Storage, version: int | None = None) -> DeltaTable:
    """The table at a version, or at its head: NotATable, UnsupportedFeature, LostHistory.

    The object is shared with other readers; to change the table, load one's own.
    """
    return open_log(storage, version).table


def open_log(storage: Storage, version: int | None = None) -> OpenedLog:
    """The same with what is kept beside it; opened anew only where it is not known yet."""
    if version is None:
        return OPENED.head(storage, load_own)
    return OPENED.at(storage, version, load_own)


def load_own(storage: Storage, version: int | None = None) -> DeltaTable:
    """The same, opened anew for a writer: committing moves the object to the next version."""
    try:
        table = DeltaTable(storage.uri, version=version, storage_options=storage.options or None)
    except (DeltaError, DeltaProtocolError, TableNotFoundError) as error:
        raise _explained(storage, version, error) from error
    protocol = table.protocol()
    check_features(storage.uri, protocol.min_reader_version, protocol.reader_features or ())
    check_configuration(storage.uri, table.metadata().configuration)
    return table


def arrow_table(rows: Any) -> pa.Table:
    """Rows that the library gives; `pa.table` would load pandas to see whether they are its."""
    return pa.RecordBatchReader.from_stream(rows).read_all()


def _explained(storage: Storage, version: int | None, error: Exception) -> Exception:
    """The error to raise in place of the library's."""
    commits = versions_in_log(storage)
    checkpoints = _checkpoints(storage)
    if not commits and not checkpoints:
        return NotATable(f"no Delta log at {storage.uri}/{LOG_FOLDER}")
    refusal = _feature_refusal(storage, commits)
    if refusal is not None:
        return refusal
    if version is not None and not _can_be_built(version, commits, checkpoints):
        return _lost(storage.uri, version, max((*commits, *checkpoints)))
    return error


def _feature_refusal(storage: Storage, commits: tuple[int, ...]) -> EverviewError | None:
    """Why the newest protocol or the newest properties in the log keep us from reading it."""
    protocol, metadata = None, None
    for version in reversed(commits):
        entry = read_entry(storage, version)
        if entry is None:
            continue
        protocol = protocol or entry.protocol
        metadata = metadata or entry.metadata
        if protocol is not None and metadata is not None:
            break
    try:
        if protocol is not None:
            check_features(storage.uri, protocol.reader_version, protocol.features)
        if metadata is not None:
            check_configuration(storage.uri, metadata.configuration)
    except EverviewError as refusal:
        return refusal
    return None


def _checkpoints(storage: Storage) -> frozenset[int]:
    found = (_CHECKPOINT.search(info.path) for info in storage.list(LOG_FOLDER, recursive=False))
    return frozenset(int(match.group(1)) for match in found if match)


def _can_be_built(version: int, commits: tuple[int, ...], checkpoints: frozenset[int]) -> bool:
    present = frozenset(commits)
    start = version
    while start not in checkpoints and start >= 0:
        if start not in present:
            return False
        start -= 1
    return True


def _lost(uri: str, version: int, newest: int) -> LostHistory:
    if version > newest:
        return LostHistory(
            f"{uri} has no version {version}: its newest is {newest}", remedy="See history()."
        )
    return LostHistory(
        f"version {version} of {uri} is gone: its part of the log was cleaned up",
        remedy="delta.logRetentionDuration of the table says how long the log is kept.",
    )
