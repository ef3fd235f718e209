"""Rows deleted in files that stay: the contract of every lake."""

from __future__ import annotations

import pytest

from everview.errors import CommitConflict, CommitFailed
from everview.facts.files import Positions, TableFile
from everview.facts.tables import Commit, Mark
from everview.lake.port import LakeTable
from tests.lake.kits import Kit
from tests.lake.reading import Bag, bag_of, check_changes, signed_bag


def bag(**counts: int) -> Bag:
    return Bag({(repr(ord(name) - 96), repr(name)): n for name, n in counts.items() if n})


def append(kit: Kit, table: LakeTable, names: str) -> TableFile:
    file = kit.write_rows(table, [(ord(name) - 96, name) for name in names])
    table.commit(Commit(table.head().version, "INSERT", f"append {names}", adds=(file,)))
    return file


def delete(table: LakeTable, file: TableFile, *rows: int, token: str = "delete") -> int:
    base = table.head().version
    return table.commit(Commit(base, "DELETE", token, marks=(Mark(file, Positions(rows)),)))


def test_marked_rows_are_gone_and_are_the_change(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "abcb")
    assert table.why_not_mark() == ""
    assert delete(table, file, 1, 2) == 2
    assert bag_of(table.snapshot(2)) == bag(a=1, b=1)
    assert table.snapshot(2).rows == 2
    changes = check_changes(table, 1, 2)
    assert +signed_bag(changes) == bag()
    assert -signed_bag(changes) == bag(b=1, c=1)
    check_changes(table, 0, 2)


def test_rows_are_marked_and_files_added_by_one_commit(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "abc")
    new = kit.write_rows(table, [(26, "z")])
    marks = (Mark(file, Positions([0])),)
    update = Commit(1, "UPDATE", "u", adds=(new,), marks=marks, transactions=(("app", 7),))
    assert table.commit(update) == 2
    assert bag_of(table.snapshot(2)) == bag(b=1, c=1, z=1)
    assert table.transaction("app") == 7
    assert table.find_token("u", 1) == 2
    changes = check_changes(table, 1, 2)
    assert signed_bag(changes) == Bag({**bag(z=1), ("1", "'a'"): -1})


def test_a_file_without_rows_left_is_removed(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "ab")
    delete(table, file, 0, 1)
    assert bag_of(table.snapshot(2)) == bag()
    assert table.snapshot(2).rows == 0
    check_changes(table, 1, 2)


def test_marks_land_only_on_their_base(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "ab")
    append(kit, table, "c")
    with pytest.raises(CommitConflict):
        table.commit(Commit(1, "DELETE", "late", marks=(Mark(file, Positions([0])),)))
    assert bag_of(table.snapshot(table.head().version)) == bag(a=1, b=1, c=1)


def test_marks_that_landed_unheard_are_found(
    kit: Kit, table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = append(kit, table, "ab")
    kit.lose_acknowledgement(monkeypatch)
    assert delete(table, file, 0) == 2
    assert bag_of(table.snapshot(2)) == bag(b=1)


def test_marks_that_did_not_land_leave_the_rows(
    kit: Kit, table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = append(kit, table, "ab")
    with monkeypatch.context() as patch:
        kit.break_storage(patch)
        with pytest.raises(CommitFailed):
            delete(table, file, 0)
    assert bag_of(table.snapshot(1)) == bag(a=1, b=1)
    assert delete(table, file, 0) == 2
