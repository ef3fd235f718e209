"""Ratios are taken within a round, aims stand beside them, and AUTO is held to the best way."""

from __future__ import annotations

import pytest

from bench.aims import (
    AUTO,
    FULL,
    HAND,
    MARKING,
    REWRITING,
    auto_share,
    cells,
    drift,
    growth,
    ours,
)
from bench.measure import Cost, Run
from bench.results import Results
from bench.tables import aim_rows, summary
from bench.views import VIEWS


def run(contestant: str, cpu: float, **others: object) -> Run:
    given = {"scale": 1.0, "cell": "by_order", "change": "mixed 0.1 %", "number": 0, **others}
    reading = Cost(cpu / 10, 0.1)
    return Run(contestant=contestant, cost=Cost(cpu, cpu / 2), reading=reading, **given)  # type: ignore[arg-type]


def test_a_ratio_is_the_median_of_the_ratios_of_rounds() -> None:
    slow = [run(FULL, 100.0, number=1), run(REWRITING, 20.0, number=1)]
    others = [run(FULL, 10.0), run(REWRITING, 4.0), run(FULL, 10.0, number=2)]
    (cell,) = cells([*slow, *others, run(REWRITING, 3.0, number=2)])
    assert cell.ratio(REWRITING) == pytest.approx(0.3)
    assert cell.ratio(REWRITING, HAND) is None
    assert cell.ratio(MARKING) is None
    assert cell.cpu(FULL) == 10.0


def test_the_aim_is_that_of_the_view_at_the_scale_for_the_mixed_change() -> None:
    changed = [run(FULL, 1.0, change="insert 0.1 %"), run(FULL, 1.0, scale=10.0)]
    aims = [c.aim() for c in cells([run(FULL, 1.0), *changed, run(FULL, 1.0, scale=0.1)])]
    assert aims == [0.25, None, 0.08, None]


def test_every_view_of_the_grid_that_is_no_query_of_tpch_has_aims() -> None:
    without = {name for name, view in VIEWS.items() if not view.aims}
    assert without == {"q1", "q3", "q5", "q10", "q18"}


def test_both_aims_must_be_met() -> None:
    dear = cells([run(FULL, 10.0), run(HAND, 1.0), run(REWRITING, 2.0)])
    cheap = cells([run(FULL, 10.0), run(HAND, 4.0), run(REWRITING, 2.0)])
    assert [row[-1] for row in aim_rows(dear)] == ["not met"]
    assert [row[-1] for row in aim_rows(cheap)] == ["met"]
    assert next(aim_rows(cheap))[3:7] == ("0.20", "0.25", "0.50", "1.00")


def test_auto_is_held_to_the_aims_where_it_ran_else_the_cheapest_way() -> None:
    (with_auto,) = cells([run(REWRITING, 1.0), run(AUTO, 2.0)])
    (without,) = cells([run(REWRITING, 3.0), run(MARKING, 2.0)])
    (neither,) = cells([run(FULL, 3.0)])
    assert [ours(c) for c in (with_auto, without, neither)] == [AUTO, MARKING, None]


def test_auto_is_compared_with_the_best_forced_strategy() -> None:
    good = [run(FULL, 2.0), run(REWRITING, 5.0), run(AUTO, 2.2)]
    bad = [run(c, cpu, cell="lines") for c, cpu in ((FULL, 9.0), (REWRITING, 2.0), (AUTO, 4.0))]
    alone = [run(AUTO, 2.0, cell="outer"), run(FULL, 1.0, cell="outer")]
    share = auto_share(cells([*good, *bad, *alone]))
    assert (share.good, share.all) == (1, 2)
    assert share.worst == ("lines, mixed 0.1 %", 2.0)
    assert "1 of 2" in str(share)
    assert str(auto_share(cells(alone))) == ""


def test_growth_is_the_largest_scale_against_the_smallest_for_fixed_changes_alone() -> None:
    fixed = [
        run(AUTO, cpu, scale=scale, change="6,000 rows") for scale, cpu in ((1.0, 2.0), (10.0, 3.0))
    ]
    share = [run(AUTO, 2.0), run(AUTO, 30.0, scale=10.0)]
    (found,) = growth(cells([*fixed, *share]))
    assert (found.small, found.large, found.ratio) == (1.0, 10.0, 1.5)


def test_drift_compares_the_last_refreshes_with_the_first() -> None:
    runs = [run(AUTO, 1.0 if n < 20 else 1.5, number=n) for n in range(50)]
    found = drift(reversed(runs))
    assert found is not None
    assert (found.refreshes, found.ratio) == (50, 1.5)
    assert found.last_reading == pytest.approx(0.15)
    assert drift(runs[:39]) is None


def test_the_summary_names_who_could_not_take_part_and_what_was_left_out() -> None:
    runs = [run(FULL, 10.0), run(HAND, 4.0), run(REWRITING, 2.0)]
    text = summary(Results(None, runs, {MARKING: "no property"}, ["q1"]))
    assert "not available: everview, merge on read (no property)" in text
    assert "left out for lack of time: q1" in text
    assert summary(Results()) == "nothing was measured"
