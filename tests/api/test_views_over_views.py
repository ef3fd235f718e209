"""Views over views: order, one set of pinned versions, exactness under deletes, rebuilds."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import write_deltalake

import everview as ev
from everview.errors import EverviewError, StillUsed, UnknownName
from tests.api.bags import assert_exact, bag, refused
from tests.api.meanwhile import write_once_at
from tests.api.shop import BY_CITY, LARGE, add_sales

TOTALS = "SELECT count(*) AS cities, sum(total) AS total, max(n) AS most FROM by_city"
LARGEST = "SELECT b.city, l.amount FROM by_city AS b JOIN large AS l ON b.city <=> l.city"


@pytest.fixture
def tower(wh: ev.Warehouse, sales: ev.Table) -> ev.Warehouse:
    """Two views of sales, and views over them; the names are not in the order of refreshing."""
    wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL STRICT")
    wh.create_materialized_view("large", LARGE, policy="INCREMENTAL STRICT")
    wh.create_materialized_view("a_totals", TOTALS, policy="INCREMENTAL STRICT")
    wh.create_materialized_view("b_largest", LARGEST, policy="INCREMENTAL STRICT")
    return wh


VIEWS = {"by_city": BY_CITY, "large": LARGE, "a_totals": TOTALS, "b_largest": LARGEST}


def test_all_are_refreshed_sources_first_and_stay_exact(
    tower: ev.Warehouse, sales: ev.Table
) -> None:
    batches: tuple[Callable[[], object], ...] = (
        lambda: add_sales(sales, (6, "Oslo", 60), (7, "Bern", 70)),
        lambda: sales.delete("id IN (2, 3, 5)"),
        lambda: sales.update({"city": "'Rome'", "amount": "amount + 5"}, "id >= 4"),
    )
    for batch in batches:
        batch()
        receipts = tower.refresh()
        order = [r.view for r in receipts]
        assert sorted(order) == sorted(VIEWS)
        assert order.index("by_city") < order.index("a_totals")
        assert max(order.index("by_city"), order.index("large")) < order.index("b_largest")
        assert all(r.strategy.startswith("incremental") for r in receipts), receipts
        for name, sql in VIEWS.items():
            assert_exact(tower, name, sql)
    assert tower.view("b_largest").verify().ok
    assert all(r.strategy.startswith("skipped") for r in tower.refresh())


def test_a_view_refreshes_what_lies_below_first(tower: ev.Warehouse, sales: ev.Table) -> None:
    add_sales(sales, (6, "Oslo", 60))
    receipt = tower.view("b_largest").refresh()
    assert sorted(r.view for r in receipt.below) == ["by_city", "large"]
    assert all(r.changed for r in receipt.below)
    assert "first by_city  incremental" in str(receipt)
    assert receipt.rows_inserted == 1
    assert tower.view("a_totals").status().behind == {"by_city": 1}
    named = tower.refresh("A_TOTALS", "large")
    assert [(r.view, r.strategy[:4]) for r in named if r.view != "by_city"] == [
        ("a_totals", "incr"),
        ("large", "skip"),
    ]
    for name, sql in VIEWS.items():
        assert_exact(tower, name, sql)


def test_one_set_of_versions_is_pinned_for_all(
    tower: ev.Warehouse, sales: ev.Table, tmp_path: Path
) -> None:
    other = ev.open(str(tmp_path / "shop"), spark=tower.spark).table("sales")
    add_sales(sales, (6, "Oslo", 60))
    write_once_at(tower, "refresh: committed", lambda: add_sales(other, (7, "Bern", 70)))
    receipts = {r.view: r for r in tower.refresh()}
    assert sales.version == 4, "somebody wrote between the refreshes of two views"
    assert receipts["by_city"].watermark_after == receipts["large"].watermark_after == {"sales": 3}
    for name, sql in VIEWS.items():
        old = sql.replace("FROM sales", "FROM (SELECT * FROM sales WHERE id < 7) AS sales")
        assert_exact(tower, name, old)
        assert tower.view(name).verify().ok
    assert all(r.changed for r in tower.refresh())
    for name, sql in VIEWS.items():
        assert_exact(tower, name, sql)


def test_sources_are_pinned_before_the_first_view_is_refreshed(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path
) -> None:
    orders = wh.create_table("orders", sales.to_df())
    wh.create_materialized_view("a", "SELECT id FROM sales")
    wh.create_materialized_view("b", "SELECT id FROM orders")
    other = ev.open(str(tmp_path / "shop"), spark=wh.spark).table("orders")
    add_sales(sales, (6, "Oslo", 60))
    add_sales(orders, (6, "Oslo", 60))
    write_once_at(wh, "refresh: committed", lambda: add_sales(other, (7, "Oslo", 70)))
    pinned = {r.view: dict(r.watermark_after) for r in wh.refresh()}
    assert pinned == {"a": {"sales": 3}, "b": {"orders": 2}}


def test_a_lower_view_refreshed_by_another_is_read_as_it_was_left(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path
) -> None:
    wh.create_materialized_view("large", LARGE)
    sql = "SELECT amount FROM large UNION ALL SELECT -amount FROM sales WHERE amount >= 20"
    upper = wh.create_materialized_view("upper", sql)
    other = ev.open(str(tmp_path / "shop"), spark=wh.spark)

    def somebody_else() -> None:
        add_sales(other.table("sales"), (7, "Oslo", 70))
        other.view("large").refresh()

    add_sales(sales, (6, "Oslo", 60))
    write_once_at(wh, "refresh: committed", somebody_else)
    upper.refresh()
    rows = bag(upper.to_df())
    assert rows[60,] == rows[-60,] == 1
    assert rows[70,] == rows[-70,], "both parts as of one version of sales"
    upper.refresh()
    assert_exact(wh, "upper", sql)


def test_a_replaced_lower_view_is_followed(tower: ev.Warehouse, sales: ev.Table) -> None:
    wide = "SELECT city, count(*) AS n, sum(amount) * 2 AS total FROM sales GROUP BY city"
    tower.create_materialized_view("by_city", wide, replace=True)
    assert tower.view("a_totals").verify().ok, "it is exact at the version it read"
    assert tower.view("a_totals").status().behind["by_city"] == 1
    explained = tower.view("a_totals").explain()
    receipt = tower.view("a_totals").refresh()
    assert receipt.changed
    assert receipt.strategy == explained.strategy, "explain says what a refresh would do"
    assert_exact(tower, "a_totals", TOTALS)
    add_sales(sales, (6, "Oslo", 60))
    assert tower.view("a_totals").refresh().strategy == "incremental: groups"
    assert_exact(tower, "a_totals", TOTALS)


def test_a_column_that_a_view_above_uses_is_not_taken_away(tower: ev.Warehouse) -> None:
    before = bag(tower.view("a_totals").to_df()), tower.view("by_city").history()
    for sql, said in (
        ("SELECT city, 1L AS n FROM sales", "`a_totals` uses its column `total`"),
        ("SELECT city, 1L AS n, 'x' AS total FROM sales", "would be string and is long"),
    ):
        with refused(StillUsed, "`by_city` cannot be replaced so", said):
            tower.create_materialized_view("by_city", sql, replace=True)
    assert bag(tower.view("a_totals").to_df()) == before[0]
    assert tower.view("by_city").history() == before[1], "nothing was changed"
    assert tower.view("a_totals").verify().ok
    assert [r.view for r in tower.refresh("large")] == ["large"], "others are refreshed still"


def test_a_source_dropped_and_made_again_leads_to_a_rebuild_that_says_so(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path
) -> None:
    path = tmp_path / "orders"
    write_deltalake(path, sales.to_df().toArrow())
    wh.attach("orders", str(path))
    sql = BY_CITY.replace("sales", "orders")
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    shutil.rmtree(path)
    write_deltalake(path, sales.to_df().where("id > 2").toArrow())
    receipt = view.refresh()
    assert (receipt.strategy, receipt.view) == ("full", "v")
    assert "built anew" in receipt.reason
    assert "`orders` is another table than before" in receipt.reason
    assert_exact(wh, "v", sql)
    assert view.refresh().strategy.startswith("skipped")
    assert view.verify().ok
    shutil.rmtree(path)
    with refused(EverviewError, "orders"):
        view.refresh()


def test_a_source_that_is_gone_is_named(tower: ev.Warehouse) -> None:
    """Dropping it is refused while views read it; here it went behind our back."""
    entries = tower._world.catalog
    entries.change(lambda now: tuple(e for e in now.entries if e.name != "large"))
    with refused(UnknownName, "`large`", "b_largest"):
        tower.view("b_largest").refresh()
    assert tower.refresh("a_totals")[-1].view == "a_totals"
