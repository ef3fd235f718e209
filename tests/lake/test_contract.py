"""The contract of the port: every lake passes the same tests. Here creation, identity, history."""

from __future__ import annotations

import pytest

from everview.errors import (
    LostHistory,
    NameTaken,
    NotATable,
)
from everview.facts.tables import Commit, Lost
from everview.lake.port import LakeTable
from tests.lake.kits import SCHEMA, Kit
from tests.lake.letters import append, rows, write
from tests.lake.reading import bag_of, check_changes


def test_a_new_table_is_empty_at_version_0(kit: Kit, table: LakeTable) -> None:
    head = table.head()
    assert head.version == 0
    assert head.properties["everview.table"] == "{}"
    snapshot = table.snapshot(0)
    assert (snapshot.table_id, snapshot.uri) == (head.id, table.uri)
    assert (snapshot.schema, snapshot.partition_by, snapshot.files) == (SCHEMA, (), ())
    assert snapshot.rows == 0


def test_a_location_holds_one_table(kit: Kit, table: LakeTable) -> None:
    with pytest.raises(NameTaken):
        kit.lake.create(kit.uri(), SCHEMA, (), {})


def test_a_location_without_a_table_is_named(kit: Kit) -> None:
    with pytest.raises(NotATable, match="nowhere"):
        kit.lake.open(kit.uri("nowhere"))


def test_a_version_that_is_not_there_is_lost(kit: Kit, table: LakeTable) -> None:
    with pytest.raises(LostHistory, match="7"):
        table.snapshot(7)


def test_a_handle_sees_what_others_commit(kit: Kit, table: LakeTable) -> None:
    other = kit.lake.open(kit.uri())
    append(kit, other, "ab")
    assert table.head().version == 1
    assert bag_of(table.snapshot(1)) == rows(a=1, b=1)


def test_a_table_made_again_has_another_id(kit: Kit, table: LakeTable) -> None:
    before = table.head().id
    kit.drop(kit.uri())
    again = kit.lake.create(kit.uri(), SCHEMA, (), {})
    assert again.head().id != before
    assert table.head().id == again.head().id


def test_history_is_newest_first_with_our_metadata(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a", token="one")
    table.commit(Commit(1, "REFRESH", "two", metadata={"receipt": {"rows": 3}}))
    newest, insert, creation = table.history()
    assert [h.version for h in (newest, insert, creation)] == [2, 1, 0]
    assert (newest.operation, newest.metadata["token"]) == ("REFRESH", "two")
    assert newest.metadata["receipt"] == {"rows": 3}
    assert (insert.operation, insert.data_change) == ("INSERT", True)
    assert creation.metadata == {}
    assert newest.timestamp >= insert.timestamp > 1_600_000_000_000
    assert [h.version for h in table.history(2)] == [2, 1]


def test_history_that_is_gone_is_lost(kit: Kit, table: LakeTable) -> None:
    for names in "abc":
        append(kit, table, names)
    kit.clean_log(table)
    assert isinstance(table.changes(1, 3), Lost)
    with pytest.raises(LostHistory):
        table.snapshot(1)
    assert bag_of(table.snapshot(3)) == rows(a=1, b=1, c=1)


def test_going_back_is_lost(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    assert isinstance(table.changes(1, 0), Lost)


def test_a_version_beyond_the_head_is_lost(kit: Kit, table: LakeTable) -> None:
    assert isinstance(table.changes(0, 3), Lost)
    assert isinstance(table.changes(2, 3), Lost)


def test_vacuum_keeps_what_the_head_needs(kit: Kit, table: LakeTable) -> None:
    first, kept = append(kit, table, "a"), append(kit, table, "b")
    table.commit(Commit(2, "DELETE", "d", removes=(first,)))
    assert table.vacuum(0, dry_run=True) == (first.path,)
    check_changes(table, 2, 3)
    assert table.vacuum(0, dry_run=False) == (first.path,)
    assert [f.path for f in table.snapshot(3).files] == [kept.path]
    assert bag_of(table.snapshot(3)) == rows(b=1)


def test_vacuumed_changes_are_lost(kit: Kit, table: LakeTable) -> None:
    first = append(kit, table, "a")
    table.commit(Commit(1, "DELETE", "d", removes=(first,)))
    table.vacuum(0, dry_run=False)
    lost = table.changes(1, 2)
    assert isinstance(lost, Lost)
    assert "vacuumed" in lost.reason


def test_vacuum_within_the_retention_takes_nothing(kit: Kit, table: LakeTable) -> None:
    first = append(kit, table, "ab")
    second = write(kit, table, "b")
    minus = write(kit, table, "a")
    table.commit(Commit(1, "DELETE", "d", (second,), (first,), (minus,), has_change_files=True))
    assert table.vacuum(1, dry_run=False) == ()
    assert check_changes(table, 1, 2).ways == (("change files", 1),)
