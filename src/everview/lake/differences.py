"""The signed difference of two file lists, where a file is its path and its deleted rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from everview.facts.files import Bounds, ChangeFile, DataFile, Positions, RowSelection, Sign


def file_difference(old: tuple[DataFile, ...], new: tuple[DataFile, ...]) -> tuple[ChangeFile, ...]:
    """rows(new) - rows(old): files of one side, and rows in which a shared file differs."""
    before = {file.path: file for file in old}
    after = {file.path: file for file in new}
    return (
        *(ChangeFile(file, Sign.MINUS) for path, file in before.items() if path not in after),
        *(ChangeFile(file, Sign.PLUS) for path, file in after.items() if path not in before),
        *(
            change
            for path, file in after.items()
            if path in before
            for change in _row_difference(before[path], file)
        ),
    )


def _row_difference(old: DataFile, new: DataFile) -> Iterator[ChangeFile]:
    before, after = old.deleted, new.deleted
    for rows, sign in ((after - before, Sign.MINUS), (before - after, Sign.PLUS)):
        if rows:
            yield ChangeFile(only_rows(new, rows), sign)


def only_rows(file: DataFile, rows: Positions) -> DataFile:
    """Some rows of a file."""
    return replace(file, rows=len(rows), bounds=_around(file), selection=RowSelection(rows, "only"))


def without_rows(file: DataFile, deleted: Positions) -> DataFile:
    """A file that counts all its rows, without some of them."""
    if not deleted:
        return file
    left = None if file.rows is None else file.rows - len(deleted)
    bounds = tuple(
        (n, replace(b, nulls=_nulls_left(b.nulls, file.rows, left))) for n, b in file.bounds
    )
    return replace(file, rows=left, bounds=bounds, selection=RowSelection(deleted, "without"))


def _nulls_left(nulls: int | None, rows: int | None, left: int | None) -> int | None:
    """A null count stays known if none or all were NULL."""
    if nulls == 0:
        return 0
    return left if nulls == rows else None


def _around(file: DataFile) -> tuple[tuple[str, Bounds], ...]:
    """Some rows of a file lie within its bounds; how many of them are NULL is not known."""
    return tuple((name, replace(bounds, nulls=None)) for name, bounds in file.bounds)
