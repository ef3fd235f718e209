"""One bad view or source stops nothing but what depends on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession

import everview as ev
from everview.errors import EverviewError, NotATable, RefreshFailed
from tests.api.bags import assert_exact, refused
from tests.api.shop import BY_CITY, LARGE, add_sales

OF_ORDERS = BY_CITY.replace("sales", "orders")
TOP = "SELECT max(total) AS m FROM of_orders"
BOTH = "SELECT city, n FROM by_city WHERE n > 1"
GOOD = {"by_city": BY_CITY, "large": LARGE, "both": BOTH}


@pytest.fixture(params=[1, 3])
def shop(
    request: pytest.FixtureRequest, spark_or_connect: SparkSession, tmp_path: Path
) -> Iterator[ev.Warehouse]:
    """Three views of sales, one of an attached table of orders, and one above that."""
    settings = ev.Settings(parallel_refreshes=request.param)
    with ev.open(tmp_path / "shop", spark=spark_or_connect, settings=settings) as wh:
        sales = wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        add_sales(sales, (1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30))
        write_deltalake(tmp_path / "orders", sales.to_df().toArrow())
        wh.attach("orders", str(tmp_path / "orders"))
        for name, sql in {**GOOD, "of_orders": OF_ORDERS, "top": TOP}.items():
            wh.create_materialized_view(name, sql)
        add_sales(sales, (4, "Rome", 40))
        yield wh


def lose_orders(shop: ev.Warehouse, tmp_path: Path) -> None:
    """The folder of the orders is moved away."""
    shutil.move(tmp_path / "orders", tmp_path / "moved")


def rename_a_column(shop: ev.Warehouse, tmp_path: Path) -> None:
    """The owner of the orders calls a column otherwise."""
    rows = shop.table("sales").to_df().withColumnRenamed("city", "town").toArrow()
    write_deltalake(tmp_path / "orders", rows, mode="overwrite", schema_mode="overwrite")


@pytest.mark.parametrize("spoil", [lose_orders, rename_a_column])
def test_independent_views_are_refreshed_and_errors_are_values(
    shop: ev.Warehouse, tmp_path: Path, spoil: object
) -> None:
    assert callable(spoil)
    spoil(shop, tmp_path)
    with refused(RefreshFailed, "2 of 5 views", "of_orders", "top", "depends on `of_orders`") as e:
        shop.refresh()
    failure = e.value
    assert [r.view for r in failure.receipts] == ["by_city", "both", "large"]
    assert all(r.changed for r in failure.receipts)
    assert list(failure.errors) == ["of_orders", "top"]
    assert failure.errors["of_orders"].code != RefreshFailed.code
    assert failure.errors["top"].code == RefreshFailed.code
    for name, sql in GOOD.items():
        assert_exact(shop, name, sql)
    with pytest.raises(EverviewError) as own:
        shop.view("of_orders").refresh()
    assert own.value.code == failure.errors["of_orders"].code
    with pytest.raises(EverviewError, match="stopped the refresh of `top`") as below:
        shop.view("top").refresh()
    assert below.value.code == failure.errors["of_orders"].code
    with refused(type(own.value)):
        shop.sql("REFRESH MATERIALIZED VIEW of_orders")
    with refused(RefreshFailed, "line 1, column 1") as said:
        shop.sql("REFRESH MATERIALIZED VIEWS")
    assert set(said.value.errors) == {"of_orders", "top"}
    assert len(said.value.receipts) == 3


def test_a_missing_source_has_a_row_wherever_views_are_listed(
    shop: ev.Warehouse, tmp_path: Path
) -> None:
    lose_orders(shop, tmp_path)
    found = {s.view: s for s in shop.status()}
    assert [n for n, s in found.items() if s.error] == ["of_orders"]
    broken = found["of_orders"]
    assert broken.error is not None
    assert broken.error["code"] == NotATable.code
    assert "SET LOCATION" in broken.error["remedy"]
    assert broken.exact_at == {"orders": 0}, "what its own log says is known still"
    assert broken.rows == 2
    assert broken.last_refresh is not None
    assert "EV-4004" in str(broken)
    assert "EV-4004" in broken._repr_html_()
    assert "EV-4004" in shop._repr_html_()
    assert [s.view for s in shop.status("TOP", "of_orders")] == ["top", "of_orders"]
    shown = {r["view"]: r for r in shop.sql("SHOW MATERIALIZED VIEWS").collect()}
    assert {n: r["error"] for n, r in shown.items() if r["error"]} == {"of_orders": "EV-4004"}
    verified = {r["view"]: r for r in shop.sql("VERIFY MATERIALIZED VIEWS").collect()}
    assert {n for n, r in verified.items() if r["ok"]} == {"both", "by_city", "large", "top"}
    assert verified["of_orders"]["ok"] is None
    assert "EV-4004" in verified["of_orders"]["error"]
    with refused(NotATable, "orders"):
        shop.sql("VERIFY MATERIALIZED VIEW of_orders")


def test_a_view_whose_folder_is_gone_is_created_again(shop: ev.Warehouse) -> None:
    shop.register()
    shutil.rmtree(shop.view("of_orders").path)
    with pytest.raises(RefreshFailed) as caught:
        shop.refresh()
    error = caught.value.errors["of_orders"]
    assert isinstance(error, NotATable)
    assert "CREATE OR REPLACE MATERIALIZED VIEW" in error.remedy
    assert [r.view for r in caught.value.receipts] == ["by_city", "both", "large"]
    assert "of_orders" not in shop.register()
    assert shop.status("of_orders")[0].error is not None
    shop.sql(f"CREATE OR REPLACE MATERIALIZED VIEW of_orders AS {OF_ORDERS}")
    assert [r.view for r in shop.refresh()] == ["by_city", "both", "large", "of_orders", "top"]
    for name, sql in {**GOOD, "of_orders": OF_ORDERS, "top": TOP}.items():
        assert_exact(shop, name, sql)
    assert "of_orders" in shop.register()


def test_receipts_of_several_do_not_repeat_those_below(shop: ev.Warehouse) -> None:
    receipts = shop.refresh("top", "both")
    assert [r.view for r in receipts] == ["of_orders", "top", "by_city", "both"]
    assert all(r.below == () for r in receipts)
    (alone,) = shop.refresh("both", full=True)
    assert [r.view for r in alone.below] == ["by_city"], "the only place of it"
    assert [r.view for r in shop.refresh("both", "BOTH")] == ["both"]


def test_progress_is_told_by_view_and_step(shop: ev.Warehouse, tmp_path: Path) -> None:
    lose_orders(shop, tmp_path)
    told: list[ev.Progress] = []
    with pytest.raises(RefreshFailed):
        shop.refresh(progress=told.append)
    ends = {p.view: p.step for p in told if p.step in ("done", "failed", "skipped")}
    assert ends == {
        "by_city": "done",
        "both": "done",
        "large": "done",
        "of_orders": "failed",
        "top": "skipped",
    }
    assert [p.done for p in told] == sorted(p.done for p in told)
    assert (told[-1].done, {p.total for p in told}) == (5, {5})
    assert {"by_city", "large"} <= {p.view for p in told if p.step == "commit"}

    def fail(progress: ev.Progress) -> None:
        raise ValueError(progress.view)

    add_sales(shop.table("sales"), (5, "Oslo", 50))
    assert shop.view("by_city").refresh(progress=fail).changed, "a watcher stops nothing"


def test_a_warehouse_may_have_a_watcher(spark_or_connect: SparkSession, tmp_path: Path) -> None:
    told: list[ev.Progress] = []
    with ev.open(tmp_path / "shop", spark=spark_or_connect, progress=told.append) as wh:
        wh.sql("CREATE TABLE t AS SELECT 1 AS n")
        wh.create_materialized_view("v", "SELECT n FROM t")
        wh.refresh()
    assert told == [ev.Progress("v", "done", 1, 1)]
