"""The lakes under the contract, with what the tests do to them from outside."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from everview.facts.files import InlineFile, TableFile
from everview.facts.schema import Field, Schema
from everview.lake.delta import commit
from everview.lake.delta.table import EmbeddedDelta
from everview.lake.port import LakeTable
from tests.lake.memory import MemoryLake, MemoryTable

SCHEMA = Schema((Field("k", "long"), Field("s", "string")))
ARROW = pa.schema([("k", pa.int64()), ("s", pa.string())])

Rows = list[tuple[Any, ...]]


class StorageBroken(Exception):
    """What an unreachable storage raises."""


class DeltaKit:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.lake = EmbeddedDelta()

    def uri(self, name: str = "t") -> str:
        return str(self.root / name)

    def write_rows(self, table: LakeTable, rows: Rows) -> TableFile:
        folder = f"data/{uuid.uuid4().hex}/part=rows"
        return write_parquet(Path(table.uri), folder, rows)

    def leave_rows(self, table: LakeTable, folder: str, rows: Rows) -> None:
        """What a writer does: leave rows in a folder of the table."""
        write_parquet(Path(table.uri), folder, rows)

    def drop(self, uri: str) -> None:
        shutil.rmtree(uri)

    def clean_log(self, table: LakeTable) -> None:
        """A checkpoint of the head, and the commit files up to it gone."""
        table.checkpoint()
        head = table.head().version
        for version in range(head + 1):
            (Path(table.uri) / f"_delta_log/{version:020d}.json").unlink(missing_ok=True)

    def lose_acknowledgement(self, patch: pytest.MonkeyPatch) -> None:
        """The next commits land, and their calls raise."""
        land = commit._write

        def landed(*args: Any) -> None:
            land(*args)
            raise StorageBroken("no answer")

        patch.setattr(commit, "_write", landed)

    def break_storage(self, patch: pytest.MonkeyPatch) -> None:
        """The next commits do not land, and their calls raise."""

        def broken(*args: Any) -> None:
            raise StorageBroken("no way")

        patch.setattr(commit, "_write", broken)


class MemoryKit:
    def __init__(self) -> None:
        self.lake = MemoryLake()

    def uri(self, name: str = "t") -> str:
        return f"memory:/{name}"

    def write_rows(self, table: LakeTable, rows: Rows) -> TableFile:
        return InlineFile(uuid.uuid4().hex, SCHEMA.names, tuple(rows))

    def leave_rows(self, table: LakeTable, folder: str, rows: Rows) -> None:
        assert isinstance(table, MemoryTable)
        table.leave(folder, InlineFile(uuid.uuid4().hex, SCHEMA.names, tuple(rows)))

    def drop(self, uri: str) -> None:
        self.lake.drop(uri)

    def clean_log(self, table: LakeTable) -> None:
        assert isinstance(table, MemoryTable)
        table.forget(table.head().version)

    def lose_acknowledgement(self, patch: pytest.MonkeyPatch) -> None:
        land = MemoryTable._land

        def landed(table: MemoryTable, *args: Any) -> None:
            land(table, *args)
            raise StorageBroken("no answer")

        patch.setattr(MemoryTable, "_land", landed)

    def break_storage(self, patch: pytest.MonkeyPatch) -> None:
        def broken(table: MemoryTable, *args: Any) -> None:
            raise StorageBroken("no way")

        patch.setattr(MemoryTable, "_land", broken)


Kit = DeltaKit | MemoryKit


def write_parquet(root: Path, folder: str, rows: Rows) -> TableFile:
    """A file of the usual two columns below a folder of a Delta table, ready to commit."""
    columns = dict(zip(SCHEMA.names, zip(*rows, strict=True), strict=True))
    write_columns(root, folder, pa.table({n: pa.array(c) for n, c in columns.items()}).cast(ARROW))
    (file,) = EmbeddedDelta().open(str(root)).written(folder)
    return file


def write_columns(root: Path, folder: str, table: pa.Table) -> None:
    target = root / folder
    target.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, target / f"part-{uuid.uuid4().hex}.parquet")
