"""Values that need not come out the same when an old row is computed again (DESIGN 5)."""

from __future__ import annotations

from collections.abc import Mapping

from everview.algebra.calls import AggregateCall, VerbatimCall, WindowCall
from everview.algebra.relations import Aggregate, Pivot, Rel, Window
from everview.algebra.scalars import ColumnId, Ref, Scalar, called, children
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
_OF_SUMS = frozenset({"avg", "mean", "sum"})
_OF_TIES = frozenset({"cume_dist", "dense_rank", "percent_rank", "rank"})
_EXACT = ("byte", "short", "integer", "long", "decimal")

Types = Mapping[ColumnId, str]


def not_repeating(rel: Rel, types: Types) -> str:
    """Why some old row of the plan could come out otherwise than it was, "" if none can."""
    for operator in walk_plan(rel):
        match operator:
            case Aggregate(_, _, calls):
                found = [not_repeating_call(call, types) for _, call in calls]
            case Pivot(_, _, _, _, measures, _):
                found = [_text(m, types) for m in measures]
            case Window(_, _, calls):
                found = [not_repeating_window(call, types) for _, call in calls]
            case _:
                continue
        lost = next(filter(None, found), "")
        if lost:
            return f"the old value of {lost} need not come out the same when it is computed again"
    return ""


def not_repeating_call(call: AggregateCall | VerbatimCall, types: Types) -> str:
    """What the call is if its value need not come out the same, "" if it does."""
    if isinstance(call, VerbatimCall):
        return "" if call.single else _text(call.text, types)
    if call.function in ("sum", "avg") and not _is_exact(call.args[0], types):
        return f"{call.function}(...) over floating-point numbers"
    return ""


def _text(scalar: Scalar, types: Types) -> str:
    name = called(scalar)
    if name in _REPEATING:
        return ""
    read = children(scalar)
    if name in _OF_SUMS and all(isinstance(r, Ref) and _is_exact(r.id, types) for r in read):
        return ""
    return f"{name}(...)"


def not_repeating_window(call: WindowCall, types: Types) -> str:
    """The same of a call over a window.

    Of rows that tie, a frame of rows may hold either; a frame of values holds both.
    """
    if call.frame.upper().startswith("ROWS"):
        return "a window function whose rows may tie"
    name = called(call.function)
    if name == "row_number":
        return "a window function whose rows may tie"
    if name in _OF_TIES or name in ("count", "max", "min"):
        return ""
    read = children(call.function)
    exact = all(isinstance(r, Ref) and _is_exact(r.id, types) for r in read)
    return "" if name in _OF_SUMS and exact else f"{name}(...) over a window"


def _is_exact(column: ColumnId, types: Types) -> bool:
    return types.get(column, "").startswith(_EXACT)
