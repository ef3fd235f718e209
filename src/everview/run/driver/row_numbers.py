"""Rows on the driver as Python values, and told by their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from everview.run.driver.comparable_values import comparable_values
from everview.run.driver.locate import Numbers, RowPlaces

NOT_STORED = -1  # in place of the number of a stored row


def values_of(table: pa.Table) -> list[tuple[Any, ...]]:
    if not table.num_columns:
        return [()] * table.num_rows
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def places_by_match(places: Sequence[RowPlaces]) -> dict[int, int]:
    """Of each line that was found the number of the stored row, counted over all places."""
    matches = [int(m) for place in places for m in place.matches]
    return {match: number for number, match in enumerate(matches)}


def numbers_by_match(places: Sequence[RowPlaces], lines: int) -> Numbers:
    """The same of all lines, NOT_STORED for one that was not found."""
    numbers = np.full(lines, NOT_STORED, np.int64)
    matches = [place.matches for place in places]
    if matches:
        found = np.concatenate(matches)
        numbers[found] = np.arange(len(found))
    return numbers


def only_numbers(places: Sequence[RowPlaces], numbers: Numbers) -> tuple[RowPlaces, ...]:
    """The places of these rows, counted over all places."""
    keeps = np.zeros(sum(len(place.positions) for place in places), bool)
    keeps[numbers] = True
    first, found = 0, []
    for place in places:
        keep = keeps[first : first + len(place.positions)]
        first += len(place.positions)
        if keep.any():
            found.append(RowPlaces(place.file, place.positions[keep], place.matches[keep]))
    return tuple(found)


def differing_rows(old: pa.Table, new: pa.Table) -> tuple[Any, Any]:
    """The numbers of the old rows that are not among the new ones, and the other way round."""
    before, after = (_comparable_rows(t) for t in (old, new))
    both = Counter(before) & Counter(after)
    return _beyond(before, both.copy()), _beyond(after, both)


def _comparable_rows(table: pa.Table) -> list[tuple[Any, ...]]:
    columns = [comparable_values(c).to_pylist() for c in table.columns]
    return list(zip(*columns, strict=True))


def _beyond(rows: list[tuple[Any, ...]], shared: Counter[tuple[Any, ...]]) -> Any:
    found = []
    for number, row in enumerate(rows):
        if shared[row] > 0:
            shared[row] -= 1
        else:
            found.append(number)
    return np.array(found, np.int64)
