"""What aggregate functions give where there is nothing to aggregate."""

from __future__ import annotations

from everview.algebra.calls import AggregateCall, VerbatimCall
from everview.algebra.scalars import Call, Scalar, called, integer

# Functions that are 0 of nothing, or an empty array; those of NULL_OF_NOTHING are NULL.
EMPTY_OF_NOTHING = frozenset({"array_agg", "collect_list", "collect_set"})
ZERO_OF_NOTHING = frozenset({"approx_count_distinct", "count", "count_if", "regr_count"})
NULL_OF_NOTHING = frozenset(
    {
        "any", "any_value", "approx_percentile", "avg", "bit_and", "bit_or", "bit_xor",
        "bool_and", "bool_or", "corr", "covar_pop", "covar_samp", "every", "first",
        "first_value", "kurtosis", "last", "last_value", "listagg", "max", "max_by", "mean",
        "median", "min", "min_by", "mode", "percentile", "percentile_approx", "percentile_cont",
        "percentile_disc", "regr_avgx", "regr_avgy", "regr_intercept", "regr_r2", "regr_slope",
        "regr_sxx", "regr_sxy", "regr_syy", "skewness", "some", "std", "stddev", "stddev_pop",
        "stddev_samp", "string_agg", "sum", "try_avg", "try_sum", "var_pop", "var_samp",
        "variance",
    }
)  # fmt: skip


class UnknownOfNothing(Exception):
    """It is not known what the function gives for no rows."""

    def __init__(self, function: str) -> None:
        super().__init__(function)
        self.function = function


def of_nothing(call: AggregateCall | VerbatimCall, value: Scalar) -> Scalar:
    """The value of a call, given NULL where there was nothing: its value of nothing there."""
    name = call.function if isinstance(call, AggregateCall) else called(call.text)
    if name in ZERO_OF_NOTHING:
        return Call("coalesce", (value, integer(0)))
    if name in EMPTY_OF_NOTHING:
        return Call("coalesce", (value, Call("array", ())))
    if name in NULL_OF_NOTHING:
        return value
    raise UnknownOfNothing(name)
