"""The contract of the port: every lake passes the same tests."""

from __future__ import annotations

import pytest

from everview.errors import (
    CommitConflict,
    CommitFailed,
    CommitUnknown,
    LostHistory,
    NameTaken,
    NotATable,
)
from everview.facts.files import Sign, TableFile
from everview.facts.tables import Commit, Lost
from everview.lake.port import LakeTable
from tests.lake.kits import SCHEMA, Kit
from tests.lake.reading import Bag, bag_of, check_changes, signed_bag


def rows(**counts: int) -> Bag:
    """`rows(a=2)` is the row (1, 'a') twice: the number of a row is the place of its letter."""
    return Bag({(repr(ord(name) - 96), repr(name)): n for name, n in counts.items()})


def write(kit: Kit, table: LakeTable, names: str) -> TableFile:
    return kit.write_rows(table, [(ord(name) - 96, name) for name in names])


def append(kit: Kit, table: LakeTable, names: str, token: str = "t") -> TableFile:
    file = write(kit, table, names)
    base = table.head().version
    assert table.commit(Commit(base, "INSERT", token, adds=(file,))) == base + 1
    return file


# creation, head, snapshot


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


# commits and their changes


def test_an_append_is_the_added_file(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "aab")
    changes = check_changes(table, 0, 1)
    assert [(c.file.path, c.sign) for c in changes.files] == [(file.path, Sign.PLUS)]
    assert changes.ways == (("appended files", 1),)
    assert changes.insert_only
    assert changes.rows == 3
    assert signed_bag(changes) == rows(a=2, b=1)


def test_removing_and_adding_is_the_difference(kit: Kit, table: LakeTable) -> None:
    first = append(kit, table, "ab")
    second = write(kit, table, "bc")
    table.commit(Commit(1, "UPDATE", "u", adds=(second,), removes=(first,)))
    changes = check_changes(table, 1, 2)
    assert changes.ways == (("file difference", 1),)
    assert changes.rows == 4
    assert bag_of(table.snapshot(2)) == rows(b=1, c=1)
    assert bag_of(table.snapshot(1)) == rows(a=1, b=1)


def test_an_overwrite_removes_everything_before(kit: Kit, table: LakeTable) -> None:
    files = (append(kit, table, "ab"), append(kit, table, "cd"))
    new = write(kit, table, "e")
    table.commit(Commit(2, "OVERWRITE", "o", adds=(new,), removes=files))
    check_changes(table, 2, 3)
    check_changes(table, 0, 3)
    assert bag_of(table.snapshot(3)) == rows(e=1)


def test_a_delete_of_whole_files_is_delete_only(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "ab")
    table.commit(Commit(1, "DELETE", "d", removes=(file,)))
    assert check_changes(table, 1, 2).delete_only


def test_compaction_is_no_change(kit: Kit, table: LakeTable) -> None:
    files = (append(kit, table, "a"), append(kit, table, "b"))
    merged = write(kit, table, "ab")
    table.commit(Commit(2, "COMPACT", "c", adds=(merged,), removes=files, data_change=False))
    changes = check_changes(table, 2, 3)
    assert changes.empty
    assert changes.ways == (("no data change", 1),)
    assert [f.path for f in table.snapshot(3).files] == [merged.path]


def test_changes_across_a_compaction_read_the_appended_files(kit: Kit, table: LakeTable) -> None:
    files = (append(kit, table, "a"), append(kit, table, "b"))
    merged = write(kit, table, "ab")
    table.commit(Commit(2, "COMPACT", "c", adds=(merged,), removes=files, data_change=False))
    changes = check_changes(table, 1, 3)
    assert [c.file.path for c in changes.files] == [files[1].path]


def test_changes_are_summed_over_commits(kit: Kit, table: LakeTable) -> None:
    for names in ("a", "b", "cc"):
        append(kit, table, names)
    changes = check_changes(table, 0, 3)
    assert signed_bag(changes) == rows(a=1, b=1, c=2)
    assert changes.ways == (("appended files", 3),)


def test_a_file_added_and_removed_in_the_range_cancels(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "ab")
    table.commit(Commit(1, "DELETE", "d", removes=(file,)))
    assert check_changes(table, 0, 2).empty


def test_a_file_removed_and_put_back_cancels(kit: Kit, table: LakeTable) -> None:
    file = append(kit, table, "ab")
    table.commit(Commit(1, "DELETE", "d", removes=(file,)))
    table.commit(Commit(2, "RESTORE", "r", adds=(file,)))
    assert check_changes(table, 1, 3).empty


def test_a_restore_across_a_compaction_names_no_file_twice(kit: Kit, table: LakeTable) -> None:
    old, new = append(kit, table, "a"), append(kit, table, "b")
    merged = write(kit, table, "ab")
    table.commit(Commit(2, "COMPACT", "c", (merged,), (old, new), data_change=False))
    table.commit(Commit(3, "RESTORE", "r", adds=(old, new), removes=(merged,)))
    changes = check_changes(table, 1, 4)
    assert [(c.file.path, c.sign) for c in changes.files] == [(new.path, Sign.PLUS)]
    assert changes.ways == (("file difference", 3),)


def test_no_versions_apart_is_no_change(kit: Kit, table: LakeTable) -> None:
    append(kit, table, "a")
    changes = check_changes(table, 1, 1)
    assert changes.empty
    assert changes.ways == ()


def test_change_files_are_preferred(kit: Kit, table: LakeTable) -> None:
    first = append(kit, table, "abcdefgh")
    second = write(kit, table, "bcdefghz")
    minus, plus = write(kit, table, "a"), write(kit, table, "z")
    table.commit(
        Commit(1, "UPDATE", "u", (second,), (first,), (minus,), (plus,), has_change_files=True)
    )
    changes = check_changes(table, 1, 2)
    assert changes.ways == (("change files", 1),)
    assert [(c.file.path, c.sign) for c in changes.files] == [
        (minus.path, Sign.MINUS),
        (plus.path, Sign.PLUS),
    ]
    assert changes.rows == 2
    assert {f.path for f in table.snapshot(2).files} == {second.path}


def test_change_files_and_files_add_up(kit: Kit, table: LakeTable) -> None:
    first = append(kit, table, "abc")
    second = write(kit, table, "bcz")
    parts = ((write(kit, table, "a"),), (write(kit, table, "z"),))
    table.commit(Commit(1, "UPDATE", "u", (second,), (first,), *parts, has_change_files=True))
    table.commit(Commit(2, "DELETE", "d", removes=(second,)))
    changes = check_changes(table, 0, 3)
    assert {way for way, _ in changes.ways} == {
        "appended files",
        "change files",
        "file difference",
    }


def test_change_files_that_say_nothing_are_no_rows(kit: Kit, table: LakeTable) -> None:
    first = append(kit, table, "ab")
    second = write(kit, table, "ba")
    table.commit(Commit(1, "UPDATE", "u", (second,), (first,), has_change_files=True))
    assert check_changes(table, 1, 2).empty


# compare-and-swap, tokens, transactions


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


# identity, history, lost history


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


# vacuum


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
