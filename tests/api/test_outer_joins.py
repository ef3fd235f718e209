"""Views with outer joins whose own rows tell which rows had partners: the large table is not read
beyond its changes.
"""

from __future__ import annotations

import pytest

import everview as ev
from tests.api.bags import assert_exact

SALES, STORES, STATES = 100_000, 100, 10
SS_FULL_INFO = """
    SELECT sales.id, sales.store AS sold_at, stores.store, stores.state, states.area
    FROM sales
    FULL JOIN stores ON sales.store = stores.store
    FULL JOIN states ON stores.state = states.state
"""


@pytest.fixture
def shop(wh: ev.Warehouse) -> ev.Warehouse:
    """Seed 000, example 2, at 1/10,000: half of the stores sold nothing, one state has no store."""
    wh.create_table("sales", "id LONG, store LONG")
    wh.create_table("stores", "store LONG, state LONG")
    wh.create_table("states", "state LONG, area LONG")
    ids = wh.spark.range(SALES)
    wh.table("sales").append(ids.selectExpr("id", f"id % {STORES // 2} AS store"))
    stores = wh.spark.range(STORES)
    wh.table("stores").append(stores.selectExpr("id AS store", f"id % {STATES - 1} AS state"))
    wh.table("states").append(wh.spark.range(STATES).selectExpr("id AS state", "7 * id AS area"))
    return wh


def test_sales_are_read_for_their_changes_alone(shop: ev.Warehouse) -> None:
    """Table 2 of the seed: of a billion sales, 10,000 are read that came, and all stores and
    states, against all sales.
    """
    view = shop.create_materialized_view("ssfullinfo", SS_FULL_INFO, policy="INCREMENTAL STRICT")
    sales = shop.table("sales")
    ten = shop.spark.range(SALES, SALES + 10)
    sales.append(ten.selectExpr("id", f"id % 5 + {STORES // 2} AS store"))
    told = str(view.explain(full=True))
    assert "left out: the rows of sales: those of ssfullinfo tell which rows had partners" in told
    inserted = view.refresh()
    assert (inserted.rows_inserted, inserted.rows_deleted) == (10, 5)
    sales.delete(f"id >= {SALES + 3} OR id < 3")  # of these five stores three have a sale left
    deleted = view.refresh()
    assert (deleted.rows_inserted, deleted.rows_deleted) == (2, 10)
    for receipt in (inserted, deleted):
        read = receipt.read
        assert (read["sales"].rows, read["sales"].changes) == (10, 10)
        assert sum(one.rows or 0 for one in read.values()) <= 10 + STORES + STATES
    assert_exact(shop, "ssfullinfo", SS_FULL_INFO)
    assert view.verify().ok
    told = [field.name for field in view.to_df().schema.fields]
    assert told == ["id", "sold_at", "store", "state", "area"]
