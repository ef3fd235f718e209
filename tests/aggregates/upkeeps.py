"""How a function of one argument is kept."""

from __future__ import annotations

from everview.aggregates.functions import Maintained, Recomputed, upkeep
from everview.algebra.calls import AggregateCall, AggregateName

X = 1  # the argument


def kept(function: AggregateName, type_: str) -> Maintained | Recomputed:
    return upkeep(AggregateCall(function, (X,)), {X: type_})
