"""Work areas: what is stored of a group so that changes alone can update it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from everview.aggregates.numbers import EXACT_SUM
from everview.algebra.calls import AggregateCall, AggregateName, Extreme, WorkDelta
from everview.algebra.scalars import (
    NULL,
    And,
    Call,
    Case,
    Cast,
    ColumnId,
    Compare,
    IsNull,
    Not,
    Or,
    Scalar,
    integer,
    string,
)
from everview.facts.checks import SUM_OVERFLOWED

Scalars = tuple[Scalar, ...]

OVERFLOWED = string(SUM_OVERFLOWED.raised)


@dataclass(frozen=True, slots=True)
class AreaField:
    """One stored value of a work area: a suffix for its name, its Spark type, and its value over
    plain rows.
    """

    suffix: str
    type: str
    call: AggregateCall


@dataclass(frozen=True, slots=True)
class WorkArea:
    """A few stored values that belong together, and how changes update them.

    `merge(old, deltas)` gives the new values; a group that is not stored yet has `empty` as old
    values. Where the new values cannot be told, the group is recomputed: `recompute(deltas)`
    knows it from the changes alone, `lost(old, deltas)` needs the stored values too (and net
    changes). None: never. `exact` is false for values that come out otherwise in another order
    of addition.
    """

    name: str
    fields: tuple[AreaField, ...]
    deltas: tuple[WorkDelta, ...]
    empty: Scalars
    merge: Callable[[Scalars, Scalars], Scalars]
    recompute: Callable[[Scalars], Scalar] | None = None
    lost: Callable[[Scalars, Scalars], Scalar] | None = None
    exact: bool = True


def count_area(arg: ColumnId | None) -> WorkArea:
    """count(x): n' = n + Σw over rows where x is not NULL; count(*) over all rows."""
    args = () if arg is None else (arg,)
    return WorkArea(
        name="count" if arg is None else f"count_{arg}",
        fields=(AreaField("n", "long", AggregateCall("count", args)),),
        deltas=(WorkDelta("weight", arg),),
        empty=(integer(0),),
        merge=lambda old, deltas: (_plus_count(old[0], deltas[0]),),
    )


@dataclass(frozen=True, slots=True)
class SumTypes:
    """The types of one sum: what is stored and what a change is, and the casts of their
    arguments.
    """

    cast: str
    stored: str
    change: str
    change_cast: str = ""


def sum_area(arg: ColumnId, types: SumTypes) -> WorkArea:
    """sum(x) with the number of its non-NULL inputs: s' = s + Σw·x, NULL when that number is 0.

    A sum of floats only grows: taking away what was added leaves the rounding errors behind.
    """
    exact = types.stored != "double"
    change = WorkDelta("sum", arg, type=types.change, cast=types.change_cast)

    def merge(old: Scalars, deltas: Scalars) -> Scalars:
        count = _plus_count(old[0], deltas[0])
        overflow = And((Compare(">", old[0], integer(0)), IsNull(old[1])))
        fails = Cast(Call("raise_error", (OVERFLOWED,)), types.stored)
        total = Case(((overflow, fails),), _plus(old[1], deltas[1], types.stored))
        return count, Case(((Compare("=", count, integer(0)), Cast(NULL, types.stored)),), total)

    return WorkArea(
        name=f"{'exact_' if types.cast else ''}sum_{arg}",
        fields=(
            AreaField("n", "long", AggregateCall("count", (arg,))),
            AreaField("s", types.stored, AggregateCall("sum", (arg,), types.cast)),
        ),
        deltas=(
            WorkDelta("weight", arg),
            change,
            replace(change, function="overflowed") if exact else WorkDelta("removed", arg),
        ),
        empty=(integer(0), Cast(NULL, types.stored)),
        merge=merge,
        recompute=lambda deltas: Compare(">", deltas[2], integer(0)),
        exact=exact,
    )


def extreme_area(arg: ColumnId, type_: str, extreme: Extreme) -> WorkArea:
    """min(x) or max(x) with the number of its copies (Gupta & Mumick, 5.1; in print
    one column holds inserted and deleted values).

    The candidate is the better of the stored and the inserted extreme; its copies are the
    stored and inserted ones less the deleted ones at that value. At 0 or less the extreme is
    lost.
    """
    best = "greatest" if extreme == "max" else "least"

    def candidate(old: Scalars, deltas: Scalars) -> Scalar:
        return Call(best, (old[0], deltas[0]))

    def copies(old: Scalars, deltas: Scalars) -> Scalar:
        found = candidate(old, deltas)
        kept = Call("+", (_at(old[0], found, old[1]), _at(deltas[0], found, deltas[1])))
        return Call("-", (kept, _at(deltas[2], found, deltas[3])))

    def lost(old: Scalars, deltas: Scalars) -> Scalar:
        found = candidate(old, deltas)
        better = Compare("<>", Call(best, (found, deltas[2])), found)
        known = Not(IsNull(found))
        return And((known, Or((Compare("<=", copies(old, deltas), integer(0)), better))))

    return WorkArea(
        name=f"{extreme}_{arg}",
        fields=(
            AreaField("x", type_, AggregateCall(extreme, (arg,))),
            AreaField("copies", "long", AggregateCall(_COPIES[extreme], (arg,))),
        ),
        deltas=(
            WorkDelta("inserted", arg, extreme, type_),
            WorkDelta("inserted_copies", arg, extreme),
            WorkDelta("deleted", arg, extreme, type_),
            WorkDelta("deleted_copies", arg, extreme),
        ),
        empty=(Cast(NULL, type_), integer(0)),
        merge=lambda old, deltas: (candidate(old, deltas), copies(old, deltas)),
        lost=lost,
    )


_COPIES: dict[Extreme, AggregateName] = {"min": "copies_of_min", "max": "copies_of_max"}


def _at(value: Scalar, found: Scalar, copies: Scalar) -> Scalar:
    """The copies if the value is the one found, else 0."""
    return Case(((Compare("=", value, found), copies),), integer(0))


def _plus_count(old: Scalar, change: Scalar) -> Scalar:
    return Call("+", (old, Call("coalesce", (change, integer(0)))))


def _plus(old: Scalar, change: Scalar, stored: str) -> Scalar:
    """old + change as the stored type, NULL counting as 0, computed wide enough to be exact."""
    wide = EXACT_SUM if stored == "long" else stored
    zero = Cast(integer(0), wide)
    parts = tuple(Call("coalesce", (Cast(part, wide), zero)) for part in (old, change))
    return Cast(Call("+", parts), stored)
