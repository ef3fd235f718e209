"""Few rows of a source fetched by the driver, against looking at every row."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from everview.algebra.ranges import Range
from everview.choose import cost
from everview.facts.files import (
    Bounds,
    ChangeFile,
    DataFile,
    InlineFile,
    Positions,
    RowSelection,
    Sign,
    TableFile,
)
from everview.facts.schema import Field, Schema
from everview.facts.tables import Snapshot, TableChanges
from everview.run.driver import fetch
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.fetch import OpenedSource, all_rows, rows_of_changes, rows_with_values
from everview.run.driver.held_columns import HeldColumns

SCHEMA = Schema(
    (Field("k", "integer"), Field("s", "string"), Field("on", "date"), Field("x", "double"))
)
NAMES = SCHEMA.names
Row = tuple[Any, ...]


def drawn(random_: random.Random) -> Row:
    return (
        random_.choice([None, 1, 2, 3, 4]),
        random_.choice([None, "", "a", "b"]),
        random_.choice([None, date(1, 1, 1), date(2024, 2, 29)]),
        random_.choice([None, 0.5, 1.5]),
    )


class Files:
    """Files in a folder, some with marked rows, and one of rows in the log."""

    def __init__(self, path: Path, random_: random.Random) -> None:
        self.path = path
        self.opened: Counter[str] = Counter()
        self.files: list[TableFile] = []
        self.rows: list[list[Row]] = []
        for name, most in (("one", 0), ("two", 2), ("three", 40)):
            rows = [drawn(random_) for _ in range(most)]
            marked = tuple(i for i, _ in enumerate(rows) if i and random_.random() < 0.2)
            selection = RowSelection(Positions(marked), "without") if marked else None
            self._write(name, rows)
            self.files.append(
                DataFile(name, 100, len(rows) - len(marked), (), bounds(rows), selection)
            )
            self.rows.append([row for i, row in enumerate(rows) if i not in marked])
        inline = [drawn(random_) for _ in range(5)]
        self.files.append(InlineFile("inline", NAMES, tuple(inline)))
        self.rows.append(inline)

    def _write(self, name: str, rows: list[Row]) -> None:
        types = arrow_schema(SCHEMA)
        assert types is not None
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
        arrays = [pa.array(c, f.type) for c, f in zip(columns, types, strict=True)]
        pq.write_table(pa.table(arrays, types.names), self.path / name)

    def source(self, held: HeldColumns | None = None) -> OpenedSource:
        return OpenedSource("t", self._open, HeldColumns() if held is None else held)

    def _open(self, name: str) -> pa.NativeFile:
        self.opened[name] += 1
        return pa.OSFile(str(self.path / name))

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot("id", "uri", 1, SCHEMA, (), tuple(self.files))

    @property
    def every(self) -> Counter[Row]:
        return Counter(row for rows in self.rows for row in rows)


def bounds(rows: list[Row]) -> tuple[tuple[str, Bounds], ...]:
    """Of the keys alone, as a log has them."""
    keys = [row[0] for row in rows if row[0] is not None]
    nulls = sum(row[0] is None for row in rows)
    return (("k", Bounds(min(keys), max(keys), nulls)),) if keys else ()


def as_rows(table: pa.Table) -> Counter[Row]:
    return Counter(zip(*(c.to_pylist() for c in table.columns), strict=True))


@pytest.fixture(params=range(20))
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    return Files(tmp_path, random.Random(request.param))


def test_rows_with_values_are_those_that_have_one(files: Files) -> None:
    for values, null in (({1, 3}, False), ({2}, True), (set(), True), ({1, 99, 2**40}, False)):
        wanted = Range.of_values(frozenset(values), null=null)
        found = rows_with_values(files.snapshot, NAMES, {"k": wanted}, files.source())
        assert found is not None
        expected = Counter({r: n for r, n in files.every.items() if wanted.holds(r[0])})
        assert as_rows(found.table) == expected


def test_values_of_two_columns_are_both_had(files: Files) -> None:
    keys = Range.of_values(frozenset({1, 2, 3}), null=True)
    days = Range.of_values(frozenset({date(1, 1, 1)}), null=False)
    found = rows_with_values(files.snapshot, NAMES, {"k": keys, "on": days}, files.source())
    assert found is not None
    expected = {r: n for r, n in files.every.items() if keys.holds(r[0]) and days.holds(r[2])}
    assert as_rows(found.table) == Counter(expected)


def test_all_rows(files: Files) -> None:
    found = all_rows(files.snapshot, ("s", "k"), files.source())
    assert found is not None
    assert found.table.column_names == ["s", "k"]
    expected: Counter[Row] = Counter()
    for row, number in files.every.items():
        expected[row[1], row[0]] += number
    assert as_rows(found.table) == expected


def test_changes_have_their_weight(files: Files) -> None:
    signs = (Sign.PLUS, Sign.MINUS, Sign.PLUS, Sign.MINUS)
    changed = [ChangeFile(f, s) for f, s in zip(files.files, signs, strict=True)]
    only = DataFile("three", 100, 2, selection=RowSelection(Positions((0, 7)), "only"))
    changes = TableChanges("id", "uri", 1, 2, SCHEMA, (*changed, ChangeFile(only, Sign.MINUS)))
    found = rows_of_changes(changes, NAMES, files.source(), "w")
    assert found is not None
    expected: Counter[Row] = Counter()
    for rows, sign in zip(files.rows, signs, strict=True):
        for row in rows:
            expected[*row, 1 if sign is Sign.PLUS else -1] += 1
    physical = pq.read_table(files.path / "three").to_pylist()
    for place in (0, 7):
        expected[*physical[place].values(), -1] += 1
    assert as_rows(found.table) == expected


def test_what_was_read_is_read_once(files: Files) -> None:
    held = HeldColumns()
    wanted = {"k": Range.of_values(frozenset({1, 2, 3, 4}), null=True)}
    first = rows_with_values(files.snapshot, NAMES, wanted, files.source(held))
    files.opened.clear()
    again = rows_with_values(files.snapshot, NAMES, wanted, files.source(held))
    assert first is not None
    assert again is not None
    assert first.table.equals(again.table)
    assert sum(files.opened.values()) <= 1, "one footer says how large columns are"


def test_what_does_not_fit_is_read_again(files: Files) -> None:
    held = HeldColumns(most=1)
    wanted = {"k": Range.of_values(frozenset({1, 2, 3, 4}), null=True)}
    for _ in range(2):
        found = rows_with_values(files.snapshot, NAMES, wanted, files.source(held))
        assert found is not None
        assert as_rows(found.table) == files.every


def test_many_rows_and_large_columns_are_left_to_spark(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {"k": Range.of_values(frozenset({1, 2, 3, 4}), null=True)}
    monkeypatch.setattr(fetch, "MOST_LOOKED_AT", 1)
    assert rows_with_values(files.snapshot, NAMES, wanted, files.source()) is None
    monkeypatch.setattr(fetch, "MOST_LOOKED_AT", cost.MOST_LOOKED_AT)
    monkeypatch.setattr(fetch, "MOST_FETCHED_ROWS", 3)
    assert rows_with_values(files.snapshot, NAMES, wanted, files.source()) is None
    assert all_rows(files.snapshot, NAMES, files.source()) is None


def test_what_means_something_else_to_spark_is_left_to_it(tmp_path: Path) -> None:
    wanted = {"k": Range.of_values(frozenset({1}), null=False)}
    folder = Files(tmp_path, random.Random(0))
    elsewhere = Snapshot("id", "uri", 1, SCHEMA, (), (DataFile("s3://other/one", 100, 1),))
    assert rows_with_values(elsewhere, NAMES, wanted, folder.source()) is None
    gone = Snapshot("id", "uri", 1, SCHEMA, (), (DataFile("gone", 100, 1),))
    assert rows_with_values(gone, NAMES, wanted, folder.source()) is None
    variant = Schema((*SCHEMA.fields, Field("v", "variant")))
    kinds = Snapshot("id", "uri", 1, variant, (), tuple(folder.files))
    assert rows_with_values(kinds, (*NAMES, "v"), wanted, folder.source()) is None
    feed = TableChanges(
        "id", "uri", 1, 2, SCHEMA, (ChangeFile(DataFile("two", 100, 2), Sign.FEED),)
    )
    assert rows_of_changes(feed, NAMES, folder.source(), "w") is None
