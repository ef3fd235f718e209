"""How long refreshes took beside what was estimated."""

from __future__ import annotations

import pytest

from everview.facts.methods import Way
from everview.facts.pace import AS_ESTIMATED, LEAST_LEARNT, Pace, typical_pace


def test_half_of_a_factor_is_what_was_last_seen() -> None:
    assert AS_ESTIMATED.after(Way.INCREMENTAL, 2.0, 3.0) == Pace(incremental=1.25)
    assert AS_ESTIMATED.after(Way.FULL, 2.0, 1.0) == Pace(full=0.75)


def test_after_many_refreshes_it_is_what_they_take() -> None:
    pace = AS_ESTIMATED
    for _ in range(20):
        pace = pace.after(Way.INCREMENTAL, 2.0, 6.0)
    assert pace.incremental == pytest.approx(3.0, rel=1e-3)


def test_the_way_that_is_not_taken_is_forgotten() -> None:
    pace = Pace(full=1.0, incremental=8.0)
    for _ in range(40):
        pace = pace.after(Way.FULL, 1.0, 1.0)
    assert 1.0 < pace.incremental < 1.05


def test_nothing_is_learnt_where_nothing_was_done() -> None:
    slow = Pace(2.0, 3.0)
    for way in (Way.SKIPPED, Way.MOVED, Way.ALREADY_DONE):
        assert slow.after(way, 1.0, 9.0) is slow
    assert slow.after(Way.FULL, 0.0, 1.0) is slow
    assert slow.after(Way.FULL, 1.0, 0.0) is slow


def test_nothing_is_learnt_of_what_takes_no_time() -> None:
    assert AS_ESTIMATED.after(Way.INCREMENTAL, LEAST_LEARNT - 0.01, 30.0) is AS_ESTIMATED
    assert AS_ESTIMATED.after(Way.INCREMENTAL, LEAST_LEARNT, 30.0) != AS_ESTIMATED


def test_one_refresh_is_worth_ten_times_the_estimate_at_most() -> None:
    assert AS_ESTIMATED.after(Way.FULL, 1.0, 1e6).full == pytest.approx(5.5)
    assert AS_ESTIMATED.after(Way.FULL, 1e6, 1.0).full == pytest.approx(0.55)


def test_a_new_view_takes_what_others_take() -> None:
    assert typical_pace([]) == AS_ESTIMATED
    assert typical_pace([Pace(1, 2), Pace(2, 9), Pace(3, 4)]) == Pace(2, 4)


def test_it_survives_json() -> None:
    assert Pace.from_dict(Pace(1.23456, 2).to_dict()) == Pace(1.235, 2)
    assert Pace.from_dict({}) == AS_ESTIMATED
