"""The signed difference of two file lists, where a file is its path and its deleted rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from everview.facts.files import Bounds, ChangeFile, DataFile, RowSelection, Sign


def difference(old: tuple[DataFile, ...], new: tuple[DataFile, ...]) -> tuple[ChangeFile, ...]:
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
    before, after = _deleted(old), _deleted(new)
    for rows, sign in ((after - before, Sign.MINUS), (before - after, Sign.PLUS)):
        if rows:
            selection = RowSelection(tuple(sorted(rows)), "only")
            some = replace(new, rows=len(rows), bounds=_around(new), selection=selection)
            yield ChangeFile(some, sign)


def _around(file: DataFile) -> tuple[tuple[str, Bounds], ...]:
    """Some rows of a file lie within its bounds; how many of them are NULL is not known."""
    return tuple((name, replace(bounds, nulls=None)) for name, bounds in file.bounds)


def _deleted(file: DataFile) -> frozenset[int]:
    return frozenset(file.selection.rows) if file.selection else frozenset()
