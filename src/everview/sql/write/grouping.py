"""The aggregate expressions of GROUP BY and of change tables, as Spark SQL text."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.calls import AggregateCall, VerbatimCall, WorkDelta
from everview.algebra.relations import Aggregate, ChangeTable
from everview.algebra.scalars import ColumnId
from everview.algebra.types import DecimalOf, type_of
from everview.facts.checks import WEIGHT_TOO_LARGE
from everview.sql.names import quoted, sql_type
from everview.sql.write.scalar import ColumnTexts, bare_text

_MOST_DIGITS = 38
_MOST_WEIGHT = 9_999_999  # Spark multiplies decimals with 34 digits at most: 27 and these 7


def aggregate_items(rel: Aggregate, items: ColumnTexts) -> dict[ColumnId, str]:
    return {column.id: _call_text(call, items) for column, call in rel.calls}


def _call_text(call: AggregateCall | VerbatimCall, items: ColumnTexts) -> str:
    if isinstance(call, VerbatimCall):
        return bare_text(call.text, items)
    args = ", ".join(items[a] for a in call.args) or "*"
    if call.cast:
        args = f"CAST({args} AS {sql_type(call.cast)})"
    match call.function:
        case "copies_of_min" | "copies_of_max":
            (arg,) = call.args
            extreme = call.function.removeprefix("copies_of_")
            return f"count(CASE WHEN {args} = {_window_name(extreme, 'all', arg)} THEN 1 END)"
        case function:
            return f"{function}({'DISTINCT ' if call.distinct else ''}{args})"


def windows(
    rel: Aggregate | ChangeTable, items: ColumnTexts, weight: str | None
) -> list[tuple[str, str]]:
    """The window columns that find the extremes whose copies are counted: (name, text)."""
    keys = ", ".join(items[k.id] for k in rel.keys)
    over = f"OVER (PARTITION BY {keys})" if keys else "OVER ()"
    found: dict[str, str] = {}
    if isinstance(rel, Aggregate):
        for _, call in rel.calls:
            if isinstance(call, AggregateCall) and call.function.startswith("copies_of_"):
                extreme = call.function.removeprefix("copies_of_")
                name = _bare_window_name(extreme, "all", call.args[0])
                found[name] = f"{extreme}({items[call.args[0]]}) {over}"
        return list(found.items())
    for _, area in rel.areas:
        if area.function in ("inserted_copies", "deleted_copies"):
            assert area.arg is not None
            assert area.extreme is not None
            which = area.function.removesuffix("_copies")
            only = f"CASE WHEN {weight} {_SIGN[which]} 0 THEN {items[area.arg]} END"
            name = _bare_window_name(area.extreme, which, area.arg)
            found[name] = f"{area.extreme}({only}) {over}"
    return list(found.items())


_SIGN = {"inserted": ">", "deleted": "<"}


def change_items(rel: ChangeTable, items: ColumnTexts, weight: str) -> dict[ColumnId, str]:
    return {column.id: _delta_text(area, items, weight) for column, area in rel.areas}


def _delta_text(area: WorkDelta, items: ColumnTexts, weight: str) -> str:
    arg = None if area.arg is None else items[area.arg]
    match area.function:
        case "weight":
            counted = (
                weight if arg is None else f"CASE WHEN {arg} IS NOT NULL THEN {weight} ELSE 0 END"
            )
            return f"sum({counted})"
        case "sum":
            return _sum_text(str(arg), area, weight)
        case "overflowed":
            total = _sum_text(str(arg), area, weight)
            return f"CASE WHEN count({arg}) > 0 AND {total} IS NULL THEN 1 ELSE 0 END"
        case "removed":
            return f"sum(CASE WHEN {weight} < 0 AND {arg} IS NOT NULL THEN -{weight} ELSE 0 END)"
        case "inserted" | "deleted":
            sign = _SIGN[area.function]
            return f"{area.extreme}(CASE WHEN {weight} {sign} 0 THEN {arg} END)"
        case "inserted_copies" | "deleted_copies":
            which = area.function.removesuffix("_copies")
            assert area.arg is not None
            assert area.extreme is not None
            at_extreme = f"{arg} = {_window_name(area.extreme, which, area.arg)}"
            test = f"{weight} {_SIGN[which]} 0 AND {at_extreme}"
            return f"sum(CASE WHEN {test} THEN abs({weight}) ELSE 0 END)"
        case _:
            assert_never(area.function)


def _sum_text(arg: str, area: WorkDelta, weight: str) -> str:
    """Σ w·x, exact: a weight multiplies a decimal only as DECIMAL(9,0), never silently beyond.

    A sum that overflows is NULL; then `overflowed` says so and the group is recomputed.
    """
    if area.type == "double":
        return f"sum(CAST({weight} AS DOUBLE) * CAST({arg} AS DOUBLE))"
    return f"try_cast(try_sum({_weighted(arg, area, weight)}) AS {sql_type(area.type)})"


def _weighted(arg: str, area: WorkDelta, weight: str) -> str:
    """w·x: by multiplication where the product keeps all digits, else by adding x up |w| times."""
    if area.cast or not _is_widest(area.type):
        too_large = f"raise_error('{WEIGHT_TOO_LARGE.raised}')"
        fits = f"CASE WHEN abs({weight}) <= {_MOST_WEIGHT} THEN {weight} ELSE {too_large} END"
        exact = f"CAST({arg} AS {sql_type(area.cast)})" if area.cast else arg
        return f"CAST({fits} AS DECIMAL(9,0)) * {exact}"
    type_ = sql_type(area.type)
    minus = f"CAST(0 AS {type_}) - {arg}"  # Spark's unary minus keeps 34 digits only
    one = f"CAST(CASE WHEN {weight} > 0 THEN {arg} ELSE {minus} END AS {type_})"
    added = f"(__ev_sum, __ev_i) -> CAST(__ev_sum + {one} AS {type_})"
    many = f"aggregate(sequence(1L, abs({weight})), CAST(0 AS {type_}), {added})"
    return f"CASE WHEN abs({weight}) = 1 THEN {one} ELSE {many} END"


def _is_widest(type_: str) -> bool:
    """Whether a sum of this type has no digit to spare."""
    known = type_of(type_)
    return isinstance(known, DecimalOf) and known.precision == _MOST_DIGITS


def _bare_window_name(extreme: str, which: str, arg: ColumnId) -> str:
    return f"__ev_{which}_{extreme}_{arg}"


def _window_name(extreme: str, which: str, arg: ColumnId) -> str:
    return quoted(_bare_window_name(extreme, which, arg))
