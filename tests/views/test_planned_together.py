"""Which views of a run are planned together, and when."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from everview.facts.refreshes import Wish
from everview.views import planned_together
from everview.views.planned_together import PlansOfRun

# top reads left and right, which read low; alone and other read no view.
BELOW: dict[str, tuple[str, ...]] = {
    "low": (),
    "left": ("low",),
    "right": ("low",),
    "top": ("left", "right"),
    "alone": (),
    "other": (),
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []

    def plan(_: Any, wishes: Mapping[str, Wish], __: Any, title: str) -> dict[str, str]:
        found.append((title, list(wishes)))
        return {name: f"plan of {name}" for name in wishes}

    monkeypatch.setattr(planned_together, "planned_together", plan)
    return found


def test_those_are_planned_together_whose_views_below_are_done(
    asked: list[tuple[str, list[str]]],
) -> None:
    world: Any = SimpleNamespace(run=SimpleNamespace(plans={}))
    plans = PlansOfRun(tuple(BELOW), BELOW, lambda _: Wish(), {})
    for name in BELOW:
        with plans.refreshing(world, name):
            pass
    assert asked == [("common1_", ["low", "alone", "other"]), ("common2_", ["left", "right"])]
    assert set(world.run.plans) == {"low", "alone", "other", "left", "right"}


def test_a_view_alone_is_planned_when_it_is_refreshed(asked: list[tuple[str, list[str]]]) -> None:
    world: Any = SimpleNamespace(run=SimpleNamespace(plans={}))
    plans = PlansOfRun(("low", "left"), BELOW, lambda _: Wish(), {})
    for name in ("low", "left"):
        with plans.refreshing(world, name):
            pass
    assert asked == []


def test_what_is_above_a_view_that_failed_is_not_planned(
    asked: list[tuple[str, list[str]]],
) -> None:
    world: Any = SimpleNamespace(run=SimpleNamespace(plans={}))
    plans = PlansOfRun(("low", "left", "right", "alone"), BELOW, lambda _: Wish(), {})
    with pytest.raises(ValueError, match="broken"), plans.refreshing(world, "low"):
        raise ValueError("broken")
    with plans.refreshing(world, "alone"):
        pass
    assert asked == [("common1_", ["low", "alone"])]
