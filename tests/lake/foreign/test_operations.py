"""Delta tables as other writers leave them: every operation of a plain Delta library."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from everview.facts.tables import Lost
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.foreign.log import clean_log, edit, rows, ways
from tests.lake.reading import bag_of, check_changes, signed_bag


def test_append(place: Path, table: EmbeddedTable) -> None:
    assert ways(table, 0, 1) == {"appended files"}
    assert table.snapshot(1).rows == 4


def test_overwrite(place: Path, table: EmbeddedTable) -> None:
    write_deltalake(place, rows((9, "z")), mode="overwrite")
    changes = check_changes(table, 1, 2)
    assert changes.ways == (("file difference", 1),)
    assert changes.rows == 5
    check_changes(table, 0, 2)


def test_overwrite_of_a_part(place: Path, table: EmbeddedTable) -> None:
    write_deltalake(place, rows((7, "a")), mode="overwrite", predicate="s = 'a'")
    check_changes(table, 1, 2)
    assert sum(bag_of(table.snapshot(2)).values()) == 2


def test_delete(place: Path, table: EmbeddedTable) -> None:
    DeltaTable(place).delete("k = 1")
    changes = check_changes(table, 1, 2)
    assert sum(abs(w) for w in signed_bag(changes).values()) == 1


def test_delete_of_everything(place: Path, table: EmbeddedTable) -> None:
    DeltaTable(place).delete()
    check_changes(table, 1, 2)
    assert check_changes(table, 0, 2).rows is not None
    assert table.snapshot(2).files == ()


def test_update(place: Path, table: EmbeddedTable) -> None:
    DeltaTable(place).update(updates={"k": "k + 10"}, predicate="k = 3")
    changes = check_changes(table, 1, 2)
    assert sorted(set(signed_bag(changes).values())) == [-2, 2]


def test_merge(place: Path, table: EmbeddedTable) -> None:
    source = rows((1, "a"), (5, "e"))
    merge = DeltaTable(place).merge(source, "t.k = u.k", source_alias="u", target_alias="t")
    merge.when_matched_delete().when_not_matched_insert_all().execute()
    check_changes(table, 1, 2)
    check_changes(table, 0, 2)


def test_compact_is_no_change(place: Path, table: EmbeddedTable) -> None:
    write_deltalake(place, rows((4, "a")), mode="append")
    assert DeltaTable(place).optimize.compact()["numFilesAdded"] > 0
    assert check_changes(table, 2, 3).empty
    assert sum(signed_bag(check_changes(table, 1, 3)).values()) == 1


def test_z_order_is_no_change(place: Path, table: EmbeddedTable) -> None:
    DeltaTable(place).optimize.z_order(["k"])
    assert check_changes(table, 1, 2).empty


def test_restore(place: Path, table: EmbeddedTable) -> None:
    DeltaTable(place).delete("k = 3")
    DeltaTable(place).restore(1)
    check_changes(table, 2, 3)
    assert not {r for r, w in signed_bag(check_changes(table, 1, 3)).items() if w}


def test_restore_across_a_compaction(place: Path, table: EmbeddedTable) -> None:
    write_deltalake(place, rows((4, "a")), mode="append")
    DeltaTable(place).optimize.compact()
    DeltaTable(place).restore(1)
    for old in range(4):
        check_changes(table, old, 4)


def test_changes_of_properties_are_no_change(place: Path, table: EmbeddedTable) -> None:
    DeltaTable(place).alter.set_table_properties({"delta.logRetentionDuration": "interval 9 days"})
    assert check_changes(table, 1, 2).empty


def test_a_table_replaced_inside_the_range_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a")))
    wider = pa.table({"k": [7], "s": ["a"], "n": [1.5]})
    write_deltalake(path, wider, mode="append", schema_mode="merge")
    edit(path, 1, "metaData", id="another")
    lost = EmbeddedDelta().open(str(path)).changes(0, 1)
    assert isinstance(lost, Lost)
    assert "another" in lost.reason


def test_removes_without_partition_values_are_told_by_the_ends(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a"), (2, "b")), partition_by=["s"])
    DeltaTable(path).delete("k = 1")
    edit(path, 1, "remove", partitionValues=None, size=None, extendedFileMetadata=False)
    changes = check_changes(EmbeddedDelta().open(str(path)), 0, 1)
    assert [c.file.partition for c in changes.files] == [(("s", "a"),)]
    assert changes.rows == 1


def test_removes_without_partition_values_are_never_guessed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a"), (2, "b")), partition_by=["s"])
    write_deltalake(path, rows((3, "a")), mode="append")
    DeltaTable(path).delete("k = 1")
    edit(path, 2, "remove", partitionValues=None, extendedFileMetadata=False)
    clean_log(path, 2)
    assert isinstance(EmbeddedDelta().open(str(path)).changes(1, 2), Lost)


def test_an_empty_partition_value_is_null(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a")), partition_by=["s"])
    write_deltalake(path, rows((2, "")), mode="append")
    changes = check_changes(EmbeddedDelta().open(str(path)), 0, 1)
    assert [c.file.partition for c in changes.files] == [(("s", None),)]


def test_a_commit_with_mixed_flags_is_the_whole_difference(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, rows((1, "a"), (2, "b")))
    DeltaTable(path).delete("k = 1")
    edit(path, 1, "remove", dataChange=False)
    check_changes(EmbeddedDelta().open(str(path)), 0, 1)


def test_a_foreign_history_has_its_own_operations(place: Path, table: EmbeddedTable) -> None:
    DeltaTable(place).delete("k = 1")
    newest = table.history(1)[0]
    assert (newest.version, newest.operation, newest.metadata) == (2, "DELETE", {})
    assert newest.data_change


def test_both_spellings_of_a_local_place_are_one(place: Path, table: EmbeddedTable) -> None:
    spelled = EmbeddedDelta().open(f"file://{place}/")
    assert spelled.uri == table.uri == str(place)
    assert spelled.snapshot(1) == table.snapshot(1)
