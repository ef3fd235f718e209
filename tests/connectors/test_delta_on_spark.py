"""Delta's own connector for Spark reads what Everview writes, and writes what Everview reads.

Its jar comes from a package registry, so these tests run only by `make test-connectors`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import everview as ev
from bench.session import started
from everview.run.dml import marking
from everview.run.driver import way

pytestmark = [pytest.mark.connectors, pytest.mark.spark, pytest.mark.slow]

BY_CITY = "SELECT city, count(*) AS n, sum(amount) AS total FROM sales GROUP BY city"
ROWS = "SELECT id, city FROM sales WHERE amount >= 20"


@pytest.fixture(scope="module")
def delta() -> Iterator[SparkSession]:
    """A session with the connector."""
    session, why_not = started(delta=True)
    assert not why_not, why_not
    yield session
    session.stop()


@pytest.fixture
def wh(
    delta: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ev.Warehouse]:
    """A warehouse in which every stored file counts as a large one, so that rows are marked."""
    for module in (way, marking):
        monkeypatch.setattr(module, "MOST_REWRITTEN", 0)
    with ev.open(tmp_path / "shop", spark=delta) as warehouse:
        warehouse.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        values = ", ".join(f"({n}, '{'ABCDE'[n % 5]}', {n % 40})" for n in range(400))
        warehouse.sql(f"INSERT INTO sales VALUES {values}")
        yield warehouse


def bag(frame: DataFrame, *columns: str) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row) for row in frame.select(*columns).collect())


def by_connector(wh: ev.Warehouse, path: str) -> DataFrame:
    return wh.spark.read.format("delta").load(path)


def change(wh: ev.Warehouse, turn: int) -> None:
    wh.sql(f"DELETE FROM sales WHERE id % 50 = {turn}")
    wh.sql(f"UPDATE sales SET amount = amount + 1, city = 'F' WHERE id % 50 = {turn + 10}")
    wh.sql(f"INSERT INTO sales VALUES ({1000 + turn}, 'G', {turn}), ({2000 + turn}, NULL, 39)")


@pytest.mark.parametrize(("sql", "columns"), [(BY_CITY, "city n total"), (ROWS, "id city")])
def test_it_sees_the_rows_of_a_view_after_every_refresh(
    wh: ev.Warehouse, sql: str, columns: str
) -> None:
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    names = columns.split()
    for turn in range(4):
        change(wh, turn)
        receipt = view.refresh()
        assert receipt.changed
        assert receipt.replaced is not None
        assert receipt.replaced.way == "marked"
        own = bag(view.to_df(), *names)
        assert bag(by_connector(wh, view.path), *names) == own
        wh.spark.catalog.clearCache()
        counted = wh.spark.sql(f"SELECT count(*) AS n FROM delta.`{view.path}`").collect()[0]
        assert counted["n"] == own.total()
        assert view.verify()


def test_it_sees_the_rows_of_a_table_and_its_statements_are_followed(wh: ev.Warehouse) -> None:
    view = wh.create_materialized_view("v", BY_CITY, policy="INCREMENTAL STRICT")
    sales = wh.table("sales")
    change(wh, 1)
    assert bag(by_connector(wh, sales.path), "id", "city", "amount") == bag(
        sales.to_df(), "id", "city", "amount"
    )
    before = bag(sales.to_df(), "id")
    wh.spark.sql(f"DELETE FROM delta.`{sales.path}` WHERE id % 50 = 3")
    wh.spark.sql(f"UPDATE delta.`{sales.path}` SET amount = 7 WHERE id % 50 = 4")
    after = bag(sales.to_df(), "id")
    assert after < before
    receipt = view.refresh()
    assert receipt.changed
    assert not receipt.is_full
    assert view.verify()
    wh.spark.sql(f"REORG TABLE delta.`{sales.path}` APPLY (PURGE)")
    assert bag(sales.to_df(), "id") == after
    assert not view.refresh().changed
    assert view.verify()
