"""The difference of two sets of stored files, as bags of rows, found by the driver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from everview.facts.files import DataFile
from everview.run.driver.comparable_values import comparable_values
from everview.run.driver.locate import Numbers, RowPlaces
from everview.run.driver.stored_files import Indices, StoredFiles, live_positions

# What goes in: the files that go and those that come, and the columns that count. What comes out:
# the places of the rows that one side has more copies of than the other. Columns are read one at
# a time. A table that is written anew mostly keeps the order of its rows, so first rows are
# compared that stand at the same place, counted from the beginning or from the end; what agrees
# there is left out on both sides, which leaves the difference as it is. Only the rest is looked up.
# Each of its columns gives a number to each value, and the numbers of two columns together are
# one number, so that in the end equal rows, and only they, have the same.
#
#     goes   (1, 'a') (2, 'b') (3, 'c')     the first two agree where they stand
#     comes  (1, 'a') (2, 'b') (3, 'x')     left: (3, 'c') goes, (3, 'x') comes


@dataclass(frozen=True, slots=True)
class FileRows:
    """The rows of some files that count, one file after another."""

    stored: StoredFiles
    files: tuple[DataFile, ...]
    positions: tuple[Indices, ...]

    @staticmethod
    def of(stored: StoredFiles, files: Sequence[DataFile]) -> FileRows:
        """The rows in the order of the files' paths, which is mostly that of the rows."""
        ordered = tuple(sorted(files, key=lambda f: f.path))
        return FileRows(stored, ordered, tuple(stored.of_each(partial(_counting, stored), ordered)))

    @property
    def number(self) -> int:
        return sum(map(len, self.positions))

    def column(self, name: str) -> pa.Array:
        """The values of a column so that equal means equal as stored."""
        pairs = list(zip(self.files, self.positions, strict=True))
        chunks = self.stored.of_each(lambda pair: self._of_file(name, *pair), pairs)
        empty = pa.array([], self.stored.types.field(name).type)
        return comparable_values(pa.chunked_array([empty, *(c for some in chunks for c in some)]))

    def _of_file(self, name: str, file: DataFile, positions: Indices) -> list[pa.Array]:
        values = self.stored.columns(file, [name]).column(0)
        if len(positions) < len(values):
            values = values.take(pa.array(positions))
        return list(values.chunks)

    def places(self, numbers: Indices) -> Iterator[RowPlaces]:
        """The rows of these numbers, ascending, by the files in which they lie."""
        first = 0
        for file, positions in zip(self.files, self.positions, strict=True):
            inside = numbers[(numbers >= first) & (numbers < first + len(positions))] - first
            first += len(positions)
            if len(inside):
                yield RowPlaces(file, positions[inside], np.zeros(len(inside), np.int64))


def differences(
    old: FileRows, new: FileRows, names: Sequence[str]
) -> tuple[tuple[RowPlaces, ...], tuple[RowPlaces, ...]]:
    """The rows of which there were more before, and those of which there are more now."""
    gone, come = _not_in_place(old, new, names)
    if len(gone) and len(come):
        gone, come = _without_partner(old, new, names, (gone, come))
    return tuple(old.places(gone)), tuple(new.places(come))


def _counting(stored: StoredFiles, file: DataFile) -> Indices:
    """The positions of the rows of a file that its selection leaves."""
    chosen = file.selection
    if chosen is not None and chosen.kind == "only":
        return np.asarray(chosen.rows.to_array(), np.int64)
    with stored.open_(file.path) as stream:
        return live_positions(file, pq.read_metadata(stream).num_rows)


def _not_in_place(old: FileRows, new: FileRows, names: Sequence[str]) -> tuple[Indices, Indices]:
    """The numbers of the rows that do not have an equal one at their place on the other side."""
    before, after = old.number, new.number
    both = min(before, after)
    from_start, from_end = np.ones(both, bool), np.ones(both, bool)
    for name in names:
        one, other = old.column(name), new.column(name)
        from_start &= _equal(one[:both], other[:both])
        if before == after:
            from_end = from_start
        else:
            from_end &= _equal(one[before - both :], other[after - both :])
        if not from_start.any() and not from_end.any():
            break
    if before == after:
        left = np.flatnonzero(~from_start)
        return left, left
    head = _leading(from_start)
    tail = min(_leading(from_end[::-1]), both - head)
    return np.arange(head, before - tail), np.arange(head, after - tail)


def _equal(one: pa.Array, other: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether values are the same, NULL and NULL too."""
    same = pc.fill_null(pc.equal(one, other), False)
    nulls = pc.and_(one.is_null(), other.is_null())
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = pc.or_(same, nulls).to_numpy(
        zero_copy_only=False
    )
    return found


def _leading(same: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    """How many are true before the first that is not."""
    return len(same) if same.all() else int(np.argmin(same))


def _without_partner(
    old: FileRows, new: FileRows, names: Sequence[str], left: tuple[Indices, Indices]
) -> tuple[Indices, Indices]:
    """Of these rows, those without an equal one for each of them on the other side."""
    gone, come = left
    of_rows = np.zeros(len(gone) + len(come), np.int64)
    for name in names:
        one, other = old.column(name).take(pa.array(gone)), new.column(name).take(pa.array(come))
        values = pa.concat_arrays([one, other]).dictionary_encode(null_encoding="encode")
        numbers = values.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        together = pa.array(of_rows * max(1, len(values.dictionary)) + numbers)
        indices = together.dictionary_encode().indices
        of_rows = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    before, after = of_rows[: len(gone)], of_rows[len(gone) :]
    kinds = int(of_rows.max()) + 1
    more = np.bincount(after, minlength=kinds) - np.bincount(before, minlength=kinds)
    return gone[_first(before, -more)], come[_first(after, more)]


def _first(kinds: Numbers, wanted: Numbers) -> Indices:
    """So many rows of each kind, the first ones; ascending."""
    rows = np.flatnonzero(wanted[kinds] > 0)
    order = rows[np.argsort(kinds[rows], kind="stable")]
    sorted_kinds = kinds[order]
    starts = np.searchsorted(sorted_kinds, sorted_kinds, side="left")
    rank = np.arange(len(order)) - starts
    return np.sort(order[rank < wanted[sorted_kinds]])
