"""The aggregate functions that can be maintained: each is one scalar over work areas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from everview.aggregates.areas import (
    Scalars,
    SumTypes,
    WorkArea,
    count_area,
    extreme_area,
    sum_area,
)
from everview.aggregates.numbers import EXACT_SUM, FLOAT_NAMES, INTEGERS, decimal, decimal_of
from everview.algebra.calls import AggregateCall, Extreme, VerbatimCall
from everview.algebra.scalars import (
    NULL,
    Call,
    Case,
    Cast,
    Compare,
    Scalar,
    Types,
    called,
    integer,
    string,
)
from everview.facts.checks import AVERAGE_TOO_LARGE

# Above this many rows in a group an average of decimals is no longer certain to round as Spark's.
MOST_AVERAGED = 999_999_999
_TOO_LARGE = string(AVERAGE_TOO_LARGE.raised)


@dataclass(frozen=True, slots=True)
class Maintained:
    """The function's value is `value` over the stored values of `areas`, in their order.

    `bare` says that the value is the last stored value itself, so that it need not be stored twice.
    """

    areas: tuple[WorkArea, ...]
    value: Callable[[Scalars], Scalar]
    bare: bool


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The function cannot be kept from changes; groups that are touched are recomputed."""

    reason: str


Upkeep = Maintained | Recomputed


def upkeep(call: AggregateCall | VerbatimCall, types: Types) -> Upkeep:
    """How one aggregate call is kept, given the Spark types of its arguments."""
    if isinstance(call, VerbatimCall):
        return Recomputed(f"{called(call.text)}(...) is asked of all rows of a group")
    if call.distinct:
        return Recomputed(f"{call.function}(DISTINCT ...) is asked of all rows of a group")
    return FUNCTIONS[call.function](call, types)


def _count(call: AggregateCall, types: Types) -> Upkeep:
    if len(call.args) > 1:
        return Recomputed("count of several columns is asked of all rows of a group")
    area = count_area(call.args[0] if call.args else None)
    return Maintained((area,), lambda stored: stored[0], bare=True)


def _sum(call: AggregateCall, types: Types) -> Upkeep:
    (arg,) = call.args
    kept = _sum_types(types[arg])
    if isinstance(kept, Recomputed):
        return kept
    return Maintained((sum_area(arg, kept),), lambda stored: stored[1], bare=True)


def _avg(call: AggregateCall, types: Types) -> Upkeep:
    (arg,) = call.args
    kept = _sum_types(types[arg])
    if isinstance(kept, Recomputed):
        return kept
    if types[arg] == "long":
        kept = SumTypes("decimal(20,0)", "decimal(30,0)", EXACT_SUM, "decimal(20,0)")
    exact = decimal_of(types[arg])
    if exact is None:
        return Maintained((sum_area(arg, kept),), _float_mean, bare=False)
    precision, scale = exact
    if precision > 25 or scale > 16:
        return Recomputed(f"avg of {types[arg]} may round otherwise than Spark's own")
    return Maintained((sum_area(arg, kept),), _decimal_mean(precision, scale), bare=False)


def _extreme(call: AggregateCall, types: Types) -> Upkeep:
    (arg,) = call.args
    extreme: Extreme = "min" if call.function == "min" else "max"
    area = extreme_area(arg, types[arg], extreme)
    return Maintained((area,), lambda stored: stored[0], bare=True)


def _never(call: AggregateCall, types: Types) -> Upkeep:
    raise AssertionError(f"{call.function} is a work area, not a function of SQL")


FUNCTIONS: Mapping[str, Callable[[AggregateCall, Types], Upkeep]] = {
    "count": _count,
    "sum": _sum,
    "avg": _avg,
    "min": _extreme,
    "max": _extreme,
    "copies_of_min": _never,
    "copies_of_max": _never,
}


def _sum_types(type_: str) -> SumTypes | Recomputed:
    """How sums over this type are kept, or why they cannot be added to exactly."""
    if type_ in INTEGERS:
        return SumTypes("", "long", EXACT_SUM, "decimal(20,0)")
    if type_ in FLOAT_NAMES:
        return SumTypes("", "double", "double")
    if type_ == "string":
        return SumTypes("double", "double", "double")
    exact = decimal_of(type_)
    if exact is None:
        return Recomputed(f"sums over {type_} are not kept")
    precision, scale = exact
    if precision > 27 and scale > 6:
        return Recomputed(f"a sum over {type_} has all 38 digits: adding to it could lose some")
    return SumTypes("", decimal(precision + 10, scale), decimal(precision + 10, scale))


def _float_mean(stored: Scalars) -> Scalar:
    count, total = stored
    mean = Call("/", (Cast(total, "double"), Cast(count, "double")))
    return Case(((Compare("=", count, integer(0)), Cast(NULL, "double")),), mean)


def _decimal_mean(precision: int, scale: int) -> Callable[[Scalars], Scalar]:
    """sum / count as Spark rounds it: whole part and remainder apart, so that no digit is lost.

    sum = count * whole + rest with |rest| < count < 10^9. Spark rounds the quotient to 38
    digits, then to scale + 4; with at most 25 - scale digits before the point both keep nine
    digits more than the result, and a fraction over a count below 10^9 cannot come that near to
    a half without being one: rounding twice is rounding once. A larger value raises, and the
    view is recomputed in full.
    """
    result = decimal(precision + 4, scale + 4)
    digits = min(max(1, precision - scale), 25 - scale)

    def mean(stored: Scalars) -> Scalar:
        count, total = stored
        few = Cast(count, "decimal(9,0)")
        rest = Cast(Call("%", (total, few)), decimal(9 + scale, scale))
        whole = Cast(Call("/", (Call("-", (total, rest)), few)), decimal(digits, 0))
        fraction = Call("/", (rest, Cast(count, "decimal(20,0)")))
        part = Cast(fraction, decimal(scale + 5, scale + 4))
        fails = Cast(Call("raise_error", (_TOO_LARGE,)), result)
        value = Call("coalesce", (Cast(Call("+", (whole, part)), result), fails))
        return Case(
            (
                (Compare("=", count, integer(0)), Cast(NULL, result)),
                (Compare(">", count, integer(MOST_AVERAGED)), fails),
            ),
            value,
        )

    return mean
