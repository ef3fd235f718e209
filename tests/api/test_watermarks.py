"""What a refresh saw is recorded, also where no row of the view changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import everview as ev
from everview.facts.tables import TableChanges
from tests.api.bags import assert_exact
from tests.api.shop import BY_CITY, LARGE, add_sales

ABOVE = "SELECT count(*) AS n, sum(amount) AS total FROM large"

NOTHING: dict[str, Callable[[ev.Table], object]] = {
    "rows that the view leaves out": lambda sales: add_sales(sales, (6, "Oslo", 1)),
    "rows that came and went": lambda sales: (
        add_sales(sales, (6, "Oslo", 60)),
        sales.delete("id = 6"),
    ),
    "a compaction": lambda sales: sales.compact(),
    "a column that the view does not read": lambda sales: sales.update({"id": "id + 10"}),
}


@pytest.mark.parametrize("write", NOTHING)
def test_a_refresh_that_changes_no_row_is_seen_by_everybody(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path, write: str
) -> None:
    large = wh.create_materialized_view("large", LARGE, policy="INCREMENTAL STRICT")
    wh.create_materialized_view("above", ABOVE, policy="INCREMENTAL STRICT")
    NOTHING[write](sales)
    assert all(not receipt.changed for receipt in wh.refresh())
    other = ev.open(str(tmp_path / "shop"), spark=wh.spark)
    for status in other.status():
        assert not status.is_behind
        assert "up to date" in str(status)
        assert not status.next_full
    assert other.view("large").status().exact_at == {"sales": sales.version}
    assert large.history()[0]["watermark_after"] == {"sales": sales.version}
    versions = [len(wh.view(v).history()) for v in wh.views()]
    assert [r.strategy for r in other.refresh()] == ["skipped: nothing changed"] * 2
    assert [len(wh.view(v).history()) for v in wh.views()] == versions
    add_sales(sales, (7, "Rome", 70))
    assert all(r.strategy.startswith("incremental") for r in other.refresh())
    assert_exact(wh, "large", LARGE)
    assert_exact(wh, "above", ABOVE)


def test_recorded_watermarks_are_no_change_of_the_view(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL STRICT")
    table = wh._world.open(view._entry)
    built = table.head().version
    for _ in range(3):
        sales.compact()
        add_sales(sales, (8, "Rome", 1))
        sales.delete("id = 8")
        assert not view.refresh().changed
    recorded = table.head().version
    assert recorded == built + 3
    changes = table.changes(built, recorded)
    assert isinstance(changes, TableChanges)
    assert changes.empty
