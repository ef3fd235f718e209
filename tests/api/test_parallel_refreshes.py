"""Views refreshed at the same time are those refreshed one after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from tests.api.bags import assert_exact
from tests.api.shop import BY_CITY, LARGE, add_sales

ZONES = ("UTC", "America/New_York", "Asia/Tokyo")
WHEN = "SELECT id, CAST(timestamp_seconds(amount * 3600) AS STRING) AS at FROM sales"
VIEWS = {
    "by_city": BY_CITY,
    "large": LARGE,
    "highest": "SELECT city, max(amount) AS m FROM sales GROUP BY city",
    "places": "SELECT city, rank() OVER (ORDER BY city) AS p FROM sales GROUP BY city",
    "top_cities": "SELECT max(total) AS t, count(*) AS n FROM by_city",
    "paired": "SELECT l.city, l.amount, h.m FROM large AS l JOIN highest AS h ON l.city = h.city",
}


@pytest.fixture
def many(spark_or_connect: SparkSession, tmp_path: Path) -> Iterator[ev.Warehouse]:
    """Views over sales and over each other, and three that are read under other settings."""
    settings = ev.Settings(parallel_refreshes=4)
    with ev.open(tmp_path / "shop", spark=spark_or_connect, settings=settings) as wh:
        sales = wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        add_sales(sales, (1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30))
        for name, sql in VIEWS.items():
            wh.create_materialized_view(name, sql)
        zone = spark_or_connect.conf.get("spark.sql.session.timeZone")
        assert zone is not None
        try:
            for n, other in enumerate(ZONES):
                spark_or_connect.conf.set("spark.sql.session.timeZone", other)
                wh.create_materialized_view(f"at_{n}", WHEN)
        finally:
            spark_or_connect.conf.set("spark.sql.session.timeZone", zone)
        yield wh


def test_all_stay_exact_each_under_its_own_settings(many: ev.Warehouse) -> None:
    threads: set[str] = set()
    many._world.probe = lambda place: threads.add(threading.current_thread().name)
    sales = many.table("sales")
    orders = []
    for change in (
        lambda: add_sales(sales, (4, "Rome", 40), (5, "Oslo", 5)),
        lambda: sales.update({"amount": "amount + 7", "city": "'Bern'"}, "id IN (3, 4)"),
        lambda: sales.delete("id = 1"),
    ):
        change()
        receipts = many.refresh()
        orders.append([r.view for r in receipts])
        assert all(r.watermark_after.get("sales", sales.version) == sales.version for r in receipts)
        for name, sql in VIEWS.items():
            assert_exact(many, name, sql)
        assert all(v["ok"] for v in many.sql("VERIFY MATERIALIZED VIEWS").collect())
    assert orders[0] == orders[1] == orders[2], "receipts come in one order"
    assert len(threads) > 1
    assert all(r.strategy.startswith("skipped") for r in many.refresh() if r.view != "places")
    shown = {n: many.view(f"at_{n}").to_df().where("id = 2").first() for n in range(3)}
    assert len({row["at"] for row in shown.values() if row is not None}) == 3


def test_a_session_is_used_again(many: ev.Warehouse) -> None:
    many.refresh()
    engine = many._world.engine
    kept = list(engine._idle)
    can_clone = engine.own is not engine.caller  # else views take turns in the one session
    assert (1 if can_clone else 0) <= len(kept) <= (4 if can_clone else 0)
    add_sales(many.table("sales"), (6, "Oslo", 60))
    many.refresh()
    assert {id(e) for e in kept} <= {id(e) for e in engine._idle}
    assert len(engine._idle) <= 4
    assert engine._lent == []
