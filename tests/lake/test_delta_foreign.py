"""Delta tables as other writers leave them: every operation of a plain Delta library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from everview.facts.files import Sign
from everview.facts.tables import Changes, Lost
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.reading import bag_of, check_changes, signed_bag


def rows(*pairs: tuple[int | None, str | None]) -> pa.Table:
    schema = pa.schema([("k", pa.int64()), ("s", pa.string())])
    return pa.Table.from_pylist([{"k": k, "s": s} for k, s in pairs], schema)


@pytest.fixture(params=["plain", "change data feed", "partitioned"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A foreign table of four rows in two files, versions 0 and 1."""
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"} if request.param == "change data feed" else None
    by = ["s"] if request.param == "partitioned" else None
    write_deltalake(path, rows((1, "a"), (2, "b")), configuration=feed, partition_by=by)
    write_deltalake(path, rows((3, "a"), (3, "a")), mode="append")
    return path


@pytest.fixture
def table(place: Path) -> EmbeddedTable:
    return EmbeddedDelta().open(str(place))


def ways(table: EmbeddedTable, old: int, new: int) -> set[str]:
    return {way for way, _ in check_changes(table, old, new).ways}


def edit(place: Path, version: int, kind: str, **values: Any) -> None:
    """Rewrite one action of a commit file."""
    path = place / f"_delta_log/{version:020d}.json"
    actions = [json.loads(line) for line in path.read_text().splitlines() if line]
    for action in actions:
        if kind in action:
            action[kind].update(values)
    path.write_text("\n".join(json.dumps(action) for action in actions))


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


SPARK = {"engineInfo": "Apache-Spark/4.1.0 Delta-Lake/4.0.0", "clientVersion": None}


def test_a_feed_is_read_where_the_table_has_one(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    write_deltalake(path, rows((1, "a"), (2, "b")), configuration=feed)
    DeltaTable(path).update(updates={"s": "'z'"}, predicate="k = 1")
    edit(path, 1, "commitInfo", **SPARK)
    changes = check_changes(EmbeddedDelta().open(str(path)), 0, 1)
    assert changes.ways == (("change data feed", 1),)
    assert {change.sign for change in changes.files} == {Sign.FEED}
    assert all("_change_data" in change.file.path for change in changes.files)


def test_a_feed_of_a_partitioned_table(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    data = rows((1, "a/b é"), (2, None), (3, "a/b é"))
    write_deltalake(path, data, configuration=feed, partition_by=["s"])
    DeltaTable(path).update(updates={"k": "k * 2"}, predicate="k < 3")
    edit(path, 1, "commitInfo", **SPARK)
    changes = check_changes(EmbeddedDelta().open(str(path)), 0, 1)
    assert changes.ways == (("change data feed", 1),)
    assert {c.file.partition for c in changes.files} == {(("s", "a/b é"),), (("s", None),)}


def test_a_feed_that_adds_up_with_other_ways(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    write_deltalake(path, rows((1, "a"), (2, "b")), configuration=feed)
    write_deltalake(path, rows((3, "c")), mode="append")
    DeltaTable(path).delete("k = 3 or k = 1")
    edit(path, 2, "commitInfo", **SPARK)
    write_deltalake(path, rows((9, "z")), mode="overwrite")
    table = EmbeddedDelta().open(str(path))
    assert ways(table, 0, 3) == {"appended files", "change data feed", "file difference"}
    check_changes(table, 1, 3)


def test_a_feed_known_to_lose_rows_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    write_deltalake(path, rows((2, "a"), (3, "a")), configuration=feed)
    DeltaTable(path).update(updates={"k": "k + 1"}, predicate="k = 2")
    assert ways(EmbeddedDelta().open(str(path)), 0, 1) == {"file difference"}


# vacuum, log cleanup


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


def clean_log(place: Path, upto: int) -> None:
    """A checkpoint, and the commit files before it gone, as a log cleanup leaves them."""
    DeltaTable(place, version=upto).create_checkpoint()
    for version in range(upto):
        (place / f"_delta_log/{version:020d}.json").unlink(missing_ok=True)


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


# schemas


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
    assert isinstance(changes, Changes)
    told = {(f.sign, f.file.path) for f in changes.files}
    before, after = ({f.path for f in table.snapshot(v).files} for v in (0, 2))
    assert told == {(Sign.MINUS, *before), (Sign.PLUS, *after)}
    assert isinstance(table.changes(0, 1), Lost)


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
