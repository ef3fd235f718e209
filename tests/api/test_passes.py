"""Views stay exact whichever improvements of plans are left out, and what is left out is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.errors import InvalidArgument
from everview.optimize.passes import ALL
from tests.api.shop import BY_CITY, add_sales
from tests.improve import OPTIONAL

VIEWS = {
    "by_land": "SELECT c.land, sum(s.amount) AS total, max(s.amount) AS most, count(*) AS n "
    "FROM sales s, cities c WHERE s.city = c.city AND s.amount > 5 GROUP BY c.land",
    "with_land": "SELECT s.id, s.city, c.land, t.total FROM sales s "
    "LEFT JOIN cities c ON s.city = c.city "
    "LEFT JOIN (SELECT city, sum(amount) AS total FROM sales GROUP BY city) t ON s.city = t.city",
    "ranked": "SELECT id, city, rank() OVER (PARTITION BY city ORDER BY amount DESC) AS place "
    "FROM sales",
    "known": "SELECT s.id, s.amount FROM sales s "
    "WHERE EXISTS (SELECT 1 FROM cities c WHERE c.city = s.city) "
    "AND NOT EXISTS (SELECT 1 FROM cities c WHERE c.land = s.city)",
}


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with tables of two cities and the views over them."""
    path = tmp_path_factory.mktemp("passes") / "shop"
    with ev.open(path, spark=spark) as wh:
        sales = wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        add_sales(sales, *((n, ("Bern", "Rome", "Oslo")[n % 3], n * 7 % 20) for n in range(20)))
        wh.create_table("cities", "city STRING, land STRING")
        wh.sql("INSERT INTO cities VALUES ('Bern', 'CH'), ('Rome', 'IT')")
        for name, sql in VIEWS.items():
            wh.create_materialized_view(name, sql, policy="INCREMENTAL")
    return path


# Of each pass a view whose plan it makes another one; without all of them, all views.
WITHOUT = {
    "filters_below_joins": ["known"],
    "connected_joins": ["by_land"],
    "needed_columns": ["ranked"],
    "net_first": ["by_land"],
    "union_of_terms": ["by_land"],
    "join_order": ["by_land"],
    "small_sides": ["known"],
    "tidy_parts": ["with_land"],
    "narrow_scans": ["with_land"],
    "net_sources": ["ranked"],
    "parts": ["with_land"],
    "needed_columns_of_queries": ["ranked"],
    "narrow_queries": ["ranked"],
    ALL: [*VIEWS],
}


@pytest.mark.parametrize("off", WITHOUT)
def test_views_are_exact_without(off: str, folder: Path, spark: SparkSession) -> None:
    number = list(WITHOUT).index(off)
    with ev.open(folder, spark=spark, settings=ev.Settings(passes_off=(off,))) as wh:
        moved = {"amount": "amount + 1", "city": "'Rome'"}
        wh.table("sales").update(moved, f"id IN ({number}, {number + 9})")
        wh.sql(f"INSERT INTO cities VALUES ('Oslo', 'NO {number}')")
        for name in WITHOUT[off]:
            receipt = wh.view(name).refresh()
            assert receipt.strategy.startswith("incremental"), receipt
            assert receipt.reason.endswith(f"; passes off: {off}")
            assert wh.view(name).verify().outcome == "exact"


def test_every_pass_is_left_out_once() -> None:
    assert WITHOUT.keys() == {*OPTIONAL, ALL}


def test_what_is_off_is_told_and_what_runs_is_timed(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    add_sales(sales, (9, "Bern", 1))
    told = view.explain()
    assert "passes off" not in told.text
    ran = {p.name: p for p in told.passes}
    assert {"join_order", "narrow_scans", "parts"} <= ran.keys() <= set(OPTIONAL)
    assert all(p.seconds >= 0 for p in told.passes)
    assert told.to_dict()["passes"][0].keys() == {"name", "changed", "seconds"}
    settings = ev.Settings(passes_off=("join_order", "connected_joins"))
    with ev.open(wh.path, spark=wh.spark, settings=settings) as other:
        told = other.view("by_city").explain()
        assert "passes off: connected_joins, join_order" in str(told)
        assert "passes off: connected_joins, join_order" in told.text
        assert told.to_dict()["passes_off"] == ("connected_joins", "join_order")
        assert "connected_joins" in told._repr_html_()
        assert not {"join_order", "connected_joins"} & {p.name for p in told.passes}


def test_a_name_that_is_no_pass_is_refused(tmp_path: Path, spark: SparkSession) -> None:
    for name, why in (("faster", "no pass 'faster'"), ("merge_projections", "always needed")):
        with pytest.raises(InvalidArgument, match=why) as caught:
            ev.open(tmp_path, spark=spark, settings=ev.Settings(passes_off=(name,)))
        assert all(other in caught.value.remedy for other in (*OPTIONAL, ALL))
