"""The executable specification: which rows each operator denotes, in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, assert_never

from everview.algebra.calls import AggregateCall, WorkDelta
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Filter,
    Join,
    Local,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    UnionAll,
    Values,
)
from everview.algebra.scalar_meaning import value
from everview.algebra.scalars import TRUE, Column, ColumnId

Row = tuple[Any, ...]
Line = tuple[Row, int]  # a row and its weight
Bag = Counter[Row]


@dataclass(frozen=True)
class State:
    """What the leaves denote: tables (name, snapshot), their changes as gross lines, rows at hand.

    The values of a leaf's rows are in the order of its columns' ids in the leaf.
    """

    tables: Mapping[tuple[str, At], tuple[Row, ...]] = field(default_factory=dict)
    changes: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)
    local: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)


def rows(rel: Rel, state: State) -> Bag:
    """The relation as a counted bag; counts are negative where more is deleted than inserted."""
    return bag(lines(rel, state))


def bag(some: Iterable[Line]) -> Bag:
    counted: Bag = Counter()
    for row, weight in some:
        counted[row] += weight
    return Counter({row: n for row, n in counted.items() if n != 0})


def minus(left: Bag, right: Bag) -> Bag:
    """The difference with signs (a Counter's own minus drops negative counts)."""
    return Counter({r: n for r in left.keys() | right.keys() if (n := left[r] - right[r]) != 0})


def lines(rel: Rel, state: State) -> list[Line]:
    """The rows with their weights, as the operators make them: lines may repeat and cancel."""
    match rel:
        case Scan(table, at, _):
            return [(row, 1) for row in state.tables[table, at]]
        case Changes(table, _):
            return list(state.changes[table])
        case Local(name, _):
            return list(state.local[name])
        case Values(some, _):
            return [(tuple(c.value for c in row), 1) for row in some]
        case Filter(input_, condition):
            return [
                (row, w)
                for row, w in lines(input_, state)
                if value(condition, _named(input_, row)) is True
            ]
        case Project(input_, outputs):
            return [
                (tuple(value(s, _named(input_, row)) for _, s in outputs), w)
                for row, w in lines(input_, state)
            ]
        case Join():
            return _join(rel, state)
        case UnionAll(inputs, _):
            return [line for i in inputs for line in lines(i, state)]
        case Negate(input_):
            return [(row, -w) for row, w in lines(input_, state)]
        case Net(input_):
            return list(bag(lines(input_, state)).items())
        case Aggregate():
            return _aggregate(rel, state)
        case ChangeTable():
            return _change_table(rel, state)
        case _:
            assert_never(rel)


def _named(rel: Rel, row: Row) -> dict[ColumnId, Any]:
    return {c.id: v for c, v in zip(rel.columns, row, strict=True)}


def _join(join: Join, state: State) -> list[Line]:
    right = lines(join.right, state)
    condition = TRUE if join.condition is None else join.condition
    width = len(join.right.columns)
    result: list[Line] = []
    for row, w in lines(join.left, state):
        known = _named(join.left, row)
        partners = [
            (r, v) for r, v in right if value(condition, known | _named(join.right, r)) is True
        ]
        match join.kind:
            case "inner" | "cross":
                result += [(row + r, w * v) for r, v in partners]
            case "left":
                result += [(row + r, w * v) for r, v in partners or [((None,) * width, 1)]]
            case "semi":
                result += [(row, w)] if partners else []
            case "anti":
                result += [] if partners else [(row, w)]
            case _:
                assert_never(join.kind)
    return result


def _groups(rel: Rel, keys: tuple[Column, ...], some: list[Line]) -> dict[Row, list[Any]]:
    """The lines of each key, each line as (named values, weight)."""
    groups: dict[Row, list[Any]] = defaultdict(list)
    for row, w in some:
        named = _named(rel, row)
        groups[tuple(named[k.id] for k in keys)].append((named, w))
    return groups


def _aggregate(rel: Aggregate, state: State) -> list[Line]:
    groups = _groups(rel.input, rel.keys, lines(rel.input, state))
    if not rel.keys and not groups:
        groups[()] = []
    return [
        (key + tuple(_call(call, members) for _, call in rel.calls), 1)
        for key, members in groups.items()
    ]


def _call(call: AggregateCall, members: list[Any]) -> Any:
    values = [
        [named[a] for a in call.args]
        for named, _ in members
        if all(named[a] is not None for a in call.args)
    ]
    if call.function == "count":
        return len(values)
    column = [v for (v,) in values]
    match call.function:
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
            assert_never(call.function)


def _change_table(rel: ChangeTable, state: State) -> list[Line]:
    groups = _groups(rel.changes, rel.keys, lines(rel.changes, state))
    return [
        (key + tuple(_work_delta(area, members) for _, area in rel.areas), 1)
        for key, members in groups.items()
    ]


def _work_delta(area: WorkDelta, members: list[Any]) -> Any:
    counted = [
        (None if area.arg is None else named[area.arg], w)
        for named, w in members
        if area.arg is None or named[area.arg] is not None
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
