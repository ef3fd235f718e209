"""Delta tables whose files or commits are gone, or whose columns changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from everview.facts.files import DataFile, Sign
from everview.facts.tables import Lost, TableChanges
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.foreign.log import clean_log, rows
from tests.lake.reading import check_changes, signed_bag


def test_vacuumed_files_are_lost_with_the_property_to_change(
    place: Path, table: EmbeddedTable
) -> None:
    DeltaTable(place).delete("k = 1")
    DeltaTable(place).vacuum(0, dry_run=False, enforce_retention_duration=False, full=True)
    lost = table.changes(1, 2)
    assert isinstance(lost, Lost)
    assert "delta.deletedFileRetentionDuration" in lost.reason


def test_vacuumed_middle_does_not_matter_where_the_ends_tell(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a")))
    write_deltalake(path, rows((2, "b")), mode="append")
    DeltaTable(path).optimize.compact()
    write_deltalake(path, rows((3, "c")), mode="append")
    DeltaTable(path).delete("k = 3")
    DeltaTable(path).vacuum(0, dry_run=False, enforce_retention_duration=False, full=True)
    table = EmbeddedDelta().open(str(path))
    assert check_changes(table, 2, 4).empty


def test_after_a_log_cleanup_later_versions_are_whole(place: Path, table: EmbeddedTable) -> None:
    for k in range(4, 8):
        write_deltalake(place, rows((k, "a")), mode="append")
    clean_log(place, 3)
    for old in (3, 4, 5):
        check_changes(table, old, 5)
    lost = table.changes(1, 5)
    assert isinstance(lost, Lost)
    assert "delta.logRetentionDuration" in lost.reason


def test_the_version_before_the_checkpoint_needs_only_its_commits(tmp_path: Path) -> None:
    path = tmp_path / "t"
    for k in range(4):
        write_deltalake(path, rows((k, "a")), mode="append")
    clean_log(path, 2)
    changes = EmbeddedDelta().open(str(path)).changes(1, 3)
    assert not isinstance(changes, Lost)
    assert signed_bag(changes) == {("2", "'a'"): 1, ("3", "'a'"): 1}


def test_a_commit_gone_in_between_is_bridged_by_the_ends(tmp_path: Path) -> None:
    path = tmp_path / "t"
    for k in range(4):
        write_deltalake(path, rows((k, "a")), mode="append")
    DeltaTable(path).delete("k = 1")
    DeltaTable(path).create_checkpoint()
    (path / f"_delta_log/{2:020d}.json").unlink()
    changes = check_changes(EmbeddedDelta().open(str(path)), 1, 4)
    assert changes.ways == (("file difference", 3),)


def test_a_new_column_is_null_in_older_rows(place: Path, table: EmbeddedTable) -> None:
    wider = pa.table({"k": [7], "s": ["a"], "n": [1.5]})
    write_deltalake(place, wider, mode="append", schema_mode="merge")
    for old in (0, 1):
        changes = check_changes(table, old, 2)
        assert changes.schema.names == ("k", "s", "n")
    DeltaTable(place).delete("k = 1")
    check_changes(table, 0, 3)
    check_changes(table, 2, 3)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"k": pa.array(["1"]), "s": pa.array(["a"])}, "'k' was long at version 1 and is string"),
        ({"k": pa.array([1])}, "'s' of version 1 was dropped"),
    ],
)
def test_a_column_that_changed_is_lost(
    tmp_path: Path, columns: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a")))
    write_deltalake(path, rows((2, "b")), mode="append")
    write_deltalake(path, pa.table(columns), mode="overwrite", schema_mode="overwrite")
    table = EmbeddedDelta().open(str(path))
    lost = table.changes(1, 2)
    assert isinstance(lost, Lost)
    assert reason in lost.reason
    check_changes(table, 0, 1)
    check_changes(table, 2, 2)


def test_a_column_that_changed_and_came_back_is_told_by_the_files_of_both_ends(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a")))
    text = pa.table({"k": ["1"], "s": ["a"]})
    write_deltalake(path, text, mode="overwrite", schema_mode="overwrite")
    write_deltalake(path, rows((2, "a")), mode="overwrite", schema_mode="overwrite")
    table = EmbeddedDelta().open(str(path))
    changes = table.changes(0, 2)
    assert isinstance(changes, TableChanges)
    told = {(f.sign, f.file.path) for f in changes.files}
    before, after = ({f.path for f in table.snapshot(v).files} for v in (0, 2))
    assert told == {(Sign.MINUS, *before), (Sign.PLUS, *after)}
    assert isinstance(table.changes(0, 1), Lost)


@pytest.mark.parametrize(
    "columns", [{"k": [1]}, {"k": [1], "s": [1.5]}, {"s": ["b"], "k": [1], "n": [2]}]
)
def test_columns_that_are_not_used_may_change(tmp_path: Path, columns: dict[str, Any]) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a")))
    write_deltalake(path, pa.table(columns), mode="overwrite", schema_mode="overwrite")
    found = EmbeddedDelta().open(str(path)).changes(0, 1, ("k",))
    assert isinstance(found, TableChanges)
    assert sorted(f.sign.value for f in found.files) == sorted((Sign.PLUS.value, Sign.MINUS.value))
    known = [dict(f.file.bounds) for f in found.files if isinstance(f.file, DataFile)]
    assert [set(bounds) for bounds in known] == [{"k"}] * 2, "others may be of several types"
