"""What people call in the tests of their own pipelines passes for what is right, and only then."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.testing import assert_incremental, assert_refresh_exact, temporary_warehouse

pytest_plugins = ["everview.testing.plugin"]

SALES = ("id BIGINT, city STRING, amount BIGINT", [(1, "Bern", 10), (2, "Rome", 20), (3, None, 5)])
BY_CITY = "SELECT city, count(*) AS n, sum(amount) AS total FROM sales GROUP BY city"


def test_an_incremental_view_passes_and_gives_its_receipts(spark: SparkSession) -> None:
    receipts = assert_incremental(
        BY_CITY,
        tables={"sales": SALES},
        changes=[
            "INSERT INTO sales VALUES (4, 'Bern', 1); DELETE FROM sales WHERE id = 2",
            lambda wh: wh.table("sales").update({"amount": "amount + 1"}, "city IS NULL"),
            "DELETE FROM sales",
        ],
        spark=spark,
    )
    assert [r.is_full for r in receipts] == [False, False, False]
    assert [(r.rows_inserted, r.rows_updated, r.rows_deleted) for r in receipts] == [
        (0, 1, 1),
        (0, 1, 0),
        (0, 0, 2),
    ]


def test_a_table_may_be_a_data_frame(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "Bern", 10)], SALES[0])
    assert assert_incremental(BY_CITY, {"sales": frame}, ["DELETE FROM sales"], spark)


def test_a_view_that_can_only_be_recomputed_fails_with_the_place(spark: SparkSession) -> None:
    text = "SELECT id, rank() OVER (ORDER BY id) AS place FROM sales"
    with pytest.raises(AssertionError, match=r"not incremental\n(.|\n)*line 1, column 12"):
        assert_incremental(text, {"sales": SALES}, ["DELETE FROM sales"], spark)


def test_changes_that_do_not_reach_the_view_fail(spark: SparkSession) -> None:
    text = "SELECT id FROM sales WHERE amount > 100"
    with pytest.raises(AssertionError, match="no change reached the view"):
        assert_incremental(text, {"sales": SALES}, ["DELETE FROM sales"], spark)


def test_a_refresh_that_is_full_fails(spark: SparkSession) -> None:
    def drop_and_make_anew(wh: ev.Warehouse) -> None:
        wh.view("view_under_test").refresh(full=True)  # as if it had been decided so
        wh.sql("INSERT INTO sales VALUES (9, 'Oslo', 9)")
        wh.view("view_under_test").set_policy("FULL")

    with pytest.raises(AssertionError, match="the refresh was full"):
        assert_incremental(BY_CITY, {"sales": SALES}, [drop_and_make_anew], spark)


def test_rows_that_differ_fail(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    with temporary_warehouse({"sales": SALES}, spark) as wh:
        view = wh.create_materialized_view("by_city", BY_CITY)
        assert_refresh_exact(view)
        wrong = replace(view.verify(), outcome="wrong", missing=1)
        monkeypatch.setattr(type(view), "verify", lambda self: wrong)
        with pytest.raises(AssertionError, match="WRONG"):
            assert_refresh_exact(view)


def test_a_view_that_cannot_be_compared_fails(spark: SparkSession) -> None:
    with temporary_warehouse({"sales": SALES}, spark) as wh:
        view = wh.create_materialized_view("v", "SELECT id, rand() AS x FROM sales")
        with pytest.raises(AssertionError, match="not comparable"):
            assert_refresh_exact(view)


@pytest.mark.parametrize("changes", [[], "DELETE FROM sales"])
def test_a_list_of_changes_is_wanted(spark: SparkSession, changes: object) -> None:
    with pytest.raises(ev.EverviewError, match="no list of changes"):
        assert_incremental(BY_CITY, {"sales": SALES}, changes, spark)  # type: ignore[arg-type]


def test_rows_without_columns_are_refused(spark: SparkSession) -> None:
    with (
        pytest.raises(ev.EverviewError, match=re.escape("The rows of `sales`")),
        temporary_warehouse({"sales": ([(1,)], "id INT")}, spark),  # type: ignore[dict-item]
    ):
        pass


def test_the_fixture_is_an_empty_warehouse(spark: SparkSession, warehouse: ev.Warehouse) -> None:
    assert (warehouse.tables(), warehouse.views()) == ([], [])
    assert warehouse.spark is spark
