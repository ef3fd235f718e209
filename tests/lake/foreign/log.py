"""Rows of another writer, and its log edited by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

from everview.lake.delta.table import EmbeddedTable
from tests.lake.reading import check_changes


def rows(*pairs: tuple[int | None, str | None]) -> pa.Table:
    schema = pa.schema([("k", pa.int64()), ("s", pa.string())])
    return pa.Table.from_pylist([{"k": k, "s": s} for k, s in pairs], schema)


def ways(table: EmbeddedTable, old: int, new: int) -> set[str]:
    return {way for way, _ in check_changes(table, old, new).ways}


def edit(place: Path, version: int, kind: str, **values: Any) -> None:
    """Rewrite one action of a commit file."""
    path = place / f"_delta_log/{version:020d}.json"
    actions = [json.loads(line) for line in path.read_text().splitlines() if line]
    for action in actions:
        if kind in action:
            action[kind].update(values)
    path.write_text("\n".join(json.dumps(action) for action in actions))


def clean_log(place: Path, upto: int) -> None:
    """A checkpoint, and the commit files before it gone, as a log cleanup leaves them."""
    DeltaTable(place, version=upto).create_checkpoint()
    for version in range(upto):
        (place / f"_delta_log/{version:020d}.json").unlink(missing_ok=True)
