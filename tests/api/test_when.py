"""Views that are refreshed by writes and by readers, and views that wait."""

from __future__ import annotations

import pytest

import everview as ev
from everview.errors import ViewsBehind
from tests.api.results import rows
from tests.api.shop import add_sales


def totals(wh: ev.Warehouse, name: str) -> set[tuple[object, ...]]:
    """The rows as they are published, whatever a reader would refresh first."""
    view = wh.view(name)
    version = wh._world.open(view._entry).head().version
    return {tuple(r) for r in view.to_df(version).collect()}


def test_writes_and_readers_refresh_the_views_that_ask_for_it(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    """One warehouse for all: a view on demand between, an immediate one above it, two on read."""
    by_city = "SELECT city, sum(amount) AS total FROM sales GROUP BY city"
    wh.create_materialized_view("by_city", by_city)
    wh.sql(
        "CREATE MATERIALIZED VIEW cities REFRESH POLICY AUTO REFRESH IMMEDIATE "
        "AS SELECT count(*) AS n, sum(total) AS total FROM by_city"
    )
    wh.create_materialized_view("largest", "SELECT max(amount) AS m FROM sales", when="ON READ")
    lazy = wh.create_materialized_view("lazy", "SELECT count(*) AS n FROM sales")
    lazy.set_when("on read within 1 hour")
    assert lazy.status().schedule == "ON READ WITHIN 1 HOUR"
    assert totals(wh, "cities") == {(3, 140)}

    add_sales(sales, (6, "Oslo", 60))
    assert totals(wh, "cities") == {(4, 200)}  # with the view below it
    assert totals(wh, "largest") == {(50,)}
    assert wh.view("largest").to_pandas().m[0] == 60
    assert rows(wh.sql("SELECT n FROM lazy")) == [(5,)]  # less than an hour behind
    wh.sql(
        "UPDATE sales SET amount = 70 WHERE id = 6 AND amount < (SELECT max(m) + 1 FROM largest)"
    )
    assert totals(wh, "cities") == {(4, 210)}
    wh.sql("CREATE VIEW over AS SELECT m FROM largest")
    assert rows(wh.sql("SELECT m FROM over")) == [(70,)]
    later = lazy.status().asked_at + 2 * 3_600_000
    wh._world.now = lambda: later
    assert rows(wh.sql("SELECT n FROM lazy")) == [(6,)]

    wh.sql("ALTER MATERIALIZED VIEW cities SUSPEND")
    wh.sql("DELETE FROM sales WHERE id = 6")
    assert totals(wh, "cities") == {(4, 210)}
    assert [r.view for r in wh.refresh()] == ["by_city", "largest", "lazy"]
    assert totals(wh, "cities") == {(4, 210)}
    wh.refresh("cities")
    assert totals(wh, "cities") == {(3, 140)}
    wh.view("cities").resume()

    shown = {r["view"]: r["policy"] for r in wh.sql("SHOW MATERIALIZED VIEWS").collect()}
    assert shown == {
        "by_city": "AUTO",
        "cities": "AUTO, IMMEDIATE",
        "largest": "AUTO, ON READ",
        "lazy": "AUTO, ON READ WITHIN 1 HOUR",
    }
    (created,) = rows(wh.sql("SHOW CREATE MATERIALIZED VIEW lazy"))
    assert "\nREFRESH POLICY AUTO\nREFRESH ON READ WITHIN 1 HOUR AS\n" in str(created[0])

    add_sales(sales, (7, "Bern", -1))
    fails = "SELECT sum(total / (total + 1)) AS x FROM by_city"
    wh.create_materialized_view("fails", fails, when="IMMEDIATE")
    with pytest.raises(ViewsBehind, match="The write stands") as raised:
        add_sales(sales, (8, "Nice", -1))  # its total is -1
    assert raised.value.version == sales.version
    assert set(raised.value.errors) == {"fails"}
    assert totals(wh, "cities") == {(4, 138)}
    sales.delete("id = 8")  # and so all are as they should be
    assert totals(wh, "cities") == {(3, 139)}
    assert all(v.ok for v in (wh.view(n).verify() for n in wh.views()))
