"""Views that are refreshed in one run compute once what they have in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from tests.api.bags import assert_exact

# Example 1 of Gupta & Mumick as printed: SISales is virtual, the others are materialized.
RETAIL = """
    CREATE TABLE stores (storeID STRING, city STRING, state STRING);
    INSERT INTO stores VALUES ('S1', 'LA', 'CA'), ('S2', 'LA', 'CA'), ('S3', 'SF', 'CA');
    CREATE TABLE items (itemID STRING, category STRING);
    INSERT INTO items VALUES ('I1', 'C1'), ('I2', 'C2'), ('I3', 'C1');
    CREATE TABLE sales (storeID STRING, itemID STRING, date DATE, price INT);
    INSERT INTO sales VALUES
        ('S1', 'I1', DATE'1995-02-01', 200), ('S2', 'I1', DATE'1995-02-02', 190),
        ('S3', 'I3', DATE'1995-02-03', 180), ('S3', 'I3', DATE'1995-02-03', 120),
        ('S1', 'I2', DATE'1995-02-04', 110), ('S2', 'I2', DATE'1995-02-05', 100),
        ('S1', 'I1', DATE'1994-12-31', 999);
    CREATE VIEW SISales AS
        SELECT storeID, itemID, sum(price) AS SumSISales, count(*) AS NumSISales
        FROM sales
        WHERE date > DATE'1995-01-01'
        GROUP BY storeID, itemID;
"""
CITY = """SELECT city, sum(SumSISales) AS SumCiSales, sum(NumSISales) AS NumCiSales
    FROM SISales, stores WHERE SISales.storeID = stores.storeID GROUP BY city"""
CATEGORY = """SELECT category, sum(SumSISales) AS SumCaSales, sum(NumSISales) AS NumCaSales
    FROM SISales, items WHERE SISales.itemID = items.itemID GROUP BY category"""
VIEWS = {"CitySales": CITY, "CategorySales": CATEGORY}
INSERTED = """INSERT INTO sales VALUES
    ('S1', 'I1', DATE'1995-03-01', 70), ('S2', 'I3', DATE'1995-03-01', 60),
    ('S3', 'I1', DATE'1995-03-02', 40), ('S1', 'I2', DATE'1995-03-02', 50),
    ('S3', 'I2', DATE'1995-03-03', 70), ('S3', 'I2', DATE'1994-03-03', 70)"""


@pytest.fixture(params=[1, 2], ids=["one by one", "side by side"])
def retail(
    request: pytest.FixtureRequest, spark_or_connect: SparkSession, tmp_path: Path
) -> Iterator[ev.Warehouse]:
    settings = ev.Settings(parallel_refreshes=request.param)
    with ev.open(tmp_path / "shop", spark=spark_or_connect, settings=settings) as wh:
        wh.run_script(RETAIL)
        for name, sql in VIEWS.items():
            wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
        yield wh


def test_the_changes_of_sales_are_read_once_for_both(retail: ev.Warehouse) -> None:
    retail.sql(INSERTED)
    receipts = {r.view: r for r in retail.refresh()}
    assert all(r.strategy == "incremental: groups" for r in receipts.values())
    for name, sql in VIEWS.items():
        assert_exact(retail, name, sql)
    (first,) = {s.by for r in receipts.values() for s in r.shared}
    (second,) = set(VIEWS) - {first}
    read = receipts[first].read["sales"]
    assert (read.rows, read.changes) == (6, 6)
    assert "sales" not in receipts[second].read
