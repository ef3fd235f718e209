"""The caller's session is as it was, whatever was done; definitions keep the settings they had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from tests.api.bags import assert_exact, bag, frame
from tests.api.shop import BY_CITY, HIGHEST, LARGE, SALES, add_sales


def left_in(spark: SparkSession) -> dict[str, object]:
    """All that a caller can see of a session."""
    return {
        "settings": dict(spark.conf.getAll),
        "tables": sorted(t.name for t in spark.catalog.listTables()),
        "catalog": spark.catalog.currentCatalog(),
        "database": spark.catalog.currentDatabase(),
    }


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    before = spark.conf.get(key)
    spark.conf.set(key, value)
    try:
        yield
    finally:
        assert spark.conf.get(key) == value, "the caller's own setting was changed"
        spark.conf.set(key, str(before))


def test_settings_and_temporary_views_stay_as_they_were(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    spark = spark_or_connect
    before = left_in(spark)
    with ev.open(str(tmp_path / "shop"), spark=spark) as wh:
        full_scenario(wh)
        assert left_in(spark) == before, "while the warehouse is open"
    assert left_in(spark) == before


def full_scenario(wh: ev.Warehouse) -> None:
    """Every kind of call, with calls that fail between them."""
    sales = wh.create_table("sales", frame(wh.spark, SALES, (1, "Bern", 10), (2, "Rome", 20)))
    for name, sql in (("by_city", BY_CITY), ("highest", HIGHEST), ("large", LARGE)):
        wh.create_materialized_view(name, sql, policy="INCREMENTAL")
    sales.append(frame(wh.spark, SALES, (3, "Bern", 30)), token="t")
    sales.merge(frame(wh.spark, SALES, (3, "Bern", 31), (4, "Oslo", 40)), on="id")
    sales.update({"amount": "amount + 1"}, "id = 1")
    sales.delete("id = 2")
    assert_all_fail(wh)
    assert [r.strategy.split(":")[0] for r in wh.refresh()] == ["incremental"] * 3
    sales.compact()
    wh.view("large").compact()
    wh.view("large").refresh(full=True)
    for name, sql in (("by_city", BY_CITY), ("highest", HIGHEST), ("large", LARGE)):
        assert wh.view(name).verify().ok
        assert_exact(wh, name, sql)
        wh.view(name).drop()
    sales.overwrite(frame(wh.spark, SALES))
    sales.drop()


def assert_all_fail(wh: ev.Warehouse) -> None:
    sales = wh.table("sales")
    twice = frame(wh.spark, SALES, (1, "Bern", 1), (1, "Bern", 2))
    calls: tuple[Callable[[], object], ...] = (
        lambda: sales.append(wh.spark.range(1)),
        lambda: sales.merge(twice, on="id"),
        lambda: sales.delete("amount / 0 > 1"),
        lambda: sales.update({"amount": "assert_true(FALSE)"}),
        lambda: sales.append(frame(wh.spark, SALES, (1, "a", 1)).where("amount / 0 > 1")),
        lambda: sales.drop(),
        lambda: wh.create_table("t", frame(wh.spark, SALES, (1, "a", 1)).where("1 / 0 > id")),
        lambda: wh.create_materialized_view("v", "SELECT nothing FROM sales"),
        lambda: wh.create_materialized_view("v", "SELECT 1 / (amount - amount) AS x FROM sales"),
        lambda: wh.sql("SELECT nothing FROM sales"),
    )
    for call in calls:
        with pytest.raises(Exception, match=r"."):
            call()


def test_a_definition_keeps_the_settings_it_was_created_under(wh: ev.Warehouse) -> None:
    words = wh.create_table("words", "word STRING, at TIMESTAMP")
    at = "2026-01-01 00:30:00"
    sql = "SELECT TRY_CAST(word AS INT) AS n, CAST(word AS INT) AS m, date(at) AS day FROM words"
    with (
        setting(wh.spark, "spark.sql.ansi.enabled", "false"),
        setting(wh.spark, "spark.sql.session.timeZone", "Asia/Tokyo"),
    ):
        words.append(frame(wh.spark, "word STRING, at TIMESTAMP", ("7", at), ("seven", at)))
        view = wh.create_materialized_view("numbers", sql, policy="INCREMENTAL")
        expected = bag(wh.sql(sql))
    with setting(wh.spark, "spark.sql.session.timeZone", "America/New_York"):
        assert view.verify().ok
        words.append(words.to_df())
        assert view.refresh().strategy.startswith("incremental")
        assert bag(view.to_df()) == bag([r for row in expected.elements() for r in (row, row)])
        view.refresh(full=True)
        assert view.verify().ok
        assert bag(view.to_df()) == bag([r for row in expected.elements() for r in (row, row)])


UNUSUAL = {
    "case sensitive": {"spark.sql.caseSensitive": "true"},
    "all others": {
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.files.ignoreMissingFiles": "true",
        "spark.sql.parquet.outputTimestampType": "INT96",
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
        "spark.sql.storeAssignmentPolicy": "LEGACY",
    },
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_settings_of_the_caller_change_nothing(
    wh: ev.Warehouse, sales: ev.Table, case: str
) -> None:
    with ExitStack() as settings:
        for key, value in UNUSUAL[case].items():
            settings.enter_context(setting(wh.spark, key, value))
        wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
        add_sales(sales, (6, "Oslo", 60), (7, "Bern", 70))
        sales.delete("id = 3")
        receipt = wh.view("by_city").refresh()
        assert (receipt.rows_inserted, receipt.rows_updated, receipt.rows_deleted) == (1, 2, 0)
        assert_exact(wh, "by_city", BY_CITY)
