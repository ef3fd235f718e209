"""Plans as indented text for tests, one operator per line, columns as name#id."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.calls import AggregateCall, WorkDelta
from everview.algebra.relations import (
    Aggregate,
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
from everview.algebra.scalars import Column, Scalar
from everview.algebra.walk import inputs, walk_plan
from everview.sql.write_scalar import scalar_text

Names = dict[int, str]


def plan_text(rel: Rel) -> str:
    names = {c.id: _column(c) for r in walk_plan(rel) for c in r.columns}
    return "\n".join(_lines(rel, names))


def _lines(rel: Rel, names: Names) -> list[str]:
    below = [f"  {line}" for i in inputs(rel) for line in _lines(i, names)]
    return [_line(rel, names), *below]


def _line(rel: Rel, names: Names) -> str:
    match rel:
        case Scan(table, at, columns):
            return f"scan {table} {at.value}: {_columns(columns)}"
        case Changes(table, columns):
            return f"changes {table}: {_columns(columns)}"
        case Local(name, columns):
            return f"local {name}: {_columns(columns)}"
        case Values(rows, columns):
            return f"values {[[c.text for c in row] for row in rows]}: {_columns(columns)}"
        case Filter(_, condition):
            return f"filter {scalar_text(condition, names)}"
        case Project(_, outputs):
            return f"project {', '.join(_output(c, s, names) for c, s in outputs)}"
        case Join(kind, _, _, condition, broadcast):
            on = "" if condition is None else f" on {scalar_text(condition, names)}"
            return f"{kind} join{on}{f' broadcast {broadcast}' if broadcast else ''}"
        case UnionAll(_, columns):
            return f"union all: {_columns(columns)}"
        case Negate():
            return "negate"
        case Net():
            return "net"
        case Aggregate(_, keys, calls):
            computed = [f"{_column(c)} = {_call(call, names)}" for c, call in calls]
            return f"aggregate by ({_columns(keys)}): {', '.join(computed)}"
        case ChangeTable(_, keys, areas):
            computed = [f"{_column(c)} = {_delta(area, names)}" for c, area in areas]
            return f"change table by ({_columns(keys)}): {', '.join(computed)}"
        case _:
            assert_never(rel)


def _column(column: Column) -> str:
    return f"{column.name}#{column.id}"


def _columns(columns: tuple[Column, ...]) -> str:
    return ", ".join(map(_column, columns))


def _output(column: Column, scalar: Scalar, names: Names) -> str:
    return f"{_column(column)} = {scalar_text(scalar, names)}"


def _call(call: AggregateCall, names: Names) -> str:
    cast = f" as {call.cast}" if call.cast else ""
    return f"{call.function}({', '.join(names[a] for a in call.args) or '*'}{cast})"


def _delta(area: WorkDelta, names: Names) -> str:
    extreme = f"{area.extreme} " if area.extreme else ""
    return f"{area.function}({extreme}{'*' if area.arg is None else names[area.arg]})"
