"""Stored rows that are wrong and that no log tells of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import everview as ev


def tamper(view: ev.View, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Write the view's files anew in place, with changed rows and no word in the log."""
    table = view._world.open(view._entry)
    for file in table.snapshot(table.head().version).files:
        path = Path(view.path) / file.path
        rows = pq.read_table(path, partitioning=None)
        changed = [change(row) for row in rows.to_pylist()]
        pq.write_table(pa.Table.from_pylist(changed, rows.schema), path)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def tamper_rows(
    folder: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]], pattern: str
) -> int:
    """Write files below a folder anew in place, with other rows; gives how many there were."""
    paths = sorted(Path(folder).glob(pattern))
    for path in paths:
        rows = pq.read_table(path, partitioning=None)
        pq.write_table(pa.Table.from_pylist(change(rows.to_pylist()), rows.schema), path)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    return len(paths)
