"""Removing files that no version within the retention needs: change files and vectors included."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

from everview.lake.delta.live import checkpoint_vectors
from everview.lake.delta.load import load
from everview.lake.delta.log import LogEntry, read_entries, versions_in_log
from everview.lake.delta.vectors import VECTOR_FOLDER, Vector
from everview.lake.storage import Storage, decoded

_HOUR = 3_600_000
_NANOSECONDS = 1_000_000


def vacuum_files(storage: Storage, retention_hours: float, *, dry_run: bool) -> tuple[str, ...]:
    """The paths removed (or that would be), sorted.

    Change files are named by commits, not by snapshots: they go when their commit is older than
    the retention, which is when the files it removed go too. The library knows neither them nor
    deletion vectors.
    """
    table = load(storage)
    listed = table.vacuum(
        retention_hours=math.ceil(retention_hours),
        dry_run=True,
        enforce_retention_duration=False,
        full=True,
    )
    moment = time.time_ns() // _NANOSECONDS - retention_hours * _HOUR
    entries = [e for e in read_entries(storage, versions_in_log(storage)) if e is not None]
    vectors = _vectors_since(storage, table.version(), entries, moment)
    needed = _change_files_since(entries, moment) | vectors
    old = (
        i.path
        for i in storage.list(VECTOR_FOLDER, recursive=True)
        if _is_before(i.mtime_ns, moment)
    )
    candidates = [path for path in dict.fromkeys((*listed, *old)) if path not in needed]
    gone = frozenset(storage.missing(candidates))
    doomed = tuple(sorted(path for path in candidates if path not in gone))
    if not dry_run:
        storage.delete(doomed)
    return doomed


def _is_before(nanoseconds: int | None, moment: float) -> bool:
    return nanoseconds is not None and nanoseconds / _NANOSECONDS <= moment


def _change_files_since(entries: Iterable[LogEntry], moment: float) -> frozenset[str]:
    return frozenset(
        decoded(file["path"])
        for entry in entries
        if entry.timestamp >= moment
        for part in ("minus", "plus")
        for file in entry.own.get(part, ())
    )


def _vectors_since(
    storage: Storage, head: int, entries: list[LogEntry], moment: float
) -> frozenset[str]:
    """The files of the vectors that a version since the moment names: those of the head, and those
    that a later commit took away.
    """
    start = checkpoint_vectors(storage, head)
    live = set(start.live)
    ended = {vector for vector, removed in start.removed if removed >= moment}
    for entry in entries:
        for action in sorted(entry.files, key=lambda a: a.kind == "add"):
            if action.vector is None:
                continue
            named = (decoded(action.file.path), action.vector)
            if action.kind == "remove" and entry.timestamp >= moment:
                ended.add(action.vector)
            if entry.version <= start.version:
                continue
            if action.kind == "add":
                live.add(named)
            else:
                live.discard(named)
    return _files_of(vector for _, vector in live) | _files_of(ended)


def _files_of(vectors: Iterable[Vector]) -> frozenset[str]:
    return frozenset(vector.file for vector in vectors if vector.file is not None)
