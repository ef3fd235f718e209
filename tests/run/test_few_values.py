"""The values of rows at hand, by which tables are cut."""

from __future__ import annotations

import pyarrow as pa
import pytest

from everview.algebra.ranges import Range
from everview.facts.schema import Field, Schema
from everview.run.refresh import fetch
from everview.run.refresh.fetch import few_values
from everview.run.rows.fetched import Fetched
from everview.spark.engine import Engine


def rows(type_: str, values: pa.Array) -> Fetched:
    schema = Schema((Field("c", type_),))
    return Fetched(schema, pa.table({"c": values}), Engine(None))


def test_each_value_once_and_whether_there_is_null() -> None:
    found = few_values(rows("long", pa.array([3, 1, None, 3])))("c")
    assert found == Range.of_values(frozenset({1, 3}), null=True)
    assert few_values(rows("string", pa.array([], pa.string())))("c") == Range.of_values(
        frozenset(), null=False
    )


def test_many_values_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "MOST_VALUES", 2)
    assert few_values(rows("long", pa.array([1, 2, 2])))("c") is not None
    assert few_values(rows("long", pa.array([1, 2, 3])))("c") is None


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("date", pa.array([-800_000, 0], pa.int32()).cast(pa.date32())),  # before the year 1
        ("date", pa.array([4_000_000], pa.int32()).cast(pa.date32())),  # after the year 9999
        (
            "string",
            pa.StringArray.from_buffers(
                1, pa.py_buffer(b"\x00\x00\x00\x00\x01\x00\x00\x00"), pa.py_buffer(b"\xff")
            ),
        ),
    ],
)
def test_what_only_spark_holds_is_not_told(type_: str, values: pa.Array) -> None:
    assert few_values(rows(type_, values))("c") is None
