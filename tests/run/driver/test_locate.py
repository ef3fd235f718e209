"""Stored rows found by the driver, against looking at every row."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from everview.facts.files import DataFile, Positions, RowSelection
from everview.facts.schema import Field, Schema
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.locate import can_be_keys, places_of_keys, places_of_rows, rows_at
from everview.run.driver.stored_files import StoredFiles, packed_table, write_file

SCHEMA = Schema(
    (
        Field("k", "long"),
        Field("s", "string"),
        Field("d", "decimal(10,2)"),
        Field("f", "double"),
        Field("__ev.h0", "long"),
        Field("a", '{"containsNull":true,"elementType":"double","type":"array"}'),
    )
)
NAMES = SCHEMA.names


def drawn_row(random_: random.Random) -> tuple[Any, ...]:
    return (
        random_.choice([None, 1, 2, 3, 4]),
        random_.choice([None, "", "a", "b"]),
        random_.choice([None, Decimal("0.10"), Decimal("7.00")]),
        random_.choice([None, 0.0, -0.0, float("nan"), 1.5]),
        random_.choice([None, 7, 8]),
        random_.choice([None, [], [1.0], [-0.0], [0.0], [float("nan"), None]]),
    )


class Folder:
    """A few stored files, some with marked rows, and their rows by file and position."""

    def __init__(self, path: Path, random_: random.Random) -> None:
        types = arrow_schema(SCHEMA)
        assert types is not None
        self.files: list[DataFile] = []
        self.live: list[tuple[str, int, tuple[Any, ...]]] = []
        for name, most in (("one", 0), ("two", 2), ("three", 30)):
            rows = [drawn_row(random_) for _ in range(most)]
            table = table_of(rows, types)
            with pa.OSFile(str(path / name), "wb") as stream:
                write_file(packed_table(table, SCHEMA), stream)
            marked = tuple(i for i, _ in enumerate(rows) if i and random_.random() < 0.2)
            selection = RowSelection(Positions(marked), "without") if marked else None
            self.files.append(DataFile(name, 0, len(rows) - len(marked), selection=selection))
            self.live += [(name, i, row) for i, row in enumerate(rows) if i not in marked]
        self.stored = StoredFiles(types, lambda name: pa.OSFile(str(path / name)))


def table_of(rows: list[tuple[Any, ...]], types: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, types, strict=True)], types.names)


def same(value: Any) -> str:
    """What tells stored values apart."""
    return repr(value)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("names", [("k",), ("s", "k"), ("__ev.h0", "d"), ("k", "s", "d")])
def test_keys_are_found_wherever_they_lie(
    tmp_path: Path, seed: int, names: tuple[str, ...]
) -> None:
    random_ = random.Random(seed)
    folder = Folder(tmp_path, random_)
    places = [NAMES.index(n) for n in names]
    wanted = {tuple(drawn_row(random_)[p] for p in places) for _ in range(random_.choice([1, 5]))}
    keys = sorted(wanted, key=repr)
    types = pa.schema([folder.stored.types.field(n) for n in names])
    found = places_of_keys(folder.stored, folder.files, table_of(keys, types))
    expected = [
        (name, i, keys.index(tuple(row[p] for p in places)))
        for name, i, row in folder.live
        if tuple(row[p] for p in places) in wanted
    ]
    flat = [
        (p.file.path, int(i), int(m))
        for p in found
        for i, m in zip(p.positions, p.matches, strict=True)
    ]
    assert sorted(flat) == sorted(expected)
    rows = rows_at(folder.stored, found, NAMES).to_pylist()
    by_place = {(name, i): row for name, i, row in folder.live}
    assert [same(tuple(r.values())) for r in rows] == [same(by_place[f[:2]]) for f in flat]


@pytest.mark.parametrize("seed", range(120))
def test_as_many_copies_of_rows_are_found_as_are_to_go(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    folder = Folder(tmp_path, random_)
    gone = random_.sample(folder.live, min(len(folder.live), random_.choice([1, 4, 20])))
    counted = Counter(same(row) for _, _, row in gone)
    rows = {same(row): row for _, _, row in gone}
    looked_for = table_of(list(rows.values()), folder.stored.types)
    copies = np.array([counted[key] for key in rows], np.int64)
    found = places_of_rows(folder.stored, folder.files, looked_for, copies)
    assert found is not None
    by_place = {(name, i): row for name, i, row in folder.live}
    taken = [(p.file.path, int(i)) for p in found for i in p.positions]
    assert len(set(taken)) == len(taken)
    assert Counter(same(by_place[t]) for t in taken) == counted


def test_rows_that_are_not_stored_are_not_found(tmp_path: Path) -> None:
    folder = Folder(tmp_path, random.Random(1))
    row = (99, "a", Decimal("0.10"), 0.0, 7, [])
    looked_for = table_of([row], folder.stored.types)
    assert places_of_rows(folder.stored, folder.files, looked_for, np.array([1])) is None


def test_more_copies_than_are_stored_are_not_found(tmp_path: Path) -> None:
    folder = Folder(tmp_path, random.Random(2))
    _, _, row = folder.live[0]
    looked_for = table_of([row], folder.stored.types)
    copies = np.array([len(folder.live) + 1])
    assert places_of_rows(folder.stored, folder.files, looked_for, copies) is None


def test_floats_are_no_keys_here(tmp_path: Path) -> None:
    folder = Folder(tmp_path, random.Random(3))
    assert can_be_keys(folder.stored.types, ["k", "s", "__ev.h0"])
    assert not can_be_keys(folder.stored.types, ["k", "f"])
    assert not can_be_keys(folder.stored.types, [])


def test_a_file_older_than_a_column_holds_null_there(tmp_path: Path) -> None:
    types = arrow_schema(Schema((Field("k", "long"), Field("new", "string"))))
    assert types is not None
    with pa.OSFile(str(tmp_path / "old"), "wb") as stream:
        write_file(pa.table({"k": [1, 2]}), stream)
    stored = StoredFiles(types, lambda name: pa.OSFile(str(tmp_path / name)))
    file = DataFile("old", 0, 2)
    keys = table_of([(2, None)], types)
    (place,) = places_of_keys(stored, [file], keys)
    assert place.positions.tolist() == [1]
    assert rows_at(stored, [place], ("k", "new")).to_pylist() == [{"k": 2, "new": None}]
