"""Removing files that no version within the retention needs, change files included."""

from __future__ import annotations

import math
import time

from everview.lake.delta.load import load
from everview.lake.delta.log import read_entries, versions_in_log
from everview.lake.storage import Storage, decoded

_HOUR = 3_600_000


def vacuum(storage: Storage, retention_hours: float, *, dry_run: bool) -> tuple[str, ...]:
    """The paths removed (or that would be), sorted.

    Change files are named by commits, not by snapshots: they go when their commit is older than
    the retention, which is when the files it removed go too.
    """
    listed = load(storage).vacuum(
        retention_hours=math.ceil(retention_hours),
        dry_run=True,
        enforce_retention_duration=False,
        full=True,
    )
    needed = _change_files_since(storage, time.time_ns() // 1_000_000 - retention_hours * _HOUR)
    candidates = [path for path in listed if path not in needed]
    gone = frozenset(storage.missing(candidates))
    doomed = tuple(sorted(path for path in candidates if path not in gone))
    if not dry_run:
        storage.delete(doomed)
    return doomed


def _change_files_since(storage: Storage, moment: float) -> frozenset[str]:
    entries = read_entries(storage, versions_in_log(storage))
    return frozenset(
        decoded(file["path"])
        for entry in entries
        if entry is not None and entry.timestamp >= moment
        for part in ("minus", "plus")
        for file in entry.own.get(part, ())
    )
