"""What the steps of a refresh made of the stored rows, for the one commit that publishes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everview.facts.files import DataFile, Positions, RowSelection, TableFile
from everview.facts.merge_on_read import Replacing
from everview.facts.tables import Mark
from everview.run.rows.write import Written

_NOTHING = Written(())


@dataclass(frozen=True, slots=True)
class Replaced:
    """The files that come and those that go, and rows marked as deleted in files that stay;
    nothing of these where no row changes.

    `with_changes` says that change files were written beside the rows, if there was any change:
    without them, readers of changes compare the files that come with those that go. `compared`
    says that all rows were recomputed, and only those that differ are told. `how` says how stored
    rows were replaced, None where none were or all of them.
    """

    written: Written = _NOTHING
    removed: tuple[TableFile, ...] = ()
    with_changes: bool = False
    marks: tuple[Mark, ...] = ()
    compared: bool = False
    how: Replacing | None = None

    @property
    def removed_rows(self) -> int:
        return sum(f.rows or 0 for f in self.removed)

    def files_after(self, before: Sequence[TableFile]) -> tuple[TableFile, ...]:
        """The files of the table after the commit."""
        gone = {f.path for f in self.removed}
        marked = {mark.file.path: mark.rows for mark in self.marks}
        kept = (_marked(f, marked.get(f.path)) for f in before if f.path not in gone)
        return (*(f for f in kept if f.rows != 0), *self.written.rows)

    @property
    def has_change_files(self) -> bool:
        """Whether the commit is told by its change files alone, be there none."""
        some = self.written.plus + self.written.minus
        return bool(some) or (self.with_changes and bool(self.removed))


def _marked(file: TableFile, rows: Positions | None) -> TableFile:
    """A file in which more rows are deleted."""
    if rows is None or not isinstance(file, DataFile):
        return file
    deleted = file.deleted | rows
    physical = file.physical_rows
    left = None if physical is None else physical - len(deleted)
    return replace(file, rows=left, selection=RowSelection(deleted, "without"))
