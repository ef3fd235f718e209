"""Whether the strategy that a person asks for applies to a view, and why not."""

from __future__ import annotations

from typing import assert_never

from everview.aggregates.exactness import repeats_exactly
from everview.aggregates.keyed import KeyedView
from everview.algebra.calls import AggregateCall
from everview.algebra.scalars import called
from everview.algebra.types import is_equal_only_to_itself, type_of
from everview.errors import StrategyNotApplicable
from everview.facts.asked_strategy import AskedStrategy
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import FullOnly, Keyed, Shape


def require_applicable(view: str, shape: Shape, asked: AskedStrategy) -> None:
    """StrategyNotApplicable if the rows of the view cannot be maintained in the way asked for."""
    reason = why_not(shape, asked)
    if reason:
        raise not_applicable(view, shape, asked, reason)


def not_applicable(
    view: str, shape: Shape | None, asked: AskedStrategy, reason: str
) -> StrategyNotApplicable:
    """The error, which names the strategies that do apply; no shape where none by changes does."""
    apply = [s.value for s in AskedStrategy if shape is not None and not why_not(shape, s)]
    return StrategyNotApplicable(
        f"`{view}` cannot be refreshed by {asked.value}: {reason}.",
        remedy=f"These apply: {', '.join(apply or ('auto', 'full'))}.",
    )


def why_not(shape: Shape, asked: AskedStrategy) -> str:
    """Why a strategy does not apply to what is stored, "" if it does."""
    if not asked.is_by_changes:
        return ""
    match shape:
        case Keyed(view, _):
            return _why_not_keyed(view, asked)
        case Grouped():
            return "" if asked is AskedStrategy.TOUCHED_GROUPS else _BY_PARTITION
        case Bag():
            return "" if asked is AskedStrategy.INSERT_DELETE else _BY_ROW
        case FullOnly(_, reason):
            return reason
        case _:
            assert_never(shape)


_BY_ROW = "its rows are stored one by one, not as groups"
_BY_PARTITION = (
    "its old rows need not come out the same when they are computed again, so all rows of a "
    "touched key are replaced"
)


def _why_not_keyed(view: KeyedView, asked: AskedStrategy) -> str:
    if asked is AskedStrategy.CHANGE_TABLES and view.recomputed:
        return view.reasons[0]
    return _not_found_again(view) if asked is AskedStrategy.INSERT_DELETE else ""


def _not_found_again(view: KeyedView) -> str:
    """Why a stored group cannot be found by the values that it has when it is computed again."""
    for key in view.keys:
        if not is_equal_only_to_itself(type_of(view.types[key.id])):
            return f"a key of the type {view.types[key.id]} may equal one that looks otherwise"
    stored = [field.call for kept in view.areas for field in kept.area.fields]
    for call in (*stored, *(call for _, call in (*view.recomputed, *view.derived))):
        if not isinstance(call, AggregateCall):
            return _may_differ(called(call.text))
        if not repeats_exactly(call, view.types):
            return _may_differ(call.function)
    return ""


def _may_differ(function: str) -> str:
    return f"{function}(...) need not come out the same when a group is computed again"
