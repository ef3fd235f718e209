"""Deletion vectors: rows that are gone while their file stays."""

from __future__ import annotations

import json
import tempfile
import uuid
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from everview.errors import LostHistory
from everview.facts.files import Positions, RowSelection, Sign
from everview.facts.tables import Commit
from everview.lake.delta.put import put_if_absent
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from everview.lake.delta.vectors import (
    inline_vector,
    read_vector,
    vector_bytes,
    vector_file,
    vector_of,
)
from everview.lake.storage import Storage
from tests.lake.reading import bag_of, check_changes
from tests.lake.vectors import VectorTable


@pytest.fixture(params=["t", "with space é"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / request.param


@pytest.fixture
def foreign(place: Path) -> VectorTable:
    """Version 0: ten rows; 1: rows 1 and 3 deleted; 2: row 7 too; 3: row 3 is back."""
    data = pa.table({"k": range(10), "p": ["a/b é%"] * 10, "n": [None] * 10})
    data = data.set_column(2, "n", pa.array([None] * 10, pa.int64()))
    write_deltalake(place, data, partition_by=["p"])
    foreign = VectorTable(place)
    (file,) = foreign.files()
    for rows in ({1, 3}, {1, 3, 7}, {1, 7}):
        foreign.delete(file, rows)
    return foreign


@pytest.fixture
def table(foreign: VectorTable) -> EmbeddedTable:
    return EmbeddedDelta().open(str(foreign.path))


def test_the_library_reads_the_vectors_made_here(foreign: VectorTable) -> None:
    rows = pa.table(DeltaTable(foreign.path, version=2).scan(columns=["k"]))
    assert sorted(rows["k"].to_pylist()) == [0, 2, 4, 5, 6, 8, 9]


def test_a_snapshot_leaves_deleted_rows_out(table: EmbeddedTable) -> None:
    (file,) = table.snapshot(2).files
    assert file.selection == RowSelection(Positions([1, 3, 7]), "without")
    assert file.rows == 7
    assert file.bounds_of("k").nulls == 0
    assert file.bounds_of("n").nulls == 7
    assert sum(bag_of(table.snapshot(2)).values()) == 7
    (whole,) = table.snapshot(0).files
    assert (whole.selection, whole.rows) == (None, 10)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (0, 1, {Sign.MINUS: (1, 3)}),
        (1, 2, {Sign.MINUS: (7,)}),
        (2, 3, {Sign.PLUS: (3,)}),
        (1, 3, {Sign.MINUS: (7,), Sign.PLUS: (3,)}),
        (0, 3, {Sign.MINUS: (1, 7)}),
    ],
)
def test_changes_are_the_rows_that_differ(
    table: EmbeddedTable, old: int, new: int, expected: dict[Sign, tuple[int, ...]]
) -> None:
    changes = check_changes(table, old, new)
    found = {c.sign: c.file.selection for c in changes.files}
    assert found == {sign: RowSelection(Positions(rows), "only") for sign, rows in expected.items()}
    assert changes.rows == sum(len(rows) for rows in expected.values())


def test_appends_beside_vectors_add_up(foreign: VectorTable, table: EmbeddedTable) -> None:
    added = pa.table({"k": [50], "p": ["x"], "n": [1]})
    write_deltalake(foreign.path, added, mode="append")
    for old in range(4):
        check_changes(table, old, 4)


def test_rows_beyond_the_first_container(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"k": range(70_000)}))
    foreign = VectorTable(tmp_path / "t")
    (file,) = foreign.files()
    foreign.delete(file, {0, 65_535, 65_536, 69_999})
    table = EmbeddedDelta().open(str(tmp_path / "t"))
    (change,) = check_changes(table, 0, 1).files
    assert change.file.selection == RowSelection(Positions([0, 65_535, 65_536, 69_999]), "only")


def test_a_file_with_a_vector_of_another_writer_is_removed_with_it(table: EmbeddedTable) -> None:
    files = table.snapshot(3).files
    assert table.commit(Commit(3, "DELETE", "d", removes=files)) == 4
    assert table.snapshot(4).files == ()
    assert DeltaTable(table.uri).file_uris() == []
    for old in range(4):
        check_changes(table, old, 4)


# vectors as bytes


@given(st.lists(st.integers(0, 2**34), max_size=40), st.integers(0, 3000))
def test_a_vector_comes_back_from_the_log_and_from_a_file(some: list[int], run: int) -> None:
    rows = Positions([*some, *range(70_000, 70_000 + run)])
    data = vector_bytes(rows)
    with tempfile.TemporaryDirectory() as root:
        storage = Storage(root)
        inline = inline_vector(rows, data)
        assert read_vector(storage, inline) == rows
        content, (first, second) = vector_file(uuid.uuid4(), [(rows, data), (rows, data)])
        put_if_absent(storage, first.file or "", content)
        for vector in (first, second):
            assert read_vector(storage, vector) == rows
            assert vector_of(json.loads(json.dumps(vector.action()))) == vector


def test_a_vector_that_is_gone_or_damaged_is_lost(tmp_path: Path) -> None:
    rows = Positions(range(0, 900, 3))
    storage = Storage(str(tmp_path))
    content, (vector,) = vector_file(uuid.uuid4(), [(rows, vector_bytes(rows))])
    with pytest.raises(LostHistory, match="vacuumed"):
        read_vector(storage, vector)
    path = tmp_path / (vector.file or "")
    path.parent.mkdir()
    for place in (2, 9, len(content) - 1):
        broken = bytearray(content)
        broken[place] ^= 1
        path.write_bytes(broken)
        with pytest.raises(LostHistory, match="cannot be read"):
            read_vector(storage, vector)
    path.write_bytes(content[:-9])
    with pytest.raises(LostHistory, match="cannot be read"):
        read_vector(storage, vector)
    path.write_bytes(content)
    assert read_vector(storage, vector) == rows
    for wrong in (
        replace(vector, rows=7),
        replace(vector, storage="x"),
        inline_vector(rows, b"no magic here"),
    ):
        with pytest.raises(LostHistory):
            read_vector(storage, wrong)


def test_a_vector_file_may_lie_anywhere(tmp_path: Path) -> None:
    rows = Positions([5])
    content, (vector,) = vector_file(uuid.uuid4(), [(rows, vector_bytes(rows))])
    (tmp_path / "else where").mkdir()
    (tmp_path / "else where/v.bin").write_bytes(content)
    absolute = replace(vector, storage="p", place=f"file://{tmp_path}/else%20where/v.bin")
    (tmp_path / "t").mkdir()
    assert read_vector(Storage(str(tmp_path / "t")), absolute) == rows
