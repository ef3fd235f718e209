"""Which files of a view are rewritten after a refresh, and why."""

from __future__ import annotations

from everview.choose.compaction import MOST_SMALL, compaction_due
from everview.facts.files import DataFile, Positions, RowSelection

MB = 1_000_000
WANTED = 64 * MB


def _file(name: int, size: int, rows: int = 10_000, marked: int = 0) -> DataFile:
    chosen = RowSelection(Positions(range(marked)), "without") if marked else None
    return DataFile(f"{name:03}", size, rows - marked, selection=chosen)


def test_a_few_small_files_and_few_deleted_rows_stay() -> None:
    small = [_file(i, MB) for i in range(MOST_SMALL)]
    assert compaction_due([*small, _file(99, 60 * MB, marked=1500)], WANTED) is None
    assert compaction_due([_file(0, MB, rows=2_000, marked=999)], WANTED) is None
    assert compaction_due([], WANTED) is None


def test_many_small_files_become_one() -> None:
    small = [_file(i, MB) for i in range(MOST_SMALL + 1)]
    due = compaction_due([_file(99, 60 * MB, marked=9000), *small], WANTED)
    assert due is not None
    assert due.files == tuple(small)
    assert due.reason == "17 files were under 8.0 MB"


def test_no_more_is_rewritten_than_makes_a_file() -> None:
    small = [_file(i, 7 * MB) for i in range(40)]
    due = compaction_due([*small, _file(50, MB)], WANTED)
    assert due is not None
    assert [f.path for f in due.files] == ["050", *(f"{i:03}" for i in range(9))]
    assert due.bytes == WANTED


def test_a_file_of_many_deleted_rows_is_rewritten() -> None:
    some, holey = _file(0, 60 * MB, marked=1500), _file(1, 70 * MB, marked=1501)
    due = compaction_due([some, holey, _file(2, 80 * MB, marked=5000)], WANTED)
    assert due is not None
    assert due.files == (holey,)
    assert due.reason == "6,501 deleted rows were more than 15% of their files"


def test_a_file_of_unknown_rows_is_left() -> None:
    assert compaction_due([DataFile("a", 60 * MB)], WANTED) is None
