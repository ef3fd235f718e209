"""What happens after a refresh failed in Spark: another way, if one may do better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from everview.choose.strategies import Full, Incremental
from everview.errors import ComputationFailed
from everview.optimize.passes import PassContext, When, improved
from everview.program.planned import Planned, with_steps

_T = TypeVar("_T")


def carried_out(planned: Planned, run: Callable[[Planned], _T]) -> _T:
    """Run what is planned. If that fails and is incremental, run it with net changes, because a row
    that came and went may be what fails; then in full, if the policy allows it and no other way
    was asked for. A check that failed is not answered.
    """
    strategy = planned.choice.strategy
    if not isinstance(strategy, Incremental):
        return run(planned)
    try:
        return run(planned)
    except ComputationFailed:
        choice = replace(planned.choice, strategy=with_net_changes(strategy))
        netted = with_steps(planned.facts, planned.shape, choice)
    try:
        return run(netted)
    except ComputationFailed as failure:
        if planned.facts.policy == "INCREMENTAL STRICT" or planned.choice.asked.is_by_changes:
            raise
        full = _in_full(planned, strategy, failure)
    return run(full)


def with_net_changes(strategy: Incremental) -> Incremental:
    """The strategy over the net changes of its tables, without what other views share with it."""
    known = PassContext(off=strategy.passes_off)
    plan = improved(When.AGAIN, strategy.changes, known).plan
    return replace(strategy, changes=plan, in_common=None)


def _in_full(planned: Planned, strategy: Incremental, failure: ComputationFailed) -> Planned:
    reason = f"the incremental refresh failed in Spark: {failure.what}"
    choice = planned.choice
    cost = choice.runner_up.cost if choice.runner_up else strategy.cost
    full = replace(
        choice, strategy=Full(cost, planned.facts.read_by), reason=reason, runner_up=None
    )
    return with_steps(planned.facts, planned.shape, full)
