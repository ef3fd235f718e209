"""The contract of the port: what writers need, files at hand, new columns and properties."""

from __future__ import annotations

import pytest

from everview.errors import (
    CommitConflict,
    LostHistory,
)
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit, Lost, TableShape
from everview.lake.port import LakeTable
from tests.lake.kits import SCHEMA, Kit
from tests.lake.letters import append, rows
from tests.lake.reading import bag_of

ADDED = Schema((Field("d", "date"),))


# files left by a writer


def test_what_a_writer_left_is_committed(kit: Kit, table: LakeTable) -> None:
    kit.leave_rows(table, "data/x", [(1, "a"), (2, "b")])
    assert bag_of(table.snapshot(0)) == rows()
    files = table.written("data/x")
    assert sum(file.rows or 0 for file in files) == 2
    table.commit(Commit(0, "INSERT", "t", adds=files))
    assert bag_of(table.snapshot(1)) == rows(a=1, b=1)


def test_a_folder_that_was_removed_holds_nothing(kit: Kit, table: LakeTable) -> None:
    kept = append(kit, table, "c")
    kit.leave_rows(table, "data/x", [(1, "a")])
    table.remove_folder("data/x")
    table.remove_folder("data/never")
    assert table.written("data/x") == ()
    assert [f.path for f in table.snapshot(1).files] == [kept.path]
    assert bag_of(table.snapshot(1)) == rows(c=1)


def test_files_are_partitioned_as_the_table_is_or_becomes(kit: Kit, table: LakeTable) -> None:
    assert table.partition_by() == ()
    assert table.becoming(TableShape(SCHEMA, ("s",), {})).partition_by() == ("s",)
    assert table.partition_by() == ()
    parted = kit.lake.create(kit.uri("parted"), SCHEMA, ("k",), {})
    assert parted.partition_by() == ("k",)
    assert parted.snapshot(0).partition_by == ("k",)


# snapshots whose files are still there


def test_a_snapshot_is_readable_until_its_files_are_vacuumed(kit: Kit, table: LakeTable) -> None:
    first = append(kit, table, "a")
    table.commit(Commit(1, "DELETE", "d", removes=(first,)))
    assert table.readable_snapshot(1) == table.snapshot(1)
    table.vacuum(0, dry_run=False)
    assert table.readable_snapshot(2).files == ()
    with pytest.raises(LostHistory, match="vacuumed"):
        table.readable_snapshot(1)


def test_files_of_a_snapshot_beside_are_not_looked_for(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    append(kit, table, "b")
    newest = table.snapshot(2)
    assert table.readable_snapshot(1, beside=newest) == table.snapshot(1)


# new columns and properties


def test_columns_are_added_at_the_end(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    assert table.add_columns(ADDED, 1, "wider") == 2
    assert table.snapshot(2).schema.names == ("k", "s", "d")
    assert table.snapshot(1).schema == SCHEMA
    assert table.find_token("wider", 1) == 2
    changes = table.changes(1, 2)
    assert not isinstance(changes, Lost)
    assert changes.empty
    assert table.history(1)[0].operation == "ADD COLUMNS"


def test_properties_are_set_and_the_others_stay(kit: Kit, table: LakeTable) -> None:
    assert table.set_properties({"everview.note": "x"}, 0, "described") == 1
    found = table.head().properties
    assert (found["everview.note"], found["everview.table"]) == ("x", "{}")
    assert "everview.note" not in table.snapshot(0).properties
    assert table.find_token("described", 0) == 1
    assert table.history(1)[0].data_change is False


def test_a_stale_base_of_an_alteration_is_a_conflict(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    with pytest.raises(CommitConflict):
        table.add_columns(ADDED, 0, "late")
    with pytest.raises(CommitConflict):
        table.set_properties({"everview.note": "x"}, 0, "late")
    assert table.head().version == 1
    assert table.snapshot(1).schema == SCHEMA
    assert "everview.note" not in table.head().properties


def test_an_alteration_made_again_after_a_crash_is_found(kit: Kit, table: LakeTable) -> None:
    assert table.set_properties({"everview.note": "x"}, 0, "mine") == 1
    assert table.set_properties({"everview.note": "x"}, 0, "mine") == 1
    assert table.head().version == 1


def test_a_checkpoint_changes_nothing_that_is_seen(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    table.commit(Commit(1, "WATERMARK", "w", transactions=(("app", 5),)))
    before = table.head(), table.snapshot(2), table.history()
    table.checkpoint()
    assert (table.head(), table.snapshot(2), table.history()) == before
    assert table.transaction("app") == 5
