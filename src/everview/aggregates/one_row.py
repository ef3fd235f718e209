"""What aggregate functions say of a single row, and how a group is told from its rows."""

from __future__ import annotations

from dataclasses import dataclass

from everview.aggregates.numbers import FLOAT_NAMES, INTEGERS, decimal, decimal_of
from everview.algebra.calls import AggregateCall, VerbatimCall
from everview.algebra.scalars import Case, Cast, IsNull, Or, Ref, Scalar, Types, integer

_DIGITS_MORE = 10  # that Spark gives a sum of decimals, so that no table is too long for it


@dataclass(frozen=True, slots=True)
class OfOneRow:
    """The function over one row is `value`, of the type that the function has; over a group it is
    what the functions `summed_up_by` make of the values of its rows.
    """

    value: Scalar
    summed_up_by: frozenset[str]


def of_one_row(call: AggregateCall | VerbatimCall, types: Types) -> OfOneRow | None:
    """The function of one row; None where a group is more than its rows one by one, or where its
    value could be too large for its type.
    """
    if not isinstance(call, AggregateCall) or call.distinct or call.cast:
        return None
    match call.function:
        case "count":
            missing = tuple(IsNull(Ref(a)) for a in call.args)
            is_missing = missing[0] if len(missing) == 1 else Or(missing)
            one = Case(((is_missing, integer(0)),), integer(1)) if missing else integer(1)
            return OfOneRow(Cast(one, "long"), frozenset({"sum"}))
        case "sum":
            (arg,) = call.args
            type_ = _sum_type(types.get(arg, ""))
            return OfOneRow(Cast(Ref(arg), type_), frozenset({"sum"})) if type_ else None
        case "min" | "max":
            (arg,) = call.args
            return OfOneRow(Ref(arg), frozenset({call.function}))
        case _:
            return None


def _sum_type(type_: str) -> str:
    """The type of a sum, "" if it is not known or has room for no more digits."""
    if type_ in INTEGERS:
        return "long"
    if type_ in FLOAT_NAMES or type_ == "string":
        return "double"
    exact = decimal_of(type_) if type_ else None
    if exact is None or exact[0] + _DIGITS_MORE > 38:
        return ""
    return decimal(exact[0] + _DIGITS_MORE, exact[1])
