"""Located groups merged with their changes: as columns where they are many, else row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from everview.aggregates.keyed import KeyedView
from everview.apply.exact import LeftToSpark
from everview.apply.merge_groups import GroupsToRecompute, MergeGroups
from everview.run.driver.locate import RowPlaces
from everview.run.driver.merge_columns import MergeColumns
from everview.run.driver.replace import StoredChange
from everview.run.driver.row_numbers import (
    numbers_by_match,
    only_numbers,
    places_by_match,
    values_of,
)

FEW_GROUPS = 500  # up to so many rows are faster than columns
MOST_BY_ROW = 10_000  # groups: beyond it Spark merges them faster than Python

_ACTIONS = ("insert", "update", "delete")


def merged_groups(
    view: KeyedView, lines: pa.Table, stored: pa.Table, places: Sequence[RowPlaces]
) -> StoredChange | None:
    """Stored rows at these places and the lines of the change table for them, merged; None if
    groups must be computed from their rows, or if only Spark can tell a value.
    """
    if lines.num_rows > FEW_GROUPS:
        found = _unless_left(lambda: _by_columns(view, lines, stored, places))
        if found is not None or lines.num_rows > MOST_BY_ROW:
            return found
    return _unless_left(lambda: _by_rows(view, lines, stored, places))


def _unless_left(merge: Callable[[], StoredChange | None]) -> StoredChange | None:
    try:
        return merge()
    except (LeftToSpark, pa.ArrowException, ValueError, ArithmeticError):
        return None


def _by_columns(
    view: KeyedView, lines: pa.Table, stored: pa.Table, places: Sequence[RowPlaces]
) -> StoredChange | None:
    merge = MergeColumns(view, stored.schema)
    found = merge.merge(lines, stored, numbers_by_match(places, lines.num_rows))
    if found is None:
        return None
    return StoredChange(
        only_numbers(places, found.gone),
        found.rows,
        stored.take(pa.array(found.left)),
        found.rows.take(pa.array(found.come)),
        {action: found.counted[action] for action in _ACTIONS},
    )


def _by_rows(
    view: KeyedView, lines: pa.Table, stored: pa.Table, places: Sequence[RowPlaces]
) -> StoredChange | None:
    merge = MergeGroups(view)
    found = merge.merge(values_of(lines), values_of(stored), places_by_match(places))
    if isinstance(found, GroupsToRecompute):
        return None
    come = _table(found.rows, stored.schema)
    return StoredChange(
        only_numbers(places, np.array(found.gone, np.int64)),
        come,
        stored.take(pa.array([*found.replaced, *found.deleted], pa.int64())),
        come.take(pa.array([*found.updated, *found.inserted], pa.int64())),
        {action: found.counted[action] for action in _ACTIONS},
    )


def _table(rows: Sequence[tuple[Any, ...]], types: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, types, strict=True)]
    return pa.table(arrays, schema=types)
