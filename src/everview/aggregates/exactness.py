"""Which aggregate functions come out the same however their rows are added up."""

from __future__ import annotations

from everview.aggregates.numbers import INTEGERS, decimal_of
from everview.algebra.calls import AggregateCall
from everview.algebra.scalars import ColumnId, Types
from everview.algebra.types import is_equal_only_to_itself, type_of


def repeats(call: AggregateCall, types: Types) -> bool:
    """Whether the value need not be feared to come out otherwise when it is computed again: a sum
    of floats depends on the order in which they are added.
    """
    return call.function not in ("sum", "avg") or is_exact_number(call.args[0], types)


def repeats_exactly(call: AggregateCall, types: Types) -> bool:
    """The same, and no value that it may have is equal to another one, as 0.0 is to -0.0."""
    if call.function == "count":
        return True
    known = [types.get(a, "") for a in call.args]
    plain = all(t and is_equal_only_to_itself(type_of(t)) for t in known)
    return plain and repeats(call, types)


def is_exact_number(column: ColumnId, types: Types) -> bool:
    """Whether the column holds whole numbers or decimals."""
    type_ = types.get(column, "")
    return type_ in INTEGERS or decimal_of(type_) is not None
