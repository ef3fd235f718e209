"""Changes of several commits added up, with the names of the ways they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from everview.facts.files import ChangeFile, Sign, TableFile

CHANGE_FILES = "change files"
APPENDED = "appended files"
FEED = "change data feed"
DIFFERENCE = "file difference"
NOTHING = "no data change"


@dataclass
class Summed:
    """Signed files of a range of commits; a file that was added and removed again cancels."""

    _given: list[ChangeFile] = field(default_factory=list)
    _weights: Counter[str] = field(default_factory=Counter)
    _files: dict[str, TableFile] = field(default_factory=dict)
    _ways: Counter[str] = field(default_factory=Counter)

    def count(self, way: str) -> None:
        self._ways[way] += 1

    def give(self, files: Iterable[TableFile], sign: Sign) -> None:
        """Files made to tell changes: they are not files of the table, so they never cancel."""
        self._given += [ChangeFile(file, sign) for file in files]

    def add(self, file: TableFile, weight: int) -> None:
        """A file of the table that was added (+1) or removed (-1)."""
        self._weights[file.path] += weight
        known = self._files.get(file.path)
        if known is None or known.rows is None:
            self._files[file.path] = file

    @property
    def is_single(self) -> bool:
        """Whether no file counts twice, as it does after a restore across a compaction.

        Such sums are of no use: Spark, given one path twice, need not read it twice.
        """
        return all(abs(weight) < 2 for weight in self._weights.values())

    @property
    def files(self) -> tuple[ChangeFile, ...]:
        net = (
            ChangeFile(self._files[path], Sign.PLUS if weight > 0 else Sign.MINUS)
            for path, weight in self._weights.items()
            if weight
        )
        return (*self._given, *net)

    @property
    def ways(self) -> tuple[tuple[str, int], ...]:
        return tuple(sorted(self._ways.items()))
