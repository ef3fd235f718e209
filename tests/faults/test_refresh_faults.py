"""A refresh that dies at a named place leaves the old view; run again, it is right, once."""

from __future__ import annotations

from pathlib import Path

import pytest

import everview as ev
from everview.run.faults import REFRESH_PLACES
from tests.api.bags import assert_exact, bag
from tests.api.shop import add_sales
from tests.faults.crash import crash_at, opened_again, staged_files
from tests.faults.definitions import DEEP, GROUPS, ROWS, VIEWS

# (view, whether rows are deleted) -> the places that its refresh comes to
PLACES = {
    ("groups", True): ("changes", "lost", "write", "commit", "committed"),
    ("groups", False): ("changes", "write", "commit", "committed"),
    ("rows", True): ("changes", "copies", "write", "commit", "committed"),
    ("rows", False): ("write", "commit", "committed"),
    ("ranked", True): ("write", "commit", "committed"),
    ("numbered", True): ("changes", "rows", "write", "commit", "committed"),
    ("deep", True): ("parts", "changes"),
}
CASES = [(view, deletes, place) for (view, deletes), some in PLACES.items() for place in some]


def test_every_named_place_is_among_the_cases() -> None:
    assert {f"refresh: {place}" for _, _, place in CASES} == set(REFRESH_PLACES)


def change(shop: ev.Warehouse, *, deletes: bool) -> None:
    """New rows, a new city; with `deletes` also the rows with the highest amount of a city go."""
    sales = shop.table("sales")
    new = sales.version * 100
    rows = [(new, "Bern", new), (new, "Bern", new), (new + 1, f"City {new}", 25)]
    add_sales(sales, *rows, (new + 2, "Rome", 20 + new // 100))
    if deletes:
        highest = sales.to_df().where("city = 'Rome'").agg({"amount": "max"}).collect()[0][0]
        sales.delete(f"city = 'Rome' AND amount = {highest}")


@pytest.mark.parametrize(("name", "deletes", "place"), CASES)
def test_a_crash_of_a_refresh(shop: ev.Warehouse, name: str, deletes: bool, place: str) -> None:
    view = _view(shop, name)
    view.refresh()
    before, watermark = bag(view.to_df()), view.status().exact_at
    change(shop, deletes=deletes)
    with crash_at(shop, f"refresh: {place}"):
        view.refresh()
    assert staged_files(shop) == []

    after = opened_again(shop).view(name)
    assert after.verify().ok
    if place == "committed":
        assert after.status().behind == {"sales": 0}
        assert after.refresh().strategy.startswith("skipped")
    else:
        assert bag(after.to_df()) == before, "the old view is intact"
        assert after.status().exact_at == watermark
        receipt = after.refresh()
        assert receipt.strategy.startswith("full" if name == "ranked" else "incremental")
        assert receipt.changed
    assert_exact(shop, name, {**VIEWS, "deep": DEEP}[name])
    assert after.verify().ok
    assert after.refresh().strategy.startswith("skipped"), "once"
    assert staged_files(shop) == []


def _view(shop: ev.Warehouse, name: str) -> ev.View:
    """One of the shop's views; the one whose changes are computed in parts is made when asked."""
    if name == "deep" and name not in shop.views():
        shop.create_materialized_view(name, DEEP, policy="INCREMENTAL STRICT")
    return shop.view(name)


def test_files_of_a_dead_refresh_are_vacuumed(shop: ev.Warehouse) -> None:
    view = shop.view("groups")
    view.refresh()
    view.vacuum(0, force=True)
    change(shop, deletes=True)
    with crash_at(shop, "refresh: commit"):
        view.refresh()
    left = view.vacuum(0, force=True)
    assert left, "what was written and never published"
    assert view.verify().ok
    view.refresh()
    assert_exact(shop, "groups", GROUPS)


@pytest.mark.parametrize("place", ["write", "commit", "committed"])
def test_a_crash_of_a_first_build_leaves_no_view(wh: ev.Warehouse, place: str) -> None:
    with crash_at(wh, f"refresh: {place}"):
        wh.create_materialized_view("groups", GROUPS)
    assert opened_again(wh).views() == []
    assert not list((Path(wh.path) / "views").glob("*")), "its folder is removed"
    wh.create_materialized_view("groups", GROUPS, policy="INCREMENTAL")
    assert_exact(wh, "groups", GROUPS)


@pytest.mark.parametrize("place", ["write", "commit"])
def test_a_crash_of_a_replacement_leaves_the_old_view(wh: ev.Warehouse, place: str) -> None:
    view = wh.create_materialized_view("v", GROUPS, policy="INCREMENTAL", comment="old")
    before = view.path, view.history()
    with crash_at(wh, f"refresh: {place}"):
        wh.create_materialized_view("v", ROWS, replace=True, comment="new")
    again = opened_again(wh)
    assert (again.view("v").path, again.view("v").history()) == before
    assert_exact(again, "v", GROUPS)
    assert again.view("v").verify().ok
    add_sales(again.table("sales"), (6, "Oslo", 60))
    assert again.view("v").refresh().strategy == "incremental: groups"
    assert_exact(again, "v", GROUPS)


def test_a_crash_after_a_replacement_leaves_the_new_view_with_the_old_wishes(
    wh: ev.Warehouse,
) -> None:
    wh.create_materialized_view("v", GROUPS, policy="INCREMENTAL", comment="old")
    with crash_at(wh, "refresh: committed"):
        wh.create_materialized_view("v", ROWS, replace=True, policy="AUTO", comment="new")
    again = opened_again(wh)
    assert_exact(again, "v", ROWS)
    assert again.view("v").verify().ok
    assert (again.view("v").status().policy, again.view("v").status().comment) == (
        "INCREMENTAL",
        "old",
    )
    add_sales(again.table("sales"), (6, "Oslo", 60))
    assert again.view("v").refresh().strategy == "incremental: append"
    assert_exact(again, "v", ROWS)
    again.create_materialized_view("v", ROWS, replace=True, policy="AUTO", comment="new")
    assert again.view("v").status().comment == "new", "said again, it is all there"


@pytest.mark.parametrize("place", ["write", "commit", "committed"])
def test_a_crash_of_a_rebuild(wh: ev.Warehouse, place: str) -> None:
    wh.create_view("chosen", "SELECT * FROM sales WHERE amount >= 20")
    sql = "SELECT city, count(*) AS n FROM chosen GROUP BY city"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL")
    before, path = bag(view.to_df()), view.path
    wh.create_view("chosen", "SELECT * FROM sales WHERE amount >= 30", replace=True)
    with crash_at(wh, f"refresh: {place}"):
        view.refresh()
    again = opened_again(wh).view("v")
    assert again.path == path
    assert again.verify().ok
    if place != "committed":
        assert bag(again.to_df()) == before
        assert "`chosen` was replaced" in again.status().next_full
        assert again.refresh().reason == "built anew: the view `chosen` was replaced"
    assert_exact(wh, "v", sql)
    assert again.refresh().strategy.startswith("skipped"), "once"


def test_a_crash_between_two_views_is_made_good_by_the_next_refresh(wh: ev.Warehouse) -> None:
    above = "SELECT sum(total) AS total, max(highest) AS highest FROM lower"
    wh.create_materialized_view("lower", GROUPS, policy="INCREMENTAL")
    wh.create_materialized_view("upper", above, policy="INCREMENTAL")
    wh.table("sales").delete("id IN (2, 5)")
    with crash_at(wh, "refresh: committed"):
        wh.refresh()
    assert_exact(wh, "lower", GROUPS)
    assert wh.view("upper").verify().ok, "the upper one is exact at its own watermark"
    strategies = [r.strategy.split(":")[0] for r in opened_again(wh).refresh()]
    assert strategies == ["skipped", "incremental"]
    assert_exact(wh, "upper", above)


def test_a_failing_spark_job_publishes_nothing(wh: ev.Warehouse) -> None:
    sql = "SELECT city, sum(100 / amount) AS x FROM sales GROUP BY city"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL")
    before = bag(view.to_df())
    add_sales(wh.table("sales"), (6, "Oslo", 0))
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        view.refresh()
    assert bag(view.to_df()) == before
    assert view.verify().ok
    assert staged_files(wh) == []
    wh.table("sales").delete("amount = 0")
    view.refresh()
    assert_exact(wh, "v", sql)
