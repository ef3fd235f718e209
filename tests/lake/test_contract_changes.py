"""The contract of the port: what each commit changes, told for a range of versions."""

from __future__ import annotations

from everview.facts.files import Sign
from everview.facts.tables import Commit
from everview.lake.port import LakeTable
from tests.lake.kits import Kit
from tests.lake.letters import append, rows, write
from tests.lake.reading import bag_of, check_changes, signed_bag


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
