"""Work on several views: what fails stops those above it alone, some work at the same time."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

import pytest

from everview.facts.methods import Method, Way
from everview.facts.receipts import Receipt
from everview.run.refresh.several import (
    Began,
    Ended,
    Event,
    Failed,
    Order,
    RefreshOne,
    Stopped,
    ViewOutcome,
    one_by_one,
    side_by_side,
)
from everview.spark.log import logged

# top reads left and right, which read low; alone reads no view.
TOWER = Order(
    ("low", "left", "right", "top", "alone"),
    {"low": (), "left": ("low",), "right": ("low",), "top": ("left", "right"), "alone": ()},
)


def receipt(name: str) -> Receipt:
    return Receipt(name, Method(Way.INCREMENTAL), "", {}, {})


def nothing(event: Event | None = None) -> None:
    """Say nothing, interrupt nothing."""


Run = Callable[[Order, RefreshOne, Callable[[Event], None]], dict[str, ViewOutcome]]


def threads(order: Order, work: RefreshOne, say: Callable[[Event], None]) -> dict[str, ViewOutcome]:
    return side_by_side(order, work, say, 3, nothing)


@pytest.mark.parametrize("run", [one_by_one, threads])
def test_a_failure_stops_those_above_it_alone(run: Run) -> None:
    wrong = ValueError("renamed")

    def work(name: str) -> Receipt:
        if name == "left":
            raise wrong
        return receipt(name)

    outcomes = run(TOWER, work, nothing)
    assert outcomes == {
        "low": receipt("low"),
        "left": Failed(wrong),
        "right": receipt("right"),
        "top": Stopped("left"),
        "alone": receipt("alone"),
    }


@pytest.mark.parametrize("run", [one_by_one, threads])
def test_what_is_stopped_names_the_one_that_failed(run: Run) -> None:
    order = Order(("a", "b", "c"), {"a": (), "b": ("a",), "c": ("b",)})

    def work(name: str) -> Receipt:
        raise ValueError(name)

    outcomes = run(order, work, nothing)
    assert (outcomes["b"], outcomes["c"]) == (Stopped("a"), Stopped("a"))


@pytest.mark.parametrize("run", [one_by_one, threads])
def test_steps_and_ends_are_told_in_the_thread_of_the_caller(run: Run) -> None:
    told: list[Event] = []
    where: set[str] = set()

    def say(event: Event) -> None:
        told.append(event)
        where.add(threading.current_thread().name)

    def work(name: str) -> Receipt:
        with logged(name, "write"):
            return receipt(name)

    run(TOWER, work, say)
    assert where == {threading.current_thread().name}
    for name in TOWER.names:
        own = [e for e in told if e.view == name]
        assert own == [Began(name, "write"), Ended(name, receipt(name))]


def test_views_that_do_not_read_each_other_work_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=20)

    def work(name: str) -> Receipt:
        if name in ("left", "right"):
            meeting.wait()  # passes only if both are here
        return receipt(name)

    assert all(isinstance(o, Receipt) for o in threads(TOWER, work, nothing).values())


@pytest.mark.parametrize("seed", range(20))
def test_each_begins_after_those_it_reads(seed: int) -> None:
    rng = random.Random(seed)
    names = tuple(f"v{n}" for n in range(12))
    below = {
        n: tuple(rng.sample(names[:i], min(i, rng.randint(0, 3)))) for i, n in enumerate(names)
    }
    failing = set(rng.sample(names, 2))
    ended: set[str] = set()
    working: set[str] = set()

    def work(name: str) -> Receipt:
        assert set(below[name]) <= ended
        working.add(name)
        assert len(working) <= 3
        time.sleep(rng.random() / 200)
        working.discard(name)
        if name in failing:
            raise ValueError(name)
        ended.add(name)
        return receipt(name)

    outcomes = threads(Order(names, below), work, nothing)
    assert set(outcomes) == set(names)
    for name, outcome in outcomes.items():
        match outcome:
            case Receipt():
                assert name in ended
            case Failed(error):
                assert isinstance(error, ValueError), error
            case Stopped(by):
                assert isinstance(outcomes[by], Failed)


def test_an_interruption_ends_what_runs_and_begins_nothing_more() -> None:
    begun: list[str] = []
    interrupted = threading.Event()

    def work(name: str) -> Receipt:
        begun.append(name)
        with logged(name, "write"):
            assert interrupted.wait(20)
        raise ValueError("interrupted")

    def say(event: Event) -> None:
        raise KeyboardInterrupt

    order = Order(("a", "b", "c"), {"a": (), "b": (), "c": ()})
    with pytest.raises(KeyboardInterrupt):
        side_by_side(order, work, say, 2, interrupted.set)
    assert interrupted.is_set()
    assert sorted(begun) in (["a"], ["a", "b"])


def test_what_is_no_mere_error_is_raised_where_the_caller_waits() -> None:
    def work(name: str) -> Receipt:
        raise SystemExit(3)

    for run in (one_by_one, threads):
        with pytest.raises(SystemExit):
            run(TOWER, work, nothing)
