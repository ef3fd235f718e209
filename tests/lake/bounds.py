"""Columns of every type with random values, and whether bounds hold for them."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from datetime import UTC
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from everview.facts.files import Bounds, DataFile
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit, TableChanges
from everview.lake.delta.table import EmbeddedDelta
from tests.lake.kits import write_columns

ARROW: dict[str, pa.DataType] = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal(9,2)": pa.decimal128(9, 2),
    "decimal(18,1)": pa.decimal128(18, 1),
    "decimal(38,0)": pa.decimal128(38, 0),
    "decimal(38,10)": pa.decimal128(38, 10),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    biggest = 10**precision - 1
    return st.integers(-biggest, biggest).map(lambda n: Decimal(f"{n}E-{scale}"))


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "byte": st.integers(-(2**7), 2**7 - 1),
    "short": st.integers(-(2**15), 2**15 - 1),
    "integer": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32),
    "double": st.floats(),
    "decimal(9,2)": decimals(9, 2),
    "decimal(18,1)": decimals(18, 1),
    "decimal(38,0)": decimals(38, 0),
    "decimal(38,10)": decimals(38, 10),
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=90),
    "boolean": st.booleans(),
    "date": st.dates(),
    "timestamp": st.datetimes(timezones=st.just(UTC)),
    "timestamp_ntz": st.datetimes(),
}
FLOATS = ("float", "double")


def key(value: Any) -> Any:
    """Spark's order: NaN is the largest of floats."""
    return (math.isnan(value), value) if isinstance(value, float) else value


def holds(bounds: Bounds, values: list[Any]) -> bool:
    """No value lies outside the bounds, and the NULLs are as many as they say."""
    known = [key(v) for v in values if v is not None]
    return (
        all(bounds.low is None or key(bounds.low) <= v for v in known)
        and all(bounds.high is None or v <= key(bounds.high) for v in known)
        and bounds.nulls in (None, len(values) - len(known))
    )


def column(values: list[Any], type_: str) -> pa.Table:
    return pa.table({"c": pa.array(values, ARROW[type_])})


def committed(root: Path, data: pa.Table, type_: str) -> tuple[DataFile, DataFile]:
    """The file as its footer describes it, and as the log gives it back."""
    table = EmbeddedDelta().create(str(root), Schema((Field("c", type_),)), (), {})
    write_columns(root, "data/x/part=rows", data)
    (written,) = table.written("data/x/part=rows")
    table.commit(Commit(0, "INSERT", "t", adds=(written,)))
    (logged,) = table.snapshot(1).files
    assert isinstance(logged, DataFile)
    return written, logged


def appended(root: Path) -> TableChanges:
    """The changes from version 0 to 1."""
    changes = EmbeddedDelta().open(str(root)).changes(0, 1)
    assert isinstance(changes, TableChanges)
    return changes


def in_a_folder(check: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory() as root:
        check(Path(root))
