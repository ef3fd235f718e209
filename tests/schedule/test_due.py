"""When views are refreshed, under a simulated clock."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everview.schedule.memory import LONGEST_PAUSE, Memory
from tests.schedule.simulated import HOUR, MINUTE, SECOND, START, Simulated

ONE = {"v": ("t",)}


def written_every(step: int, until: int = 24 * HOUR) -> list[int]:
    return list(range(START + step // 2, START + until, step))


def test_every_interval_once_where_something_changed() -> None:
    shop = Simulated({"v": "EVERY 5 MINUTES"}, ONE, {"t": written_every(MINUTE)})
    shop.run(START + HOUR)
    assert [r.begun - START for r in shop.ran] == [n * 5 * MINUTE for n in range(1, 12)]
    assert shop.looks < 200


def test_nothing_while_nothing_changed() -> None:
    whens = ["EVERY 1 MINUTE", "CRON '* * * * *'", "TARGET LAG 1 MINUTE", "IMMEDIATE", "ON READ"]
    shop = Simulated(
        {f"v{i}": when for i, when in enumerate(whens)},
        {f"v{i}": ("t",) for i in range(len(whens))},
    )
    shop.run(START + HOUR)
    assert not shop.ran


def test_on_demand_and_on_read_are_left_to_others() -> None:
    shop = Simulated(
        {"a": "ON DEMAND", "b": "ON READ WITHIN 1 SECOND"},
        {"a": ("t",), "b": ("t",)},
        {"t": written_every(MINUTE)},
    )
    shop.run(START + HOUR)
    assert not shop.ran
    assert shop.looks <= 121  # the catalog is looked at all the same


def test_a_view_below_is_refreshed_with_the_one_above_that_has_a_schedule() -> None:
    shop = Simulated(
        {"below": "ON DEMAND", "above": "EVERY 10 MINUTES"},
        {"below": ("t",), "above": ("below",)},
        {"t": [START + MINUTE]},
    )
    shop.run(START + HOUR)
    assert [(r.view, r.begun - START) for r in shop.ran] == [
        ("below", 10 * MINUTE),
        ("above", 10 * MINUTE + SECOND),
    ]


def test_cron_at_the_moments_of_its_fields() -> None:
    shop = Simulated({"v": "CRON '*/20 * * * *'"}, ONE, {"t": written_every(MINUTE)})
    shop.run(START + HOUR)
    assert len(shop.ran) == 3
    assert all((r.begun // MINUTE) % 20 == 0 for r in shop.ran)


def test_a_view_whose_schedule_is_new_waits_for_cron_and_not_for_an_interval() -> None:
    whens = {"cron": "CRON '30 4 * * *'", "interval": "EVERY 1 DAY"}
    shop = Simulated(whens, {"cron": ("t",), "interval": ("t",)}, {"t": [START + 1]})
    shop.now += MINUTE
    shop.run(START + 2 * MINUTE)
    assert [r.view for r in shop.ran] == ["interval"]
    shop.run(START + 24 * HOUR)
    assert [(r.view, r.begun // MINUTE % (24 * 60)) for r in shop.ran[1:]] == [
        ("cron", 4 * 60 + 30)
    ]


@pytest.mark.parametrize("when", ["EVERY 5 MINUTES", "CRON '*/5 * * * *'", "TARGET LAG 5 MINUTES"])
def test_after_a_stop_there_is_one_refresh_for_all_that_were_missed(when: str) -> None:
    shop = Simulated({"v": when}, ONE, {"t": written_every(MINUTE)})
    shop.run(START + HOUR)
    before = len(shop.ran)
    shop.now += 6 * HOUR  # it does not run
    stopped = shop.now
    shop.run(stopped + MINUTE)
    assert len(shop.ran) == before + 1
    assert shop.ran[-1].begun == stopped
    shop.run(stopped + HOUR)
    assert 11 <= len(shop.ran) - before <= 20  # and then as ever


def test_a_suspended_view_waits_and_one_above_reads_it_as_it_is() -> None:
    shop = Simulated(
        {"below": "EVERY 1 MINUTE", "above": "EVERY 1 MINUTE"},
        {"below": ("t",), "above": ("below", "u")},
        {"t": written_every(MINUTE), "u": written_every(HOUR)},
        suspended={"below"},
    )
    shop.run(START + 2 * HOUR)
    assert {r.view for r in shop.ran} == {"above"}
    assert len(shop.ran) == 2  # only what `u` had is new to it


def test_immediate_is_as_soon_as_a_commit_of_another_is_seen() -> None:
    times = [START + 10 * MINUTE + 100, START + 10 * MINUTE + 600, START + 30 * MINUTE]
    shop = Simulated({"v": "IMMEDIATE"}, ONE, {"t": times})
    shop.run(START + HOUR)
    assert len(shop.ran) == 2
    assert all(r.since is not None and r.begun - r.since <= 2 * SECOND for r in shop.ran)


def test_failures_are_tried_again_after_longer_and_longer_pauses() -> None:
    shop = Simulated({"v": "IMMEDIATE"}, ONE, {"t": [START + MINUTE]}, broken={"v"})
    shop.run(START + 2 * HOUR)
    times = [at for _, at in shop.tried]
    pauses = [b - a for a, b in pairwise(times)]
    first = [10, 20, 40, 80, 160, 320, 600, 600]
    assert [round(p / SECOND) for p in pauses[:8]] == first
    assert len(times) < 20
    shop.broken.clear()
    shop.run(shop.now + LONGEST_PAUSE)
    assert len(shop.ran) == 1
    assert shop.memories["v"].failing is None


def test_what_fails_below_keeps_the_views_above_waiting() -> None:
    whens = {"below": "EVERY 1 MINUTE", "a": "IMMEDIATE", "b": "EVERY 1 MINUTE"}
    shop = Simulated(
        whens,
        {"below": ("t",), "a": ("below",), "b": ("u",)},
        {"t": [START + SECOND], "u": written_every(MINUTE)},
        broken={"below"},
    )
    shop.run(START + HOUR)
    assert len([1 for name, _ in shop.tried if name == "below"]) < 15
    assert 55 <= len(shop.of("b")) <= 60  # the others are as ever


def test_a_lag_of_views_over_views_counts_from_the_tables() -> None:
    """The view above has ten minutes; the one below refreshes itself only every hour."""
    shop = Simulated(
        {"below": "EVERY 1 HOUR", "above": "TARGET LAG 10 MINUTES"},
        {"below": ("t",), "above": ("below", "u")},
        {"t": written_every(7 * MINUTE), "u": written_every(HOUR)},
        seconds=20,
    )
    shop.run(START + 6 * HOUR)
    assert len(shop.of("above")) > 20
    assert len(shop.of("below")) >= len(shop.of("above"))
    for ran in shop.of("above"):
        assert ran.since is not None
        assert ran.ended - ran.since <= 10 * MINUTE
    # As late as it may be, and not sooner: several commits share a refresh.
    assert len(shop.of("above")) <= 6 * 60 / 8


TIMES = st.lists(st.integers(START, START + 2 * HOUR), max_size=40).map(sorted)
INTERVALS = st.sampled_from([1, 2, 5, 7, 30, 60])


@settings(max_examples=60, deadline=None)
@given(TIMES, TIMES, INTERVALS, INTERVALS, st.sampled_from([0.1, 3.0]))
def test_a_lag_is_kept_whatever_is_written(
    t: list[int], u: list[int], low: int, high: int, seconds: float
) -> None:
    """Of views that are refreshed in a twentieth of their lags."""
    shop = Simulated(
        {"low": f"TARGET LAG {low} MINUTES", "high": f"TARGET LAG {high} MINUTES"},
        {"low": ("t",), "middle": ("low", "u"), "high": ("middle",)},
        {"t": t, "u": u},
        seconds=seconds / 3,
    )
    shop.run(START + 4 * HOUR)
    for view, lag in (("low", low), ("high", high)):
        assert shop.since(view, shop.now) is None  # nothing is left out
        for ran in shop.of(view):
            assert ran.since is None or ran.ended - ran.since <= lag * MINUTE
    # None without something to do, but for a view that is below one that has.
    assert all(r.since is not None for r in shop.ran if r.served is not None)


@settings(max_examples=60, deadline=None)
@given(TIMES, INTERVALS, st.integers(1, 200), st.integers(0, 4 * HOUR))
def test_no_moment_is_answered_twice(t: list[int], minutes: int, seconds: int, stop: int) -> None:
    """Also where refreshes take longer than the interval, and after a stop."""
    shop = Simulated({"v": f"EVERY {minutes} MINUTES"}, ONE, {"t": t}, seconds=float(seconds))
    shop.run(START + HOUR)
    shop.now += stop
    shop.run(shop.now + 6 * HOUR)
    moments = [r.served for r in shop.ran]
    assert len(moments) == len(set(moments))
    assert all(m is not None and (m - START) % (minutes * MINUTE) == 0 for m in moments)
    assert all(r.since is not None for r in shop.ran)
    assert shop.since("v", shop.now - minutes * MINUTE - seconds * SECOND) is None


@given(st.integers(0, 50))
def test_a_pause_is_never_longer_than_the_longest(tries: int) -> None:
    memory = Memory(tries=tries).failed(START, {})
    assert START < memory.next_try <= START + LONGEST_PAUSE


def test_a_memory_is_the_same_when_it_is_read_again() -> None:
    memory = Memory(served=5).failed(START, {"code": "EV-1002"})
    assert Memory.from_dict(memory.to_dict()) == memory
    assert Memory.from_dict({**memory.to_dict(), "of_a_later_version": 1}) == memory
    assert memory.failing == {
        "tries": 1,
        "at": START,
        "next_try": START + 10 * SECOND,
        "error": {"code": "EV-1002"},
    }
    good = memory.succeeded(START + MINUTE, 2.0, None)
    assert (good.served, good.failing, good.seconds) == (5, None, 2.0)
    assert good.succeeded(START, 0.0, 7).seconds == 2.0  # where nothing was to be done
