"""Values that need not come out the same when an old row is computed again."""

from __future__ import annotations

from everview.aggregates.exactness import is_exact_number, repeats
from everview.algebra.calls import AggregateCall, VerbatimCall, WindowCall
from everview.algebra.derive.keys import has_key_among, keys
from everview.algebra.relations import Aggregate, Pivot, Rel, Window
from everview.algebra.scalars import ColumnId, Ref, Scalar, Types, called, children
from everview.algebra.walk import walk_plan
from everview.facts.refusals import RefusalKind
from everview.shape.maintained import Unmaintained

# What goes in: a definition, and the types of its columns. What comes out: the first value in it
# that may come out otherwise when Spark computes it again from the same rows, if there is one. It
# matters because an old row is taken out of a view by computing it again and deleting what equals
# it. A sum of floating-point numbers depends on the order in which they are added; a first value
# depends on which row comes first; the number of a row depends on how ties fall. Where a
# partition and its order hold a key of the input, no two rows tie. A function that is not known
# to repeat is taken not to.
#
#     max(price)                                     repeats
#     sum(price) of a double                         does not
#     row_number() over (partition by store order by day)    only if (store, day) is a key

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
_OF_ORDER = frozenset(
    {
        "first", "first_value", "lag", "last", "last_value", "lead", "nth_value", "ntile",
        "row_number",
    }
)  # fmt: skip


def not_repeating(rel: Rel, types: Types) -> Unmaintained | None:
    """Why some old row of the plan could come out otherwise than it was; None if none can."""
    for operator in walk_plan(rel):
        match operator:
            case Aggregate(_, _, calls):
                found = [not_repeating_call(call, types) for _, call in calls]
                names = [_name(call) for _, call in calls]
            case Pivot(_, _, _, _, measures, _):
                found = [_text(m, types) for m in measures]
                names = [called(m) for m in measures]
            case Window():
                found = not_repeating_windows(operator, types)
                names = [called(call.function) for _, call in operator.calls]
            case _:
                continue
        for lost, name in zip(found, names, strict=True):
            if lost:
                reason = (
                    f"the old value of {lost} need not come out the same when it is computed again"
                )
                return Unmaintained(RefusalKind.NOT_REPEATING, reason, operator, name)
    return None


def _name(call: AggregateCall | VerbatimCall) -> str:
    return called(call.text) if isinstance(call, VerbatimCall) else call.function


def not_repeating_call(call: AggregateCall | VerbatimCall, types: Types) -> str:
    """What the call is if its value need not come out the same, "" if it does."""
    if isinstance(call, VerbatimCall):
        return "" if call.single else _text(call.text, types)
    return "" if repeats(call, types) else f"{call.function}(...) over floating-point numbers"


def _text(scalar: Scalar, types: Types) -> str:
    name = called(scalar)
    if name in _REPEATING:
        return ""
    read = children(scalar)
    if name in _OF_SUMS and all(isinstance(r, Ref) and is_exact_number(r.id, types) for r in read):
        return ""
    return f"{name}(...)"


def not_repeating_windows(rel: Window, types: Types, *, ties: bool = True) -> list[str]:
    """The same of each call of a window; where a partition and an order hold a key of the input, no
    two rows tie. `ties`: whether rows may tie otherwise.
    """
    known = keys(rel.input, types)
    partition = {c.id for c in rel.partition}
    return [
        _window(call, types, ties=ties and not has_key_among(partition.union(_order(call)), known))
        for _, call in rel.calls
    ]


def _order(call: WindowCall) -> set[ColumnId]:
    return {key.column for key in call.order}


def _window(call: WindowCall, types: Types, *, ties: bool) -> str:
    """Of rows that tie, a frame of rows may hold either; a frame of values holds both."""
    name = called(call.function)
    if ties and (call.frame.upper().startswith("ROWS") or name == "row_number"):
        return "a window function whose rows may tie"
    if name in _OF_TIES or name in ("count", "max", "min") or (name in _OF_ORDER and not ties):
        return ""
    read = children(call.function)
    exact = all(isinstance(r, Ref) and is_exact_number(r.id, types) for r in read)
    return "" if name in _OF_SUMS and exact else f"{name}(...) over a window"
