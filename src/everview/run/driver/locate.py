"""Where stored rows lie: found by the driver in a few columns of the stored files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from everview.facts.files import DataFile
from everview.run.driver.comparable_values import comparable_values, is_plain
from everview.run.driver.stored_files import Indices, StoredFiles, live_flags

# What goes in: stored files, and rows that are looked for (keys, or whole rows). What comes out:
# for each file the positions of the rows that match. Each column is compared as a whole: the
# values that are looked for get numbers, and a stored value gets the number of the value it
# equals, or drops out. The numbers of two columns together are one number, which is looked up
# among those of the rows that are looked for, and so on with the next column. So NULL equals
# NULL, nothing is compared row by row, and a column that tells rows apart leaves few of them for
# the next.
#
#     looked for (7, 'a'), (8, 'b')    7 is 0, 8 is 1;  'a' is 0, 'b' is 1;  together 0 and 3
#     stored     (7, 'b'), (8, 'b')    together 1 and 3: the second row is found

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class RowPlaces:
    """Rows of one stored file: their positions, ascending, and of each the number of the row that
    it was found for.
    """

    file: DataFile
    positions: Indices
    matches: Numbers


@dataclass(frozen=True, slots=True)
class _Column:
    """What is looked for in one column: its values, the numbers of rows together with those of the
    columns before it, and for each row the place of its number among these.
    """

    name: str
    values: pa.Array
    together: Numbers
    of_rows: Numbers


def can_be_keys(types: pa.Schema, names: Sequence[str]) -> bool:
    """Whether rows are found here by these columns as Spark would join them: as a key 0.0 is
    -0.0, which is not so here.
    """
    return bool(names) and all(is_plain(types.field(n).type) for n in names)


def places_of_keys(
    stored: StoredFiles, files: Sequence[DataFile], keys: pa.Table
) -> tuple[RowPlaces, ...]:
    """The stored rows whose columns of these names equal one of the keys, each key given once."""
    found: Sequence[DataFile | RowPlaces] = files
    for column in _columns(stored, keys):
        found = _agreeing(stored, found, column)
        last = column
    return _numbered_as(last, found)


def places_of_rows(
    stored: StoredFiles, files: Sequence[DataFile], rows: pa.Table, copies: Numbers
) -> tuple[RowPlaces, ...] | None:
    """Stored copies of these rows, each given once, as many as `copies` says of it; None if there
    are not so many.

    The rows are known to be stored. So where the first columns alone find exactly as many rows as
    are to be found, these are the ones and the other columns are not read.
    """
    needed = int(copies.sum())
    found: Sequence[DataFile | RowPlaces] = files
    for column in _columns(stored, rows):
        places = _agreeing(stored, found, column)
        number = sum(len(p.positions) for p in places)
        if number < needed:
            return None
        if number == needed:
            return places
        found, last = places, column
    return _first_copies(_numbered_as(last, found), copies)


def rows_at(stored: StoredFiles, places: Sequence[RowPlaces], names: Sequence[str]) -> pa.Table:
    """The stored rows at these places, in their order."""
    found = stored.of_each(lambda p: stored.rows_at(p.file, p.positions, names), places)
    empty = pa.schema([stored.types.field(n) for n in names]).empty_table()
    return pa.concat_tables([empty, *found])


def _columns(stored: StoredFiles, rows: pa.Table) -> Iterator[_Column]:
    """What is looked for, column by column: first one that tells most rows apart, then those that
    are read fastest.
    """
    encoded = []
    for name in rows.column_names:
        type_ = stored.types.field(name).type
        values = comparable_values(rows.column(name).cast(type_))
        encoded.append((name, values.dictionary_encode(null_encoding="encode"), _slowness(type_)))
    of_rows = np.zeros(rows.num_rows, np.int64)
    for name, dictionary, _ in _best_first(encoded):
        numbers = dictionary.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        combined = of_rows * len(dictionary.dictionary) + numbers
        together, of_rows = np.unique(combined, return_inverse=True)
        yield _Column(name, dictionary.dictionary, together, of_rows)


def _slowness(type_: pa.DataType) -> int:
    """How long values of a type take to read and compare: numbers of a few bytes are fast, texts
    and decimals slow, floats and nested values, which get another form first, slowest.
    """
    if not is_plain(type_):
        return 2
    return 0 if pa.types.is_integer(type_) or pa.types.is_temporal(type_) else 1


_Encoded = tuple[str, pa.DictionaryArray, int]  # a column, its values numbered, how slow it is


def _best_first(columns: list[_Encoded]) -> list[_Encoded]:
    """The first column is read for all rows, the others for what it leaves: so it may be half as
    good at telling rows apart as the best one if it is faster.
    """
    by_speed = sorted(columns, key=lambda c: (c[2], -len(c[1].dictionary)))
    most = max((len(c[1].dictionary) for c in columns if c[2] < 2), default=0)
    good = [c for c in by_speed if 2 * len(c[1].dictionary) >= most]
    return [good[0], *(c for c in by_speed if c is not good[0])] if good else by_speed


def _agreeing(
    stored: StoredFiles, found: Sequence[DataFile | RowPlaces], column: _Column
) -> tuple[RowPlaces, ...]:
    """Of these rows, at first of all rows of the files, those that agree in one more column."""
    places = stored.of_each(partial(_agreeing_in, stored, column), found)
    return tuple(p for p in places if len(p.positions))


def _agreeing_in(stored: StoredFiles, column: _Column, found: DataFile | RowPlaces) -> RowPlaces:
    file = found.file if isinstance(found, RowPlaces) else found
    values = stored.columns(file, [column.name]).column(0)
    if isinstance(found, RowPlaces):
        values = values.take(pa.array(found.positions))
    numbers = pc.index_in(comparable_values(values), value_set=column.values)
    equal = np.asarray(pc.indices_nonzero(numbers.is_valid()), np.int64)
    if isinstance(found, RowPlaces):
        positions, before = found.positions[equal], found.matches[equal]
    else:
        equal = equal[live_flags(file, len(values))[equal]]
        positions, before = equal, np.zeros(len(equal), np.int64)
    own = numbers.take(pa.array(equal)).to_numpy(zero_copy_only=False).astype(np.int64)
    combined = before * len(column.values) + own
    place = np.minimum(np.searchsorted(column.together, combined), len(column.together) - 1)
    together = column.together[place] == combined
    return RowPlaces(file, positions[together], place[together])


def _numbered_as(column: _Column, found: Sequence[DataFile | RowPlaces]) -> tuple[RowPlaces, ...]:
    """Places with the numbers of the rows that were looked for, after the last column."""
    row = np.empty(len(column.together), np.int64)
    row[column.of_rows] = np.arange(len(column.of_rows))
    places = [p for p in found if isinstance(p, RowPlaces)]
    return tuple(RowPlaces(p.file, p.positions, row[p.matches]) for p in places)


def _first_copies(places: tuple[RowPlaces, ...], copies: Numbers) -> tuple[RowPlaces, ...] | None:
    """So many of the places of each row, the first ones; None if there are fewer."""
    left = copies.copy()
    taken = []
    for place in places:
        keep = np.zeros(len(place.matches), bool)
        for i, match in enumerate(place.matches):
            keep[i] = left[match] > 0
            left[match] -= keep[i]
        taken.append(RowPlaces(place.file, place.positions[keep], place.matches[keep]))
    return None if left.any() else tuple(p for p in taken if len(p.positions))
