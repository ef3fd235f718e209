"""Views above one whose groups are not all seen, also where that comes and goes."""

from __future__ import annotations

import pytest

import everview as ev
from tests.api.bags import assert_exact
from tests.api.shop import add_sales

ALL = "SELECT city, sum(amount) AS total FROM sales GROUP BY city"
LARGE = f"{ALL} HAVING sum(amount) > 30"
ABOVE = "SELECT city, total FROM v"


@pytest.mark.parametrize(
    "texts", [(ALL, LARGE), (LARGE, ALL), (LARGE, f"{ALL} HAVING count(*) > 1")]
)
def test_a_view_above_follows_what_is_seen_below(
    wh: ev.Warehouse, sales: ev.Table, texts: tuple[str, str]
) -> None:
    before, after = texts
    wh.create_materialized_view("v", before)
    above = wh.create_materialized_view("above", ABOVE)
    for number, text in enumerate((after, before)):
        wh.create_materialized_view("v", text, replace=True)
        above.refresh()
        assert_exact(wh, "above", ABOVE)
        assert above.verify().ok
        add_sales(sales, (10 + number, "Oslo", 70 + number))
        assert above.refresh().strategy.startswith("incremental")
        assert_exact(wh, "above", ABOVE)


def test_a_view_above_is_maintained_from_the_start(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("v", LARGE, policy="INCREMENTAL STRICT")
    above = wh.create_materialized_view("above", ABOVE, policy="INCREMENTAL STRICT")
    assert above.status().next_full == ""
    sales.delete("amount > 0")
    assert above.refresh().rows_deleted
    assert_exact(wh, "above", ABOVE)
