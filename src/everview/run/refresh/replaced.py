"""What the steps of a refresh made of the stored rows, for the one commit that publishes it."""

from __future__ import annotations

from dataclasses import dataclass

from everview.facts.files import TableFile
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

    @property
    def has_change_files(self) -> bool:
        """Whether the commit is told by its change files alone, be there none."""
        some = self.written.plus + self.written.minus
        return bool(some) or (self.with_changes and bool(self.removed))
