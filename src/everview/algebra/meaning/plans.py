"""The executable specification: which rows each operator denotes, in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from everview.algebra.meaning.bags import (
    CountedBag,
    Line,
    Named,
    Row,
    bag,
    chosen,
    minus,
    named,
    plain,
)
from everview.algebra.meaning.groups import aggregate, change_table_rows, pivot_rows
from everview.algebra.meaning.scalars import NoMeaning, value
from everview.algebra.meaning.windows import top_k, window
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Local,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    TableFunction,
    TopK,
    Touched,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import TRUE, Call, Scalar

__all__ = ["CountedBag", "Line", "Row", "State", "bag", "lines", "minus", "rows"]


@dataclass(frozen=True)
class State:
    """What the leaves denote: tables (name, snapshot), their changes as gross lines, rows at hand.

    The values of a leaf's rows are in the order of its columns' ids in the leaf.
    """

    tables: Mapping[tuple[str, At], tuple[Row, ...]] = field(default_factory=dict)
    changes: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)
    local: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)


def rows(rel: Rel, state: State) -> CountedBag:
    """The relation as a counted bag; counts are negative where more is deleted than inserted."""
    return bag(lines(rel, state))


def lines(rel: Rel, state: State) -> list[Line]:
    """The rows with their weights, as the operators make them: lines may repeat and cancel."""
    match rel:
        case Scan() | Changes() | Local() | Values() | TableFunction():
            return _leaf(rel, state)
        case Shared() | Filter() | Project() | Generate() | Unpivot() | Negate():
            return [made for line in lines(rel.input, state) for made in _each(rel, line)]
        case Join():
            return _join(rel, lines(rel.left, state), lines(rel.right, state))
        case UnionAll(inputs, _):
            return [line for i in inputs for line in lines(i, state)]
        case Except() | Intersect():
            return plain(_compared(rel, rows(rel.left, state), rows(rel.right, state)))
        case Distinct(input_):
            return plain(_once(rows(input_, state)))
        case Net(input_):
            return list(rows(input_, state).items())
        case Copies(input_):
            return _copies(lines(input_, state))
        case Aggregate() | Window() | TopK() | Pivot():
            return _together(rel, [row for row, _ in lines(rel.input, state)])
        case Signed(input_, weight):
            return [(row, weight) for row, _ in lines(input_, state)]
        case Touched(changes, columns):
            known = [named(changes.columns, row) for row, _ in lines(changes, state)]
            return [
                (row, 1) for row in dict.fromkeys(tuple(k[c.id] for c in columns) for k in known)
            ]
        case ChangeTable(changes):
            return [(row, 1) for row in change_table_rows(rel, lines(changes, state))]
        case _:
            assert_never(rel)


def _copies(some: list[Line]) -> list[Line]:
    if any(weight < 0 for _, weight in some):
        raise NoMeaning(f"a row less than never in {some}")
    return [(row, 1) for row, weight in some for _ in range(weight)]


# Leaves


def _leaf(leaf: Scan | Changes | Local | Values | TableFunction, state: State) -> list[Line]:
    match leaf:
        case Scan(table, at, _):
            found = ((row, named(leaf.columns, row)) for row in state.tables[table, at])
            return [(row, 1) for row, of in found if all(r.holds(of[c]) for c, r in leaf.within)]
        case Changes(table, _):
            return list(state.changes[table])
        case Local(name, _):
            return list(state.local[name])
        case Values(some, _):
            return [(tuple(value(s, {}) for s in row), 1) for row in some]
        case TableFunction(call, _):
            return [(row, 1) for row in _table(call)]
        case _:
            assert_never(leaf)


def _table(call: Scalar) -> list[Row]:
    """range(end), range(start, end), range(start, end, step)"""
    match call:
        case Call("range", (_,) | (_, _) | (_, _, _) as args):
            numbers = [value(a, {}) for a in args]
            if None not in numbers:
                return [(number,) for number in range(*numbers)]
        case _:
            pass
    raise NoMeaning(repr(call))


# Each row by itself: its weight passes on to what is made of it


def _each(rel: Shared | Filter | Project | Generate | Unpivot | Negate, line: Line) -> list[Line]:
    row, w = line
    known = named(rel.input.columns, row)
    match rel:
        case Shared():
            return [line]
        case Filter(_, condition):
            return [line] if value(condition, known) is True else []
        case Project(_, outputs):
            return [(tuple(value(s, known) for _, s in outputs), w)]
        case Generate():
            return [(row + made, w) for made in _generated(rel, known)]
        case Unpivot():
            return [(made, w) for made in _unpivoted(rel, known)]
        case Negate():
            return [(row, -w)]
        case _:
            assert_never(rel)


def _generated(rel: Generate, known: Named) -> list[Row]:
    match rel.generator:
        case Call("explode", (array,)):
            some = value(array, known)
        case other:
            raise NoMeaning(repr(other))
    if some is None or isinstance(some, tuple | list):
        made: list[Row] = [(element,) for element in some or ()]
        return made or ([_nulls(rel.made)] if rel.outer else [])
    raise NoMeaning(f"explode of {some!r}")


def _unpivoted(rel: Unpivot, known: Named) -> list[Row]:
    kept = chosen(known, rel.kept)
    made = [(label, tuple(known[c] for c in entry)) for label, entry in rel.rows]
    return [
        (*kept, label, *values)
        for label, values in made
        if rel.keeps_nulls or any(v is not None for v in values)
    ]


def _nulls(columns: tuple[Any, ...]) -> Row:
    return (None,) * len(columns)


# Two inputs


def _join(join: Join, left: list[Line], right: list[Line]) -> list[Line]:
    condition = TRUE if join.condition is None else join.condition
    lefts = [named(join.left.columns, row) for row, _ in left]
    rights = [named(join.right.columns, row) for row, _ in right]
    # What the condition says of each pair: by left row, then by right row.
    said = [[value(condition, row | other) for other in rights] for row in lefts]
    pairs = [
        (row + other, w * v)
        for (row, w), by_right in zip(left, said, strict=True)
        for (other, v), holds in zip(right, by_right, strict=True)
        if holds is True
    ]
    marked = [(line, _some(by_right)) for line, by_right in zip(left, said, strict=True)]
    lone = [line for line, mark in marked if not mark]
    padded = [(row + _nulls(join.right.columns), w) for row, w in lone]
    match join.kind:
        case "inner" | "cross":
            return pairs
        case "left":
            return pairs + padded
        case "right":
            return pairs + _padded_right(join, right, said)
        case "full":
            return pairs + padded + _padded_right(join, right, said)
        case "semi":
            return [line for line, mark in marked if mark]
        case "anti":
            return lone
        case "mark":
            return [((*row, mark), w) for (row, w), mark in marked]
        case _:
            assert_never(join.kind)


def _padded_right(join: Join, right: list[Line], said: list[list[Any]]) -> list[Line]:
    return [
        (_nulls(join.left.columns) + row, w)
        for i, (row, w) in enumerate(right)
        if not _some([by_right[i] for by_right in said])
    ]


def _some(said: list[Any]) -> bool:
    """Whether one of them is true."""
    return any(s is True for s in said)


def _compared(rel: Except | Intersect, left: CountedBag, right: CountedBag) -> CountedBag:
    match rel:
        case Except(all=True):
            return left - right
        case Except():
            return _once(CountedBag({row: n for row, n in left.items() if row not in right}))
        case Intersect(all=True):
            return left & right
        case Intersect():
            return _once(left & right)
        case _:
            assert_never(rel)


def _once(some: CountedBag) -> CountedBag:
    return CountedBag(some.keys())


# Many rows together


def _together(rel: Aggregate | Window | TopK | Pivot, some: list[Row]) -> list[Line]:
    """The operators over plain inputs: each line counts once."""
    match rel:
        case Aggregate():
            made = aggregate(rel, some)
        case Window():
            made = window(rel, some)
        case TopK():
            made = top_k(rel, some)
        case Pivot():
            made = pivot_rows(rel, some)
        case _:
            assert_never(rel)
    return [(row, 1) for row in made]
