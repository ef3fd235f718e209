"""What is run after a refresh failed in Spark: net changes, then everything, if the policy lets."""

from __future__ import annotations

import pytest

from everview.algebra.relations import Net
from everview.algebra.walk import walk_plan
from everview.choose.choose import choose
from everview.choose.strategies import Full, Incremental
from everview.errors import ComputationFailed, InvariantViolated
from everview.facts.methods import Variant, Way
from everview.program.planned import Planned, with_steps
from everview.run.refresh.after_failure import carried_out
from everview.shape.shape import Shape
from tests.choose.facts import facts, source
from tests.choose.shapes import GROUPS, MINUS, PARTITIONS, PLUS, ROWS


def planned(kind: Shape, *, policy: str = "INCREMENTAL", full: bool = False) -> Planned:
    given = facts(kind, source("t", PLUS, MINUS), source("u"), policy=policy)
    return with_steps(given, kind, choose(given, kind, full=full))


class Runs:
    """Fails so many times, then says what was run."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.plans: list[Planned] = []

    def __call__(self, plan: Planned) -> str:
        self.plans.append(plan)
        if len(self.plans) <= self.failures:
            raise ComputationFailed(f"failure {len(self.plans)}", remedy="")
        return "done"


def nets(plan: Planned) -> int:
    assert isinstance(plan.choice.strategy, Incremental)
    return sum(isinstance(r, Net) for r in walk_plan(plan.choice.strategy.changes))


def test_what_does_not_fail_is_run_once() -> None:
    run = Runs(0)
    assert carried_out(planned(GROUPS), run) == "done"
    assert len(run.plans) == 1


@pytest.mark.parametrize("kind", [ROWS, GROUPS, PARTITIONS], ids=["rows", "groups", "partitions"])
def test_first_with_net_changes_then_in_full(kind: Shape) -> None:
    run = Runs(2)
    assert carried_out(planned(kind), run) == "done"
    first, netted, full = run.plans
    assert netted.choice.strategy.method == first.choice.strategy.method
    assert nets(netted) > nets(first)
    assert type(netted.program) is type(first.program)
    assert isinstance(full.choice.strategy, Full)
    assert full.choice.reason == "the incremental refresh failed in Spark: failure 2"
    assert full.choice.runner_up is None
    assert [s.name for s in full.program.steps] == ["write", "commit"]


def test_a_strict_policy_ends_after_net_changes_with_the_last_failure() -> None:
    run = Runs(9)
    with pytest.raises(ComputationFailed, match="failure 2"):
        carried_out(planned(GROUPS, policy="INCREMENTAL STRICT"), run)
    assert [p.choice.strategy.method.variant for p in run.plans] == [Variant.GROUPS] * 2


def test_a_full_refresh_that_failed_is_not_run_again() -> None:
    run = Runs(9)
    with pytest.raises(ComputationFailed, match="failure 1"):
        carried_out(planned(GROUPS, full=True), run)
    assert [p.choice.strategy.method.way for p in run.plans] == [Way.FULL]


def test_a_check_that_failed_is_not_answered() -> None:
    def run(plan: Planned) -> str:
        raise InvariantViolated("a check", remedy="")

    with pytest.raises(InvariantViolated, match="a check"):
        carried_out(planned(GROUPS), run)
