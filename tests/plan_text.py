"""Plans as indented text for tests, one operator per line, columns as name#id."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall, WorkDelta
from everview.algebra.relations import (
    Aggregate,
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
from everview.algebra.scalars import Column, Scalar
from everview.algebra.walk import walk_plan
from everview.sql.write.scalar import scalar_text

Names = dict[int, str]


def plan_text(rel: Rel) -> str:
    names = {c.id: _column(c) for r in walk_plan(rel) for c in r.columns}
    return "\n".join(_lines(rel, names))


def _lines(rel: Rel, names: Names) -> list[str]:
    below = [f"  {line}" for i in rel.inputs for line in _lines(i, names)]
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
            shown = [[scalar_text(s, {}) for s in row] for row in rows]
            return f"values {shown}: {_columns(columns)}"
        case TableFunction(call, columns):
            return f"function {scalar_text(call, {})}: {_columns(columns)}"
        case Shared(name, _):
            return f"shared {name}"
        case Filter(_, condition):
            return f"filter {scalar_text(condition, names)}"
        case Project(_, outputs):
            return f"project {', '.join(_output(c, s, names) for c, s in outputs)}"
        case Join(kind, _, _, condition, broadcast, mark):
            on = "" if condition is None else f" on {scalar_text(condition, names)}"
            made = "" if mark is None else f": {_column(mark)}"
            return f"{kind} join{on}{made}{f' broadcast {broadcast}' if broadcast else ''}"
        case UnionAll(_, columns):
            return f"union all: {_columns(columns)}"
        case Except() | Intersect():
            words = type(rel).__name__.lower() + (" all" if rel.all else "")
            return f"{words}: {_columns(rel.columns)}"
        case Distinct():
            return "distinct"
        case Generate(_, generator, made, outer):
            words = "generate outer" if outer else "generate"
            return f"{words} {scalar_text(generator, names)}: {_columns(made)}"
        case Unpivot(_, kept, label, values, rows, keeps_nulls):
            entries = [f"{word} ({', '.join(names[c] for c in entry)})" for word, entry in rows]
            nulls = " with nulls" if keeps_nulls else ""
            made = _columns((label, *values))
            return f"unpivot{nulls} {', '.join(entries)} by ({_columns(kept)}): {made}"
        case Pivot(_, keys, dimensions, values, measures, cells):
            entries = [f"({', '.join(scalar_text(s, {}) for s in entry)})" for entry in values]
            said = ", ".join(scalar_text(m, names) for m in measures)
            over = f"for {_columns(dimensions)} in {', '.join(entries)}"
            return f"pivot {said} {over} by ({_columns(keys)}): {_columns(cells)}"
        case Window(_, partition, calls):
            computed = [f"{_column(c)} = {_window(call, names)}" for c, call in calls]
            return f"window by ({_columns(partition)}): {', '.join(computed)}"
        case TopK(_, order, limit, offset):
            ends = [
                f"{word} {scalar_text(s, {})}"
                for word, s in (("limit", limit), ("offset", offset))
                if s is not None
            ]
            return " ".join(["top", f"({_order(order, names)})", *ends])
        case Signed(_, weight):
            return f"weight {weight}"
        case Touched(_, columns):
            return f"touched {_columns(columns)}"
        case Negate():
            return "negate"
        case Net():
            return "net"
        case Copies():
            return "copies"
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


def _window(call: WindowCall, names: Names) -> str:
    over = " ".join(filter(None, (_order(call.order, names), call.frame)))
    return f"{scalar_text(call.function, names)} over ({over})"


def _order(keys: tuple[SortKey, ...], names: Names) -> str:
    return ", ".join(
        f"{names[k.column]}{' desc' if k.descending else ''}"
        f"{' nulls first' if k.nulls_first else ' nulls last'}"
        for k in keys
    )


def _call(call: AggregateCall | VerbatimCall, names: Names) -> str:
    if isinstance(call, VerbatimCall):
        return scalar_text(call.text, names)
    cast = f" as {call.cast}" if call.cast else ""
    distinct = "distinct " if call.distinct else ""
    return f"{call.function}({distinct}{', '.join(names[a] for a in call.args) or '*'}{cast})"


def _delta(area: WorkDelta, names: Names) -> str:
    extreme = f"{area.extreme} " if area.extreme else ""
    return f"{area.function}({extreme}{'*' if area.arg is None else names[area.arg]})"
