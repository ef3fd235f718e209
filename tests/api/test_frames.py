"""Rows come as DataFrames of Spark or pandas, as Arrow tables, or as frames that speak Arrow."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import everview as ev
from everview.errors import InvalidArgument, SchemaMismatch
from everview.run.rows.given import given_frame
from tests.api.bags import bag, refused


class Speaking:
    """A frame of a library that Everview does not know: it has the Arrow interface."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


COLUMNS = {"id": [1, 2], "city": ["Bern", None], "amount": [10, 20]}
KINDS = {
    "pandas": lambda columns: pd.DataFrame(columns).astype({"city": "object"}),
    "arrow": pa.table,
    "batches": lambda columns: pa.RecordBatchReader.from_batches(
        pa.table(columns).schema, pa.table(columns).to_batches()
    ),
    "another": lambda columns: Speaking(pa.table(columns)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_any_frame(wh: ev.Warehouse, kind: str) -> None:
    def rows(**columns: list[Any]) -> Any:
        return KINDS[kind]({**COLUMNS, **columns})

    t = wh.create_table("t", rows(), primary_key="id")
    assert bag(t.to_df()) == bag([(1, "Bern", 10), (2, None, 20)])
    t.append(rows(id=[3, 4]), token="x")
    t.append(rows(id=[3, 4]), token="x")
    t.merge(rows(id=[4, 5], amount=[0, 0]), on="id")
    expected = [(1, "Bern", 10), (2, None, 20), (3, "Bern", 10), (4, "Bern", 0), (5, None, 0)]
    assert bag(t.to_df()) == bag(expected)
    t.overwrite(rows())
    assert bag(t.to_df()) == bag([(1, "Bern", 10), (2, None, 20)])
    with refused(SchemaMismatch, "amount missing"):
        t.append(KINDS[kind]({"id": [9], "city": ["x"]}))


def test_types_that_spark_lacks_are_widened(wh: ev.Warehouse) -> None:
    moment = dt.datetime(2024, 2, 3, 4, 5, 6)
    table = pa.table(
        {
            "u": pa.array([2**64 - 1], pa.uint64()),
            "s": pa.array(["x"], pa.string_view()),
            "d": pa.array(["y"]).dictionary_encode(),
            "l": pa.array([["z"]], pa.large_list(pa.large_string())),
            "t": pa.array([moment], pa.timestamp("ns")),
            "m": pa.array([[("k", 1)]], pa.map_(pa.large_string(), pa.uint8())),
        }
    )
    t = wh.create_table(
        "t",
        "u DECIMAL(20,0), s STRING, d STRING, l ARRAY<STRING>, "
        "t TIMESTAMP_NTZ, m MAP<STRING, SMALLINT>",
    )
    t.append(Speaking(table))
    assert [tuple(r) for r in t.to_df().collect()] == [
        (Decimal(2**64 - 1), "x", "y", ["z"], moment, {"k": 1})
    ]
    made = wh.create_table("made", table)
    assert dict(made.to_df().dtypes)["t"] == "timestamp"


def test_frames_without_rows(wh: ev.Warehouse) -> None:
    t = wh.create_table("t", pa.table({"a": pa.array([], pa.int64())}))
    t.append(pd.DataFrame({"a": pd.Series([], dtype="int64")}))
    assert (t.to_df().count(), t.to_df().dtypes) == (0, [("a", "bigint")])


def test_a_pandas_index_is_no_column(wh: ev.Warehouse) -> None:
    t = wh.create_table("t", pd.DataFrame({"a": [1, 2]}, index=[7, 8]))
    assert t.to_df().columns == ["a"]


def test_what_is_no_frame_is_refused(wh: ev.Warehouse) -> None:
    t = wh.create_table("t", "a INT")
    for given in ([(1,)], {"a": [1]}, None, 3):
        with refused(InvalidArgument, "A DataFrame is wanted, not", "pandas"):
            t.append(given)  # type: ignore[arg-type]
    with refused(InvalidArgument, "A schema or a DataFrame is wanted"):
        wh.create_table("u", [(1,)])  # type: ignore[arg-type]
    with refused(SchemaMismatch, "cannot be read"):
        t.append(pa.table({"a": pa.array([1], pa.timestamp("ns"))}))  # Spark counts microseconds
    with refused(SchemaMismatch, "cannot be read"):
        given_frame(wh.spark, pd.DataFrame({"a": [1, "x"]}))
    assert t.version == 0
