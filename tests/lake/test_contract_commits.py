"""The contract of the port: one writer at a time, tokens, transactions."""

from __future__ import annotations

import pytest

from everview.errors import (
    CommitConflict,
    CommitFailed,
    CommitUnknown,
)
from everview.facts.tables import Commit
from everview.lake.port import LakeTable
from tests.lake.kits import Kit
from tests.lake.letters import append, rows, write
from tests.lake.reading import bag_of, check_changes


def test_a_stale_base_is_a_conflict_even_for_an_append(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    stale = write(kit, table, "b")
    with pytest.raises(CommitConflict):
        table.commit(Commit(0, "INSERT", "late", adds=(stale,)))
    assert table.head().version == 1
    assert bag_of(table.snapshot(1)) == rows(a=1)


def test_a_stale_commit_of_transactions_is_a_conflict(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    with pytest.raises(CommitConflict):
        table.commit(Commit(0, "WATERMARK", "late", transactions=(("app", 3),)))
    assert table.transaction("app") is None


def test_a_lost_acknowledgement_is_a_success(
    kit: Kit, table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(kit, table, "a")
    kit.lose_acknowledgement(monkeypatch)
    assert table.commit(Commit(0, "INSERT", "mine", adds=(file,))) == 1
    assert table.head().version == 1


def test_a_commit_made_again_after_a_crash_is_not_applied_twice(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "a", token="mine")
    assert table.commit(Commit(0, "INSERT", "mine", adds=(file,))) == 1
    assert table.head().version == 1


def test_a_storage_error_that_landed_nothing_is_told_as_such(
    kit: Kit, table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(kit, table, "a")
    kit.break_storage(monkeypatch)
    with pytest.raises(CommitFailed, match="no way"):
        table.commit(Commit(0, "INSERT", "mine", adds=(file,)))
    assert table.head().version == 0


def test_a_storage_error_after_another_commit_is_a_conflict(
    kit: Kit, table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(kit, table, "a")
    append(kit, table, "b", token="theirs")
    kit.break_storage(monkeypatch)
    with pytest.raises(CommitConflict):
        table.commit(Commit(0, "INSERT", "mine", adds=(file,)))


def test_a_token_is_found_after_its_base(kit: Kit, table: LakeTable) -> None:
    for token in ("one", "two", "three"):
        append(kit, table, "a", token)
    assert table.find_token("two", 0) == 2
    assert table.find_token("two", 1) == 2
    assert table.find_token("two", 2) is None
    assert table.find_token("four", 0) is None


def test_a_token_is_unknown_where_history_is_gone(kit: Kit, table: LakeTable) -> None:
    for token in ("one", "two", "three"):
        append(kit, table, "a", token)
    kit.clean_log(table)
    with pytest.raises(CommitUnknown):
        table.find_token("one", 0)


def test_transactions_survive_a_cleanup(kit: Kit, table: LakeTable) -> None:
    table.commit(Commit(0, "WATERMARK", "w", transactions=(("app", 5), ("other", 1))))
    table.commit(Commit(1, "WATERMARK", "x", transactions=(("app", 6),)))
    kit.clean_log(table)
    assert table.transaction("app") == 6
    assert table.transaction("other") == 1
    assert table.transaction("third") is None


def test_a_commit_of_transactions_is_no_change(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    table.commit(Commit(1, "WATERMARK", "w", transactions=(("app", 5),)))
    changes = check_changes(table, 1, 2)
    assert changes.empty
    assert changes.ways == (("no data change", 1),)
    assert table.history(1)[0].data_change is False
