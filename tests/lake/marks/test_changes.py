"""Changes of tables between versions with deletion vectors."""

from __future__ import annotations

import json
from pathlib import Path

from deltalake import DeltaTable

from everview.facts.files import DataFile, Positions, Sign
from everview.facts.tables import Changes, Commit, Mark
from everview.lake.delta.table import EmbeddedTable
from tests.lake.marks.marking import FEW, MANY, actions, made, mark, rewrite
from tests.lake.reading import bag_of, check_changes


def signs(changes: Changes) -> list[tuple[Sign, str, int | None]]:
    return [
        (c.sign, c.file.selection.kind if c.file.selection else "whole", c.file.rows)
        for c in changes.files
        if isinstance(c.file, DataFile)
    ]


def test_marks_of_several_commits_are_one_selection(table: EmbeddedTable) -> None:
    mark(table, FEW)
    mark(table, MANY)
    changes = check_changes(table, 0, 2)
    assert signs(changes) == [(Sign.MINUS, "only", len(FEW | MANY))]
    assert changes.ways == (("deletion vectors", 2),)
    assert signs(check_changes(table, 1, 2)) == [(Sign.MINUS, "only", len(MANY - FEW))]
    assert check_changes(table, 0, 2).delete_only


def test_a_compaction_after_marks_is_no_change(table: EmbeddedTable) -> None:
    mark(table, MANY)
    DeltaTable(table.uri).optimize.compact()
    compacted = table.head().version
    base = table.snapshot(compacted)
    if compacted == 1:  # one file alone is not compacted by the library
        rewrite(table, data_change=False)
        base = table.snapshot(2)
    assert base.rows == 10_000 - len(MANY)
    changes = check_changes(table, 0, base.version)
    assert signs(changes) == [(Sign.MINUS, "only", len(MANY))]
    assert all(f.deleted == Positions() for f in base.files if isinstance(f, DataFile))


def test_a_file_marked_and_removed_is_removed_as_it_was_before(table: EmbeddedTable) -> None:
    mark(table, FEW)
    table.commit(Commit(1, "DELETE", "all", removes=table.snapshot(1).files))
    assert table.snapshot(2).files == ()
    assert signs(check_changes(table, 0, 2)) == [(Sign.MINUS, "whole", 10_000)]
    assert signs(check_changes(table, 1, 2)) == [(Sign.MINUS, "without", 9_998)]


def test_a_restore_brings_marked_rows_back(table: EmbeddedTable) -> None:
    mark(table, FEW)
    rewrite(table, data_change=False)
    mark(table, MANY & Positions(range(9_000)))
    DeltaTable(table.uri).restore(0)
    for old in range(4):
        check_changes(table, old, 4)
    assert bag_of(table.snapshot(4)) == bag_of(table.snapshot(0))


def test_changes_are_told_by_the_ends_where_a_vector_between_is_gone(table: EmbeddedTable) -> None:
    mark(table, MANY)
    mark(table, Positions(range(1, 9_999, 2)))
    between = actions(table, 1, "add")[0]["deletionVector"]
    (name,) = [
        p
        for p in (Path(table.uri) / "_dv").iterdir()
        if p.stat().st_size == between["sizeInBytes"] + 9
    ]
    name.unlink()
    changes = check_changes(table, 0, 2)
    assert changes.ways == (("file difference", 2),)
    assert "vacuumed" in getattr(table.changes(1, 2), "reason", "")


def test_marks_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    table = made(tmp_path / "t", partition_by=["s"])
    base = table.snapshot(0)
    first = base.files[0]
    table.commit(Commit(0, "D", "1", marks=tuple(Mark(f, FEW) for f in base.files)))
    table.checkpoint()
    table.commit(Commit(1, "D", "2", marks=(Mark(first, Positions([9])),)))
    table.checkpoint()
    for version in range(2):
        (tmp_path / f"t/_delta_log/{version:020d}.json").unlink()
    table.commit(Commit(2, "D", "3", marks=(Mark(first, Positions([10])),)))
    assert [f.deleted for f in table.snapshot(3).files if isinstance(f, DataFile)] == [
        FEW | Positions([9, 10] if f.path == first.path else []) for f in base.files
    ]
    (add,) = actions(table, 3, "add")
    assert json.loads(add["stats"])["numRecords"] == first.rows
    assert add["partitionValues"] == dict(first.partition)
    check_changes(table, 2, 3)
