"""What is said of groups of rows: aggregates, pivots, change tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any, assert_never

from everview.algebra.calls import AggregateCall, AggregateName, VerbatimCall, WorkDelta
from everview.algebra.meaning.bags import Line, Named, Row, chosen, named
from everview.algebra.meaning.scalars import NoMeaning, value
from everview.algebra.relations import Aggregate, ChangeTable, Pivot
from everview.algebra.scalars import Call, Column, Ref, Scalar

# The functions that a window or a pivot may ask for by name.
UNDERSTOOD: dict[str, AggregateName] = {
    "count": "count", "sum": "sum", "min": "min", "max": "max",
}  # fmt: skip

Members = list[tuple[Named, int]]


def aggregate(rel: Aggregate, some: list[Row]) -> list[Row]:
    return [
        key + tuple(_call(call, members) for _, call in rel.calls)
        for key, members in _all_groups(rel, some).items()
    ]


def _call(call: AggregateCall | VerbatimCall, members: list[Named]) -> Any:
    match call:
        case AggregateCall(function, args, _, distinct):
            values = [tuple(row[a] for a in args) for row in members]
            return aggregated(function, list(dict.fromkeys(values)) if distinct else values)
        case VerbatimCall(text):
            raise NoMeaning(repr(text))
        case _:
            assert_never(call)


def aggregated(function: AggregateName, values: list[Row]) -> Any:
    """The function over rows of arguments; a row with a NULL among them does not count."""
    present = [v for v in values if None not in v]
    if function == "count":
        return len(present)
    column = [v for (v,) in present]
    match function:
        case "sum":
            return sum(column) if column else None
        case "avg":
            return Fraction(sum(column), len(column)) if column else None
        case "min":
            return min(column, default=None)
        case "max":
            return max(column, default=None)
        case "copies_of_min":
            return column.count(min(column, default=None))
        case "copies_of_max":
            return column.count(max(column, default=None))
        case _:
            assert_never(function)


def pivot_rows(rel: Pivot, some: list[Row]) -> list[Row]:
    """A cell without rows is NULL, also of a count: that is what Spark shows."""
    wanted = [tuple(value(s, {}) for s in entry) for entry in rel.values]
    result = []
    for key, members in _all_groups(rel, some).items():
        cells = _by(rel.dimensions, members)
        made = [_measure(m, cells.get(entry, [])) for entry in wanted for m in rel.measures]
        result.append((*key, *made))
    return result


def _measure(measure: Scalar, members: list[Named]) -> Any:
    match measure:
        case Call(name, (Ref(arg),)) if name in UNDERSTOOD:
            return aggregated(UNDERSTOOD[name], [(m[arg],) for m in members]) if members else None
        case _:
            raise NoMeaning(repr(measure))


def _all_groups(rel: Aggregate | Pivot, some: list[Row]) -> dict[Row, list[Named]]:
    """The rows of each key; without keys one group, also of nothing."""
    groups = _by(rel.keys, [named(rel.input.columns, row) for row in some])
    return groups if rel.keys or groups else {(): []}


def _by(keys: tuple[Column, ...], members: list[Named]) -> dict[Row, list[Named]]:
    groups: dict[Row, list[Named]] = defaultdict(list)
    for row in members:
        groups[chosen(row, keys)].append(row)
    return groups


# Change tables


def change_table_rows(rel: ChangeTable, changes: list[Line]) -> list[Row]:
    groups: dict[Row, Members] = defaultdict(list)
    for row, w in changes:
        known = named(rel.changes.columns, row)
        groups[chosen(known, rel.keys)].append((known, w))
    return [
        key + tuple(_work_delta(area, members) for _, area in rel.areas)
        for key, members in groups.items()
    ]


def _work_delta(area: WorkDelta, members: Members) -> Any:
    counted: list[tuple[Any, int]] = [
        (None if area.arg is None else row[area.arg], w)
        for row, w in members
        if area.arg is None or row[area.arg] is not None
    ]
    extreme: Callable[..., Any] = min if area.extreme == "min" else max
    inserted = [(v, w) for v, w in counted if w > 0]
    deleted = [(v, -w) for v, w in counted if w < 0]
    match area.function:
        case "weight":
            return sum(w for _, w in counted)
        case "sum":
            return sum(v * w for v, w in counted) if counted else None
        case "overflowed":
            return 0
        case "removed":
            return sum(w for _, w in deleted)
        case "inserted":
            return extreme((v for v, _ in inserted), default=None)
        case "deleted":
            return extreme((v for v, _ in deleted), default=None)
        case "inserted_copies":
            best = extreme((v for v, _ in inserted), default=None)
            return sum(w for v, w in inserted if v == best)
        case "deleted_copies":
            best = extreme((v for v, _ in deleted), default=None)
            return sum(w for v, w in deleted if v == best)
        case _:
            assert_never(area.function)
