"""What each operator with one input is called in the notation of the papers: σ, π, γ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall, WorkDelta
from everview.algebra.notation.names import Names, listed, short
from everview.algebra.notation.scalars import scalar_notation
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
from everview.algebra.scalars import Column


def operator_symbol(rel: Rel, names: Names) -> str | None:
    """The symbol of an operator with one input, and what it says of itself; None for joins, sums,
    differences and leaves.
    """
    match rel:
        case Filter(_, condition):
            return f"σ {short(scalar_notation(condition, names))}"
        case Project(_, outputs):
            return f"π {listed(names[c.id] for c, _ in outputs)}"
        case Generate():
            return _generate(rel, names)
        case Unpivot():
            return _unpivot(rel, names)
        case Aggregate() | ChangeTable():
            return _groups(rel, names)
        case Window():
            return _window(rel, names)
        case TopK():
            return _limit(rel, names)
        case Pivot():
            return _pivot(rel, names)
        case Distinct():
            return "δ"
        case Signed(_, weight):
            return "+" if weight == 1 else "-"
        case Negate():
            return "-"
        case Net():
            return "net"
        case Copies():
            return "rows"
        case Touched(_, columns):
            return f"touched {listed(names[c.id] for c in columns)}"
        case Join() | UnionAll() | Except() | Intersect():
            return None
        case Scan() | Changes() | Local() | Values() | TableFunction() | Shared():
            return None
        case _:
            assert_never(rel)


def _generate(rel: Generate, names: Names) -> str:
    """`μ explode(items) → item`"""
    outer = "outer " if rel.outer else ""
    made = listed(names[c.id] for c in rel.made)
    return f"μ {outer}{short(scalar_notation(rel.generator, names))} → {made}"


def _groups(rel: Aggregate | ChangeTable, names: Names) -> str:
    """`γ store, count(*)`"""
    keys = [names[k.id] for k in rel.keys]
    match rel:
        case Aggregate(_, _, calls):
            return f"γ {listed(keys + [_call(call, names) for _, call in calls])}"
        case ChangeTable(_, _, areas):
            return f"γ {listed(keys + _areas([a for _, a in areas], names))}"
        case _:
            assert_never(rel)


def _call(call: AggregateCall | VerbatimCall, names: Names) -> str:
    match call:
        case AggregateCall(function, args, _, distinct):
            shown = ", ".join(names[a] for a in args) or "*"
            return f"{function}({'distinct ' if distinct else ''}{shown})"
        case VerbatimCall(text):
            return short(scalar_notation(text, names))
        case _:
            assert_never(call)


def _areas(areas: list[WorkDelta], names: Names) -> list[str]:
    """The work-area deltas a reader knows by their function; counts that go with a sum are not."""
    summed = {a.arg for a in areas if a.function == "sum"}
    shown = []
    for area in areas:
        arg = "" if area.arg is None else _factor(names[area.arg])
        match area.function:
            case "weight" if area.arg is None:
                shown.append("Σw")
            case "weight" if area.arg not in summed:
                shown.append(f"Σw[{arg} is not null]")
            case "sum":
                shown.append(f"Σw·{arg}")
            case "inserted":
                shown.append(f"{area.extreme}⁺ {arg}")
            case "deleted":
                shown.append(f"{area.extreme}⁻ {arg}")
            case _:
                pass
    return list(dict.fromkeys(shown))


def _factor(text: str) -> str:
    return f"({text})" if " " in text and not text.endswith(")") else text


# Windows and limits


def _window(rel: Window, names: Names) -> str:
    """`ω store: rank() by amount desc`"""
    return f"ω {_per(rel.partition, names)}{listed(_over(call, names) for _, call in rel.calls)}"


def _over(call: WindowCall, names: Names) -> str:
    order = _as_one(_sorting(call.order, names))
    by = f" by {order}" if order else ""
    frame = f" {' '.join(call.frame.split()).lower()}" if call.frame else ""
    return f"{short(scalar_notation(call.function, names))}{by}{short(frame)}"


def _limit(rel: TopK, names: Names) -> str:
    """`τ amount desc limit 10 offset 5`"""
    order = listed(_sorting(rel.order, names))
    limit = "" if rel.limit is None else f"limit {scalar_notation(rel.limit, names)}"
    offset = "" if rel.offset is None else f"offset {scalar_notation(rel.offset, names)}"
    return " ".join(filter(None, ("τ", order, limit, offset)))


def _sorting(order: tuple[SortKey, ...], names: Names) -> list[str]:
    return [f"{names[key.column]}{_direction(key)}" for key in order]


def _direction(key: SortKey) -> str:
    """What is said beside the column; NULLs only where they stand where Spark would not put
    them.
    """
    match key.descending, key.nulls_first:
        case False, True:
            return ""
        case False, False:
            return " nulls last"
        case True, False:
            return " desc"
        case _:
            return " desc nulls first"


# Pivots


def _pivot(rel: Pivot, names: Names) -> str:
    """`pivot store: sum(amount) for month in (1, 2)`"""
    measures = listed(short(scalar_notation(m, names)) for m in rel.measures)
    dimensions = _as_one(names[d.id] for d in rel.dimensions)
    values = listed(_as_one(scalar_notation(s, {}) for s in entry) for entry in rel.values)
    return f"pivot {_per(rel.keys, names)}{measures} for {dimensions} in ({values})"


def _unpivot(rel: Unpivot, names: Names) -> str:
    """`unpivot amount for kind in (net, tax)`"""
    values = _as_one(names[v.id] for v in rel.values)
    entries = listed(_as_one(names[c] for c in entry) for _, entry in rel.rows)
    nulls = " with nulls" if rel.keeps_nulls else ""
    return f"unpivot {values} for {names[rel.label.id]} in ({entries}){nulls}"


def _per(columns: tuple[Column, ...], names: Names) -> str:
    return f"{listed(names[c.id] for c in columns)}: " if columns else ""


def _as_one(items: Iterable[str]) -> str:
    """Several items where one is expected stand in parentheses."""
    found = list(items)
    return f"({listed(found)})" if len(found) > 1 else listed(found)
