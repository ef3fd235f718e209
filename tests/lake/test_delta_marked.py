"""Tables with marked rows: their changes, deaths while they are marked, and what is left behind."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from everview.errors import CommitFailed
from everview.facts.files import DataFile, Positions, Sign
from everview.facts.tables import Commit, Mark, TableChanges
from everview.lake.delta import commit_file, marks
from everview.lake.delta.table import EmbeddedTable
from tests.lake.marking import FEW, MANY, actions, made, mark, only_file, rewrite, vector_files
from tests.lake.reading import bag_of, check_changes
from tests.lake.vectors import VectorTable


@pytest.fixture
def table(tmp_path: Path) -> EmbeddedTable:
    return made(tmp_path / "t")


def signs(changes: TableChanges) -> list[tuple[Sign, str, int | None]]:
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


# faults and leftovers


class Died(Exception):
    """The process ends here."""


@pytest.mark.parametrize("lands", [False, True])
@pytest.mark.parametrize("place", ["vectors", "commit"])
def test_a_death_leaves_the_old_or_the_new_rows(
    table: EmbeddedTable, monkeypatch: pytest.MonkeyPatch, place: str, lands: bool
) -> None:
    """Before and after each file that a commit with vectors puts."""
    module = marks if place == "vectors" else commit_file
    put = module.put_if_absent

    def dying(*args: Any) -> None:
        if lands:
            put(*args)
        raise Died(place)

    with monkeypatch.context() as patch:
        patch.setattr(module, "put_if_absent", dying)
        if (place, lands) == ("commit", True):
            assert mark(table, MANY) == 1, "it is found by its token"
        else:
            with pytest.raises(CommitFailed, match=place):
                mark(table, MANY)
    landed = table.head().version
    assert bag_of(table.snapshot(landed)).total() == 10_000 - landed * len(MANY)
    if not landed:
        mark(table, MANY)
    live = actions(table, 1, "add")[0]["deletionVector"]["cardinality"]
    assert live == len(MANY)
    time.sleep(0.01)
    table.vacuum(0, dry_run=False)
    assert len(vector_files(table)) == 1, "the leftover is gone, the vector in use is not"
    assert bag_of(table.snapshot(1)).total() == 10_000 - len(MANY)


def test_vacuum_keeps_the_vectors_of_versions_within_the_retention(table: EmbeddedTable) -> None:
    mark(table, MANY)
    mark(table, Positions(range(1, 9_999, 2)))
    assert len(vector_files(table)) == 2
    assert table.vacuum(1, dry_run=False) == ()
    check_changes(table, 1, 2)
    time.sleep(0.01)
    doomed = table.vacuum(0, dry_run=True)
    assert len(doomed) == 1
    table.checkpoint()
    (Path(table.uri) / f"_delta_log/{1:020d}.json").unlink()
    assert table.vacuum(0, dry_run=False) == doomed
    assert len(vector_files(table)) == 1
    assert bag_of(table.snapshot(2)).total() == table.snapshot(2).rows
    rewrite(table, data_change=False)
    time.sleep(0.01)
    table.vacuum(0, dry_run=False)
    assert vector_files(table) == set()


def test_vacuum_keeps_the_vectors_of_other_writers(table: EmbeddedTable) -> None:
    """They lie at the root, where the library takes them for files that nobody needs."""
    mark(table, MANY)
    (ours,) = (Path(table.uri) / "_dv").iterdir()
    theirs = ours.rename(Path(table.uri) / ours.name)
    path = Path(table.uri) / f"_delta_log/{1:020d}.json"
    path.write_text(path.read_text().replace('"pathOrInlineDv": "_dv', '"pathOrInlineDv": "'))
    assert table.snapshot(1).rows == 10_000 - len(MANY)
    assert theirs.name in DeltaTable(table.uri).vacuum(
        0, dry_run=True, enforce_retention_duration=False, full=True
    )
    table.vacuum(0, dry_run=False)
    assert theirs.exists()


# vectors of other writers


def test_rows_are_marked_beside_vectors_of_another_writer(tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    foreign = VectorTable(tmp_path / "t")
    foreign.delete(foreign.files()[0], {2, 70})
    mark(table, FEW)
    assert only_file(table).deleted == Positions([1, 2, 5, 70])
    rewrite(table, data_change=False)
    assert table.snapshot(3).rows == 9_996
    for old in range(3):
        check_changes(table, old, 3)
