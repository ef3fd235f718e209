"""Values that need not come out the same when an old row is computed again (DESIGN 5)."""

from __future__ import annotations

from collections.abc import Mapping

from everview.algebra.calls import AggregateCall, VerbatimCall, WindowCall
from everview.algebra.relations import Aggregate, Pivot, Rel, Window
from everview.algebra.scalars import Call, ColumnId, Opaque, Ref, Scalar
from everview.algebra.walk import walk_plan

# Functions of which only Spark's text is known, and whose value depends on the rows alone: not on
# their order, not on how sums of floats were added up.
_REPEATING = frozenset(
    {
        "any", "approx_count_distinct", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or",
        "count", "count_if", "every", "max", "median", "min", "percentile", "percentile_cont",
        "percentile_disc", "some",
    }
)  # fmt: skip
_OF_TIES = frozenset({"cume_dist", "dense_rank", "percent_rank", "rank"})
_EXACT = ("byte", "short", "integer", "long", "decimal")

Types = Mapping[ColumnId, str]


def not_repeating(rel: Rel, types: Types) -> str:
    """Why some old row of the plan could come out otherwise than it was, "" if none can."""
    for operator in walk_plan(rel):
        match operator:
            case Aggregate(_, _, calls):
                found = [_call(call, types) for _, call in calls]
            case Pivot(_, _, _, _, measures, _):
                found = [_text(m, types) for m in measures]
            case Window(_, _, calls):
                found = [_window(call, types) for _, call in calls]
            case _:
                continue
        lost = next(filter(None, found), "")
        if lost:
            return f"the old value of {lost} need not come out the same when it is computed again"
    return ""


def _call(call: AggregateCall | VerbatimCall, types: Types) -> str:
    if isinstance(call, VerbatimCall):
        return "" if call.single else _text(call.text, types)
    if call.function in ("sum", "avg") and not _is_exact(call.args[0], types):
        return f"{call.function}(...) over floating-point numbers"
    return ""


def _text(scalar: Scalar, types: Types) -> str:
    first = scalar.pieces[0] if isinstance(scalar, Opaque) else ""
    name = first.split("(")[0].strip().lower() if isinstance(first, str) else ""
    if name in _REPEATING:
        return ""
    if name in ("sum", "avg", "mean") and isinstance(scalar, Opaque):
        read = [p.id for p in scalar.pieces if isinstance(p, Ref)]
        if read and all(_is_exact(r, types) for r in read):
            return ""
    return f"{name}(...)"


def _window(call: WindowCall, types: Types) -> str:
    """Of rows that tie, a frame of rows may hold either; a frame of values holds both."""
    name = call.function.function if isinstance(call.function, Call) else ""
    is_framed = call.frame.upper().startswith("ROWS")
    if is_framed or name == "row_number":
        return "a window function whose rows may tie"
    if isinstance(call.function, Call):
        args = [a.id for a in call.function.args if isinstance(a, Ref)]
        inexact = name == "sum" and not all(_is_exact(a, types) for a in args)
        plain = len(args) == len(call.function.args)
        return "" if plain and not inexact else f"{name}(...) over a window"
    first = call.function.pieces[0] if isinstance(call.function, Opaque) else ""
    text = first.split("(")[0].strip().lower() if isinstance(first, str) else ""
    return "" if text in _OF_TIES else f"{text}(...) over a window"


def _is_exact(column: ColumnId, types: Types) -> bool:
    return types.get(column, "").startswith(_EXACT)
