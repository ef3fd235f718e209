"""What the four policies do when a view can, or cannot, be maintained incrementally."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import everview as ev
from everview import refresh
from everview.choose.strategies import Incremental
from everview.errors import ComputationFailed, EverviewError, NotIncremental, RefreshRefused
from everview.run.refresh.execute import Published
from everview.run.refresh.work import Work
from tests.api.bags import assert_exact, bag, frame, refused
from tests.api.shop import BY_CITY, CITIES, LARGE, SALES, add_sales


@pytest.mark.parametrize("policy", ["INCREMENTAL", "INCREMENTAL STRICT"])
def test_what_has_no_rule_is_refused_at_creation_with_its_place(
    wh: ev.Warehouse, sales: ev.Table, policy: str
) -> None:
    sql = "SELECT x.city\nFROM (SELECT city FROM sales LIMIT 2) AS x"
    with refused(NotIncremental, "LIMIT", "line 2", "LIMIT 2", "AUTO") as caught:
        wh.create_materialized_view("v", sql, policy=policy)
    assert caught.value.where.line == 2
    assert wh.views() == []


def test_auto_recomputes_a_window_over_all_rows_and_says_why_everywhere(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    view = wh.create_materialized_view("cities", CITIES)
    add_sales(sales, (6, "Oslo", 60))
    assert view.explain().strategy == "full"
    assert "PARTITION BY" in view.explain().reason
    assert "line 1" in str(view.explain())
    receipt = view.refresh()
    assert receipt.strategy == "full"
    assert "a window without PARTITION BY is not maintained incrementally" in receipt.reason
    assert "PARTITION BY" in str(view.status())
    assert "PARTITION BY" in view.history()[0]["reason"]
    assert (receipt.rows_inserted, receipt.rows_updated, receipt.rows_deleted) == (4, 0, 3)
    assert_exact(wh, "cities", CITIES)
    assert view.verify().ok
    assert view.refresh().strategy.startswith("skipped")


class FromTheJvm(Exception):
    """What Spark's planner raises comes through as it is on a classic session."""

    java_exception = "org.apache.spark.SparkRuntimeException"


def test_a_failure_of_the_planner_is_answered_by_a_full_refresh(
    wh: ev.Warehouse, sales: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = wh.create_materialized_view("v", BY_CITY, policy="INCREMENTAL")
    strict = wh.create_materialized_view("s", BY_CITY, policy="INCREMENTAL STRICT")
    add_sales(sales, (6, "Oslo", 60))
    carried_out = refresh.execute

    def failing(work: Work) -> Published:
        if isinstance(work.planned.choice.strategy, Incremental):
            raise FromTheJvm("no such plan")
        return carried_out(work)

    monkeypatch.setattr(refresh, "execute", failing)
    receipt = view.refresh()
    assert receipt.strategy == "full"
    assert "failed in Spark: `v` cannot be computed: no such plan" in receipt.reason
    assert_exact(wh, "v", BY_CITY)
    with refused(ComputationFailed, "`s` cannot be computed: no such plan", "Nothing") as caught:
        strict.refresh()
    assert isinstance(caught.value.__cause__, FromTheJvm)


NOT_REPEATABLE = {
    "rand()": "SELECT id, rand() AS x FROM sales",
    "uuid()": "SELECT id, uuid() AS x FROM sales",
    "current_date": "SELECT id, current_date AS x FROM sales",
    "current_date()": "SELECT id, current_date() AS x FROM sales",
    "now()": "SELECT id FROM sales WHERE now() > TIMESTAMP'2020-01-01'",
    "current_timestamp": "SELECT count(*) AS n FROM sales WHERE current_timestamp > DATE'2020-1-1'",
    "current_user": "SELECT current_user() AS who, id FROM sales",
    "input_file_name": "SELECT id, input_file_name() AS x FROM sales",
    "monotonically_increasing_id": "SELECT monotonically_increasing_id() AS x FROM sales",
}


@pytest.mark.parametrize("function", NOT_REPEATABLE)
def test_expressions_that_do_not_repeat_are_full_with_that_reason(
    wh: ev.Warehouse, function: str
) -> None:
    wh.create_table("sales", SALES)
    view = wh.create_materialized_view("v", NOT_REPEATABLE[function])
    name = function.removesuffix("()")
    assert name in view.status().kept.lower()
    assert view.status().kept.startswith("recomputed in full")
    with refused(NotIncremental) as caught:
        wh.create_materialized_view("w", NOT_REPEATABLE[function], policy="INCREMENTAL")
    assert name in str(caught.value).lower()


def test_strings_with_a_collation_are_full_with_that_reason(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    sql = "SELECT city COLLATE UTF8_LCASE AS town, count(*) AS n FROM sales GROUP BY 1"
    with refused(NotIncremental, "collation"):
        wh.create_materialized_view("v", sql, policy="INCREMENTAL")
    view = wh.create_materialized_view("v", sql)
    add_sales(sales, (6, "OSLO", 60))
    assert "collation" in view.refresh().reason
    verified = view.verify()
    assert verified.ok
    assert verified.left_out == ("town",)
    rows = {(row.town or "").lower(): row.n for row in view.to_df().collect()}
    assert rows["oslo"] == 1 + sales.to_df().where("city = 'Oslo'").count()


def test_full_always_recomputes(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("v", BY_CITY, policy="FULL")
    add_sales(sales, (6, "Oslo", 60))
    receipt = view.refresh()
    assert (receipt.strategy, receipt.reason) == ("full", "the policy is FULL")
    assert "policy is FULL" in view.history()[0]["reason"]
    assert view.refresh().strategy.startswith("skipped")
    assert_exact(wh, "v", BY_CITY)


def test_auto_takes_the_cheaper_way_and_says_what_it_compared(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    view = wh.create_materialized_view("v", LARGE)
    add_sales(sales, (6, "Oslo", 60))
    explained = view.explain()
    receipt = view.refresh()
    assert (receipt.strategy, receipt.reason) == (explained.strategy, explained.reason)
    assert set(receipt.estimates) == {"incremental: append", "full"}
    assert all(e["seconds"] > 0 for e in receipt.estimates.values())
    assert_exact(wh, "v", LARGE)


def test_a_full_refresh_that_was_asked_for(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("v", BY_CITY, policy="INCREMENTAL STRICT")
    receipt = view.refresh(full=True)
    assert (receipt.strategy, receipt.reason) == ("full", "asked for")
    add_sales(sales, (6, "Oslo", 60))
    assert view.refresh().strategy == "incremental: groups"
    assert_exact(wh, "v", BY_CITY)


def lose_by_vacuum(sales: ev.Table) -> None:
    sales.overwrite(frame(sales._warehouse.spark, SALES, (1, "Bern", 11), (7, "Oslo", 70)))
    sales.vacuum(0, force=True)


def lose_change_files(sales: ev.Table) -> None:
    sales.delete("id <= 3")
    sales.vacuum(0, force=True)


def lose_the_log(sales: ev.Table) -> None:
    add_sales(sales, (6, "Oslo", 60))
    sales._world.open(sales._entry).checkpoint()
    add_sales(sales, (7, "Oslo", 70))
    for version in range(4):
        (Path(sales.path) / "_delta_log" / f"{version:020}.json").unlink()


def lose_files_by_hand(sales: ev.Table) -> None:
    before = set(Path(sales.path).glob("data/*"))
    sales.delete("id = 3")
    for folder in before:
        if not any(folder.name in f for f in _files_now(sales)):
            shutil.rmtree(folder)
    for folder in Path(sales.path).glob("data/*/part=minus"):
        shutil.rmtree(folder)


def _files_now(sales: ev.Table) -> list[str]:
    table = sales._world.open(sales._entry)
    return [f.path for f in table.snapshot(table.head().version).files]


LOSSES = {
    "vacuum after overwrite": lose_by_vacuum,
    "vacuum after delete": lose_change_files,
    "log cleanup": lose_the_log,
    "files deleted by hand": lose_files_by_hand,
}


@pytest.mark.parametrize("loss", LOSSES)
def test_lost_history(wh: ev.Warehouse, sales: ev.Table, loss: str) -> None:
    strict = wh.create_materialized_view("strict", BY_CITY, policy="INCREMENTAL STRICT")
    wh.create_materialized_view("lenient", LARGE, policy="INCREMENTAL")
    before = bag(strict.to_df())
    sales.compact()
    LOSSES[loss](sales)
    with refused(RefreshRefused, "strict", "sales"):
        strict.refresh()
    assert bag(strict.to_df()) == before, "nothing was published"
    receipt = wh.view("lenient").refresh()
    assert receipt.strategy == "full"
    assert "sales" in receipt.reason
    assert_exact(wh, "lenient", LARGE)
    assert strict.refresh(full=True).strategy == "full"
    assert_exact(wh, "strict", BY_CITY)
    add_sales(sales, (8, "Bern", 80))
    assert [r.strategy.split(":")[0] for r in wh.refresh()] == ["incremental"] * 2
    assert_exact(wh, "strict", BY_CITY)


def test_verify_says_that_history_is_lost(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("v", BY_CITY)
    lose_by_vacuum(sales)
    with refused(EverviewError, "sales"):
        view.verify()
    assert "sales" in str(view.status())
    assert view.explain().strategy == "full"
