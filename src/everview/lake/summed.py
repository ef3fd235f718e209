"""Changes of several commits added up, with the names of the ways they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from everview.facts.files import NO_ROWS, ChangeFile, DataFile, Positions, Sign, TableFile
from everview.lake.differences import only_rows, without_rows

CHANGE_FILES = "change files"
APPENDED = "appended files"
FEED = "change data feed"
VECTORS = "deletion vectors"
DIFFERENCE = "file difference"
NO_DATA_CHANGE = "no data change"


@dataclass
class RowWeights:
    """How often each row of a file was added, less how often it was removed: rows by their weight,
    and the weight of all the others.
    """

    others: int = 0
    rows: dict[int, Positions] = field(default_factory=dict)

    def add(self, weight: int, deleted: Positions = NO_ROWS) -> None:
        """Add a weight to all rows that are not deleted."""
        self.others += weight
        moved: dict[int, Positions] = {}
        known = NO_ROWS
        for before, rows in self.rows.items():
            known |= rows
            for after, some in ((before, rows & deleted), (before + weight, rows - deleted)):
                moved[after] = moved.get(after, NO_ROWS) | some
        kept = self.others - weight
        moved[kept] = moved.get(kept, NO_ROWS) | (deleted - known)
        self.rows = {w: rows for w, rows in moved.items() if rows and w != self.others}

    @property
    def is_single(self) -> bool:
        return all(abs(weight) < 2 for weight in (self.others, *self.rows))

    def changes(self, file: TableFile) -> Iterator[ChangeFile]:
        """The file, or rows of it, by sign; `file` counts all its rows."""
        for weight, sign in ((1, Sign.PLUS), (-1, Sign.MINUS)):
            if self.others == weight:
                yield ChangeFile(self._without(file, self.rows.values()), sign)
            elif weight in self.rows and isinstance(file, DataFile):
                yield ChangeFile(only_rows(file, self.rows[weight]), sign)

    def _without(self, file: TableFile, deleted: Iterable[Positions]) -> TableFile:
        if not isinstance(file, DataFile):
            return file
        return without_rows(file, NO_ROWS.union(*deleted))


@dataclass
class Summed:
    """Signed files of a range of commits; a file that was added and removed again cancels."""

    _given: list[ChangeFile] = field(default_factory=list)
    _weights: dict[str, RowWeights] = field(default_factory=dict)
    _files: dict[str, TableFile] = field(default_factory=dict)
    _ways: Counter[str] = field(default_factory=Counter)

    def count(self, way: str) -> None:
        self._ways[way] += 1

    def give(self, files: Iterable[TableFile], sign: Sign) -> None:
        """Files made to tell changes: they are not files of the table, so they never cancel."""
        self._given += [ChangeFile(file, sign) for file in files]

    def add(self, file: TableFile, weight: int, deleted: Positions = NO_ROWS) -> None:
        """A file of the table, that counts all its rows, was added (+1) or removed (-1) without
        the deleted ones.
        """
        self._weights.setdefault(file.path, RowWeights()).add(weight, deleted)
        known = self._files.get(file.path)
        if known is None or known.rows is None:
            self._files[file.path] = file

    @property
    def is_single(self) -> bool:
        """Whether no row counts twice, as it does after a restore across a compaction.

        Such sums are of no use: Spark, given one path twice, need not read it twice.
        """
        return all(weights.is_single for weights in self._weights.values())

    @property
    def files(self) -> tuple[ChangeFile, ...]:
        net = (
            change
            for path, weights in self._weights.items()
            for change in weights.changes(self._files[path])
        )
        return (*self._given, *net)

    @property
    def ways(self) -> tuple[tuple[str, int], ...]:
        return tuple(sorted(self._ways.items()))
