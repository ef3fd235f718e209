"""Which queries read so few rows that no code is generated for them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from everview.algebra.relations import At, Local, Scan
from everview.algebra.scalars import Column
from everview.facts.schema import Field, Schema
from everview.run.rows import frames
from everview.run.rows.fetched import Fetched
from everview.run.rows.frames import Frames
from everview.spark.engine import Engine

COLUMNS = (Column(1, "c"),)


def held(*numbers: int) -> Frames:
    """Frames with so many rows at hand under the names a, b, and so on."""
    schema = Schema((Field("c", "long"),))
    tables = [pa.table({"c": pa.array(range(n), pa.int64())}) for n in numbers]
    local = {n: Fetched(schema, t, Engine(None)) for n, t in zip("ab", tables, strict=False)}
    unused: Any = None
    return Frames(Engine(None), unused, "view", local=local)


def test_rows_at_hand_are_few_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_EVALUATED", 5)
    a, b = Local("a", COLUMNS, weighted=True), Local("b", COLUMNS, weighted=True)
    assert held(2, 3).are_few([a, b])
    assert not held(2, 4).are_few([a, b])
    assert held(2, 4).are_few([a])


def test_what_spark_reads_is_not_few() -> None:
    a, table = Local("a", COLUMNS, weighted=True), Scan("t", At.NEW, COLUMNS)
    assert not held(2).are_few([a, table])
