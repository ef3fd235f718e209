"""Views that are refreshed in one run read and compute once what they have in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.optimize import in_common
from everview.run.refresh import fetch
from tests.api.bags import assert_exact, bag

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
        FROM sales WHERE date > DATE'1995-01-01' GROUP BY storeID, itemID;
"""
VIEWS = {
    "CitySales": """SELECT city, sum(SumSISales) AS SumCiSales, sum(NumSISales) AS NumCiSales
        FROM SISales, stores WHERE SISales.storeID = stores.storeID GROUP BY city""",
    "CategorySales": """SELECT category, sum(SumSISales) AS SumCaSales,
            sum(NumSISales) AS NumCaSales
        FROM SISales, items WHERE SISales.itemID = items.itemID GROUP BY category""",
}
INSERTED = """INSERT INTO sales VALUES
    ('S1', 'I1', DATE'1995-03-01', 70), ('S2', 'I3', DATE'1995-03-01', 60),
    ('S3', 'I1', DATE'1995-03-02', 40), ('S1', 'I2', DATE'1995-03-02', 50),
    ('S3', 'I2', DATE'1995-03-03', 70)"""
THREE = {
    "cities": "SELECT city, price FROM sales JOIN stores USING (storeID)",
    "prices": "SELECT city, sum(price) AS p FROM sales JOIN stores USING (storeID) GROUP BY city",
    "days": "SELECT date, itemID FROM sales",
}


@pytest.fixture
def retail(spark_or_connect: SparkSession, tmp_path: Path) -> Iterator[ev.Warehouse]:
    with ev.open(tmp_path / "shop", spark=spark_or_connect) as wh:
        wh.run_script(RETAIL)
        yield wh


def create(wh: ev.Warehouse, views: dict[str, str]) -> None:
    for name, sql in views.items():
        wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")


def refreshed(wh: ev.Warehouse, views: dict[str, str]) -> dict[str, ev.Receipt]:
    """The receipts by view, after all views were compared with what Spark computes from their
    texts.
    """
    receipts = {r.view: r for r in wh.refresh()}
    for name, sql in views.items():
        assert_exact(wh, name, sql)
    return receipts


def makers(receipts: dict[str, ev.Receipt]) -> set[str]:
    return {rows.by for r in receipts.values() for rows in r.shared}


@pytest.mark.parametrize("at_once", [1, 2])
def test_example_1_reads_the_changes_of_sales_once_for_both(
    retail: ev.Warehouse, at_once: int
) -> None:
    retail._world.settings = ev.Settings(parallel_refreshes=at_once)
    create(retail, VIEWS)
    retail.sql(INSERTED)
    receipts = refreshed(retail, VIEWS)
    assert all(r.strategy == "incremental: groups" for r in receipts.values())
    (first,) = makers(receipts)
    (second,) = set(VIEWS) - {first}
    assert [s.what for s in receipts[first].shared] == ["changes of sales"]
    assert receipts[first].shared[0].views == (second,)
    assert f"changes of sales from the refresh of {first}" in str(receipts[second])
    # Of sales the changes alone are read, and once.
    read = receipts[first].read["sales"]
    assert (read.rows, read.changes) == (5, 5)
    assert "sales" not in receipts[second].read
    assert bag(retail.view("CategorySales").to_df()) == bag([("C1", 860, 7), ("C2", 330, 4)])
    assert bag(retail.view("CitySales").to_df()) == bag([("LA", 780, 7), ("SF", 410, 4)])
    retail.sql("DELETE FROM sales WHERE itemID = 'I2' OR storeID = 'S3'")
    assert makers(refreshed(retail, VIEWS))
    stored = retail.view(second).history()[0]
    assert stored["shared"][0]["what"] == "changes of sales"


def test_views_that_are_exact_at_other_versions_share_nothing(retail: ev.Warehouse) -> None:
    create(retail, VIEWS)
    retail.sql(INSERTED)
    retail.view("CitySales").refresh()
    retail.sql("INSERT INTO sales VALUES ('S3', 'I1', DATE'1995-04-01', 7)")
    receipts = refreshed(retail, VIEWS)
    assert not makers(receipts)
    assert {v: r.read["sales"].changes for v, r in receipts.items()} == {
        "CitySales": 1,
        "CategorySales": 6,
    }
    retail.sql("INSERT INTO sales VALUES ('S1', 'I2', DATE'1995-04-02', 8)")
    assert makers(refreshed(retail, VIEWS))


def test_what_a_failing_view_read_is_there_for_the_next(retail: ev.Warehouse) -> None:
    retail._world.settings = ev.Settings(parallel_refreshes=1)
    create(retail, VIEWS)
    retail.sql(INSERTED)
    failed: list[str] = []

    def fail_first(place: str) -> None:
        if place == "refresh: changes" and not failed:
            failed.append(place)
            raise ValueError("not this time")

    retail._world.probe = fail_first
    with pytest.raises(ev.RefreshFailed) as caught:
        retail.refresh()
    (receipt,) = caught.value.receipts
    (broken,) = caught.value.errors
    assert [s.by for s in receipt.shared] == [broken]
    assert "sales" not in receipt.read
    receipts = refreshed(retail, VIEWS)
    assert receipts[broken].read["sales"].changes == 5
    assert not makers(receipts)


@pytest.mark.parametrize("fails", [False, True])
def test_rows_that_the_driver_does_not_fetch_are_staged_once(
    retail: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """Where that pays: changes joined with stores, and not changes alone. The first view may fail
    before they are there.
    """
    monkeypatch.setattr(in_common, "MOST_READ_AGAIN", 0)
    retail._world.settings = ev.Settings(passes_off=("narrow_queries",), parallel_refreshes=2)
    create(retail, THREE)
    retail.sql(INSERTED)
    retail.sql("UPDATE sales SET price = price + 1 WHERE storeID = 'S1'")
    failed: list[str] = []

    def fail_first(place: str) -> None:
        if fails and place == "refresh: parts" and not failed:
            failed.append(place)
            raise ValueError("not this time")

    retail._world.probe = fail_first
    if fails:
        with pytest.raises(ev.RefreshFailed) as caught:
            retail.refresh()
        receipts = {r.view: r for r in caught.value.receipts}
        assert len(receipts) == 2
    else:
        receipts = refreshed(retail, THREE)
        (maker,) = makers(receipts)
        (taker,) = {"cities", "prices"} - {maker}
        assert (set(receipts[maker].read), set(receipts[taker].read)) == (
            {"sales", "stores"},
            set(),
        )
        assert {s.what for r in receipts.values() for s in r.shared} == {
            "changes of sales with stores"
        }
        assert sum("parts" in r.seconds for r in receipts.values()) == 1
    refreshed(retail, THREE)
    staged = Path(retail.path) / "_everview" / "staging"
    assert not list(staged.glob("*/*"))


def test_changes_are_fetched_once_where_what_they_meet_is_read_by_spark(
    retail: ev.Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "rows_with_values", lambda *_: None)
    monkeypatch.setattr(fetch, "all_rows", lambda *_: None)
    retail._world.settings = ev.Settings(parallel_refreshes=1)
    both = {name: THREE[name] for name in ("cities", "prices")}
    create(retail, both)
    retail.sql(INSERTED)
    receipts = refreshed(retail, both)
    first, second = receipts.values()
    assert [s.what for s in (*first.shared, *second.shared)] == ["changes of sales"] * 2
    assert {name: some.changes for name, some in first.read.items()} == {"sales": 5, "stores": 0}
    assert {name: some.changes for name, some in second.read.items()} == {"stores": 0}


def test_views_above_a_view_share_its_changes(retail: ev.Warehouse) -> None:
    retail._world.settings = ev.Settings(parallel_refreshes=1)
    create(retail, VIEWS)
    above = {
        "large_cities": "SELECT city FROM CitySales WHERE SumCiSales > 300",
        "by_size": "SELECT NumCiSales, count(*) AS n FROM CitySales GROUP BY NumCiSales",
    }
    outer = {  # whose changes ask the rows that are stored
        "of_stores": "SELECT city, price FROM stores LEFT JOIN sales USING (storeID)",
        "of_sales": "SELECT city, price FROM sales LEFT JOIN stores USING (storeID)",
    }
    create(retail, above | outer)
    retail.sql(INSERTED)
    receipts = refreshed(retail, VIEWS | above | outer)
    (rows,) = {s for v in above for s in receipts[v].shared if s.by != v}
    assert rows.what == "changes of citysales"
    assert sum("citysales" in receipts[v].read for v in above) == 1


def test_example_1_reads_a_27th_of_what_insert_delete_reads(retail: ev.Warehouse) -> None:
    """Table 1: a thousandth of the printed insertions, and a thousand sales in each group of
    SISales, as there. By insertions and deletions the groups that they touch are read.
    """
    spark = retail.spark
    retail.run_script("DELETE FROM stores; DELETE FROM items; DELETE FROM sales")
    ids = spark.range(10).selectExpr("concat('S', id) AS storeID", "concat('city', id) AS city")
    retail.table("stores").append(ids.selectExpr("*", "'CA' AS state"))
    retail.table("items").append(
        spark.range(10).selectExpr("concat('I', id) AS itemID", "concat('C', id) AS category")
    )
    sold = "concat('S', id % 10) AS storeID", "concat('I', id DIV 10 % 10) AS itemID"
    sold = (*sold, "DATE'1995-02-01' AS date", "CAST(id % 90 AS INT) AS price")
    retail.table("sales").append(spark.range(100_000).selectExpr(*sold))
    create(retail, VIEWS)
    accesses = {}
    for strategy in ("change tables", "insert/delete"):
        retail.table("sales").append(spark.range(10).selectExpr(*sold))
        receipts = retail.refresh(strategy=strategy)
        read = {name: some.rows or 0 for r in receipts for name, some in r.read.items()}
        if strategy == "change tables":
            assert sum(r.read["sales"].rows or 0 for r in receipts if "sales" in r.read) == 10
        accesses[strategy] = sum(read.values()) + 2 * sum(r.rows_updated for r in receipts)
    assert accesses["insert/delete"] / accesses["change tables"] >= 27, accesses
    for name, sql in VIEWS.items():
        assert_exact(retail, name, sql)
