"""A table of one file whose rows are marked, and what its log says of that."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake

from everview.facts.files import DataFile, Positions
from everview.facts.tables import Commit, Mark
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.reading import bag_of

FEW = Positions([1, 5])
MANY = Positions(range(0, 10_000, 3))


def made(path: Path, rows: int = 10_000, **options: Any) -> EmbeddedTable:
    """Version 0: one file of the numbers from 0."""
    names = pa.array([f"é{i % 7}" for i in range(rows)], pa.string())
    data = {"k": pa.array(range(rows), pa.int64()), "s": names}
    write_deltalake(path, pa.table(data), **options)
    return EmbeddedDelta().open(str(path))


def only_file(table: EmbeddedTable) -> DataFile:
    (file,) = table.snapshot(table.head().version).files
    assert isinstance(file, DataFile)
    return file


def mark(table: EmbeddedTable, rows: Positions, **more: Any) -> int:
    base = table.head().version
    marked = (Mark(only_file(table), rows),)
    return table.commit(Commit(base, "DELETE", uuid.uuid4().hex, marks=marked, **more))


def actions(table: EmbeddedTable, version: int, kind: str) -> list[dict[str, Any]]:
    text = (Path(table.uri) / f"_delta_log/{version:020d}.json").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    return [line[kind] for line in lines if kind in line]


def vector_files(table: EmbeddedTable) -> set[str]:
    return {p.name for p in (Path(table.uri) / "_dv").glob("*")}


def rewrite(table: EmbeddedTable, *, data_change: bool) -> None:
    """The live rows of the table in one new file."""
    base = table.head().version
    snapshot = table.snapshot(base)
    kept = [(eval(k), eval(s)) for (k, s), n in bag_of(snapshot).items() for _ in range(n)]
    folder = f"data/{uuid.uuid4().hex}"
    (Path(table.uri) / folder).mkdir(parents=True)
    data = pa.table({"k": pa.array([k for k, _ in kept], pa.int64()), "s": [s for _, s in kept]})
    pq.write_table(data, Path(table.uri) / folder / "f.parquet")
    adds, removes = table.written(folder), snapshot.files
    table.commit(Commit(base, "OPTIMIZE", uuid.uuid4().hex, adds, removes, data_change=data_change))
