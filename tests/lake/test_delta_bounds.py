"""Bounds of columns: exact from footers, and never violated by a row, whoever wrote the log."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everview.facts.files import Bounds
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit
from everview.lake import footers
from everview.lake.delta.table import EmbeddedDelta
from tests.lake.bounds import ARROW, FLOATS, VALUES, appended, column, committed, holds, in_a_folder
from tests.lake.kits import write_columns


@pytest.mark.parametrize("type_", list(ARROW))
def test_our_bounds_are_exact_and_come_back_from_the_log(type_: str) -> None:
    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.none() | VALUES[type_], min_size=1, max_size=4))
    def law(values: list[Any]) -> None:
        stored = column(values, type_)["c"].to_pylist()
        known = [v for v in stored if v is not None]

        def check(root: Path) -> None:
            written, logged = committed(root / "t", column(values, type_), type_)
            bounds = written.bounds_of("c")
            if known and type_ not in FLOATS:
                assert (bounds.low, bounds.high) == (min(known), max(known))
            assert bounds.nulls == len(stored) - len(known)
            assert holds(logged.bounds_of("c"), stored)
            assert logged.bounds_of("c").nulls == bounds.nulls
            if known and type_ in ("byte", "long", "string", "date", "boolean", "decimal(9,2)"):
                assert logged.bounds_of("c") == bounds
            (change,) = appended(root / "t").files
            assert holds(change.file.bounds_of("c"), stored)
            if known and type_ in ("byte", "short", "integer", "long", "string", "date"):
                assert change.file.bounds_of("c") == bounds
            if known and type_ not in FLOATS:
                assert logged.bounds_of("c").low is not None
                assert logged.bounds_of("c").high is not None

        in_a_folder(check)

    law()


@pytest.mark.parametrize("type_", list(ARROW))
def test_foreign_bounds_hold_for_every_row(type_: str) -> None:
    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.none() | VALUES[type_], min_size=1, max_size=4))
    def law(values: list[Any]) -> None:
        data = column(values, type_)

        def check(root: Path) -> None:
            write_deltalake(root / "t", data)
            (file,) = EmbeddedDelta().open(str(root / "t")).snapshot(0).files
            assert holds(file.bounds_of("c"), data["c"].to_pylist())
            write_deltalake(root / "t", data, mode="append")
            (change,) = appended(root / "t").files
            assert holds(change.file.bounds_of("c"), data["c"].to_pylist())

        in_a_folder(check)

    law()


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("timestamp", [datetime(2020, 1, 1, 0, 0, 0, 123456, UTC)]),
        ("timestamp", [datetime(1960, 1, 1, 0, 0, 0, 999999, UTC)]),
        ("timestamp_ntz", [datetime(2020, 1, 1, 0, 0, 0, 123456)]),
        ("decimal(18,1)", [Decimal("123456789012345.7"), Decimal("1234567890123456.7")]),
        ("decimal(18,1)", [Decimal("-1234567890123456.7"), Decimal("-9007199254740993.1")]),
        ("decimal(38,0)", [Decimal(2**60 + 1), Decimal(2**63 + 4096)]),
        ("double", [1.5, math.nan]),
        ("string", ["y" * 100, "\U0010ffff" * 40, "é" * 70]),
    ],
)
def test_bounds_that_writers_round_still_hold(
    tmp_path: Path, type_: str, values: list[Any]
) -> None:
    data = column(values, type_)
    write_deltalake(tmp_path / "t", data)
    (file,) = EmbeddedDelta().open(str(tmp_path / "t")).snapshot(0).files
    bounds = file.bounds_of("c")
    assert holds(bounds, values)
    assert bounds.low is not None, "the case shows nothing where nothing is known"


@pytest.mark.parametrize(
    ("type_", "low", "high"),
    [
        ("long", -(2**63), 2**63 - 1),
        ("decimal(9,2)", Decimal("-9999999.99"), Decimal("-0.01")),
        ("decimal(38,10)", Decimal("-1234567890123456789012345678.0123456789"), Decimal("0")),
        ("date", date(1, 1, 1), date(9999, 12, 31)),
        (
            "timestamp",
            datetime(1, 1, 1, 0, 0, 0, 1, UTC),
            datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
        ),
        ("timestamp_ntz", datetime(1, 1, 1, 0, 0, 0, 1), datetime(9999, 12, 31, 23, 59, 59, 1)),
        ("string", "", "\U0010ffff" * 50),
        ("boolean", False, True),
    ],
)
def test_the_ends_of_a_type(tmp_path: Path, type_: str, low: Any, high: Any) -> None:
    written, logged = committed(tmp_path / "t", column([low, None, high], type_), type_)
    assert written.bounds_of("c") == Bounds(low, high, 1)
    back = logged.bounds_of("c")
    assert holds(back, [low, None, high])
    assert None not in (back.low, back.high)


def test_strings_of_over_four_kilobytes_have_no_bounds(tmp_path: Path) -> None:
    written, _ = committed(tmp_path / "t", column(["a" * 5000, "b"], "string"), "string")
    assert (written.bounds_of("c").low, written.bounds_of("c").high) == (None, None)


def test_bytes_have_no_bounds(tmp_path: Path) -> None:
    data = pa.table({"c": pa.array([b"a", b"\xff", None])})
    written, logged = committed(tmp_path / "t", data, "binary")
    assert written.bounds_of("c") == Bounds(nulls=1)
    assert (logged.bounds_of("c").low, logged.bounds_of("c").high) == (None, None)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, -2.5, None], Bounds(-2.5, 1.5, 1)),
        ([0.0, -0.0], Bounds(-0.0, 0.0, 0)),
        ([0.0], Bounds(-0.0, 0.0, 0)),
        ([math.inf, -math.inf], Bounds(-math.inf, math.inf, 0)),
    ],
)
def test_floats_from_a_writer_that_shows_nan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: list[Any], expected: Bounds
) -> None:
    monkeypatch.setattr(footers, "_SHOWS_NAN", "parquet-cpp")
    written, logged = committed(tmp_path / "t", column(values, "double"), "double")
    found = written.bounds_of("c")
    assert found == expected
    assert math.copysign(1, found.low) == math.copysign(1, expected.low)
    assert holds(logged.bounds_of("c"), values)


def test_floats_from_other_writers_have_no_bounds(tmp_path: Path) -> None:
    written, _ = committed(tmp_path / "t", column([1.0, math.nan, None], "double"), "double")
    assert written.bounds_of("c") == Bounds(nulls=1)


def test_a_nan_in_a_footer_leaves_no_bounds() -> None:
    assert footers._floats((1.0, math.nan)) is None
    assert footers._floats((math.nan, math.nan)) is None


def test_several_row_groups_are_taken_together(tmp_path: Path) -> None:
    table = EmbeddedDelta().create(str(tmp_path / "t"), Schema((Field("c", "long"),)), (), {})
    folder = tmp_path / "t/data/x/part=rows"
    folder.mkdir(parents=True)
    values = [None, None, 5, 7, -3, None]
    pq.write_table(column(values, "long"), folder / "f.parquet", row_group_size=2)
    (file,) = table.written("data/x/part=rows")
    assert file.rows == 6
    assert file.bounds_of("c") == Bounds(-3, 7, 3)


def test_a_row_group_without_bounds_leaves_the_file_without(tmp_path: Path) -> None:
    table = EmbeddedDelta().create(str(tmp_path / "t"), Schema((Field("c", "string"),)), (), {})
    folder = tmp_path / "t/data/x/part=rows"
    folder.mkdir(parents=True)
    data = column(["a", "b", "x" * 5000, "y"], "string")
    pq.write_table(data, folder / "f.parquet", row_group_size=2)
    (file,) = table.written("data/x/part=rows")
    assert (file.bounds_of("c").low, file.bounds_of("c").high) == (None, None)


def test_a_column_of_nulls_counts_them(tmp_path: Path) -> None:
    written, logged = committed(tmp_path / "t", column([None, None], "long"), "long")
    assert written.bounds_of("c") == logged.bounds_of("c") == Bounds(nulls=2)


def test_odd_names_and_nested_columns(tmp_path: Path) -> None:
    leaf = {"metadata": {}, "name": "u", "nullable": True, "type": "long"}
    nested = json.dumps({"fields": [leaf], "type": "struct"}, sort_keys=True)
    fields = (Field("x.y", "long"), Field("a b", "long"), Field("x", nested), Field('"`é', "long"))
    table = EmbeddedDelta().create(str(tmp_path / "t"), Schema(fields), (), {})
    data = pa.table({"x.y": [1], "a b": [2], "x": [{"u": 3}], '"`é': [4]})
    write_columns(tmp_path / "t", "data/x/part=rows", data)
    files = table.written("data/x/part=rows")
    table.commit(Commit(0, "INSERT", "t", adds=files))
    expected = {"x.y": Bounds(1, 1, 0), "a b": Bounds(2, 2, 0), '"`é': Bounds(4, 4, 0)}
    assert dict(files[0].bounds) == expected
    (logged,) = table.snapshot(1).files
    assert dict(logged.bounds) == expected


def test_bounds_survive_a_checkpoint(tmp_path: Path) -> None:
    _, logged = committed(tmp_path / "t", column([1, None, 7], "long"), "long")
    table = EmbeddedDelta().open(str(tmp_path / "t"))
    table.checkpoint()
    for version in (0, 1):
        (tmp_path / f"t/_delta_log/{version:020d}.json").unlink()
    assert table.snapshot(1).files == (logged,)


def test_times_beyond_pythons_years_are_not_known(tmp_path: Path) -> None:
    beyond = pa.array([0, 2**62], pa.int64()).cast(pa.timestamp("us", "UTC"))
    written, logged = committed(tmp_path / "t", pa.table({"c": beyond}), "timestamp")
    assert written.bounds_of("c") == Bounds(nulls=0)
    assert logged.bounds_of("c") == Bounds(nulls=0)
