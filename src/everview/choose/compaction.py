"""Which stored files are worth rewriting now: many small ones, or ones of deleted rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from everview.facts.files import DataFile, TableFile
from everview.facts.wording import size_text

# Every file costs each reader some time to open, whatever it holds, and every refresh may append
# one: so small files go first. Deleted rows cost what reading them costs.
SMALL_PART = 8  # a file is small below this part of the size that files should have
MOST_SMALL = 16  # small files that are left as they are
MOST_SHARE_MARKED = 0.15  # share of a file's rows that may be marked as deleted
LEAST_MARKED = 1_000  # deleted rows; fewer are read faster than they are rewritten


@dataclass(frozen=True, slots=True)
class Compaction:
    """Files to be rewritten as one, without their deleted rows, and why."""

    files: tuple[DataFile, ...]
    reason: str

    @property
    def bytes(self) -> int:
        return sum(f.size for f in self.files)


def compaction_due(files: Sequence[TableFile], wanted_size: int) -> Compaction | None:
    """What to rewrite of these files, where files should be of a size; None if nothing is due.

    At most as many bytes as make one file of that size, the smallest files first; but at least
    one file that is due.
    """
    stored = sorted((f for f in files if isinstance(f, DataFile)), key=lambda f: (f.size, f.path))
    least = wanted_size // SMALL_PART
    small = [f for f in stored if f.size < least]
    if len(small) > MOST_SMALL:
        reason = f"{len(small)} files were under {size_text(least)}"
        return Compaction(_first(small, wanted_size, at_least=2), reason)
    holey = [f for f in stored if _share_marked(f) > MOST_SHARE_MARKED]
    rows = sum(len(f.deleted) for f in holey)
    if rows >= LEAST_MARKED:
        reason = f"{rows:,} deleted rows were more than {MOST_SHARE_MARKED:.0%} of their files"
        return Compaction(_first(holey, wanted_size, at_least=1), reason)
    return None


def _share_marked(file: DataFile) -> float:
    rows = file.physical_rows
    return len(file.deleted) / rows if rows else 0.0


def _first(files: Sequence[DataFile], most: int, *, at_least: int) -> tuple[DataFile, ...]:
    together = list(accumulate(f.size for f in files))
    number = sum(size <= most for size in together)
    return tuple(files[: max(at_least, number)])
