"""VERSION AS OF and TIMESTAMP AS OF: queries over what was there before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import everview as ev
from everview.errors import InvalidArgument, LostHistory, SqlNotAllowed
from tests.api.bags import bag, refused
from tests.api.shop import BY_CITY, add_sales


def test_earlier_versions_in_queries(wh: ev.Warehouse, sales: ev.Table) -> None:
    sales.delete("city = 'Bern'")
    for text, count in {
        "SELECT count(*) FROM sales VERSION AS OF 1": 4,
        "SELECT count(*) FROM sales FOR VERSION AS OF '2' AS s WHERE s.id > 0": 5,
        "SELECT count(*) FROM sales": 3,
        "SELECT count(sales.id) FROM sales VERSION AS OF 0": 0,
        "SELECT count(*) FROM sales VERSION AS OF 2 o LEFT ANTI JOIN sales s ON o.id = s.id": 2,
        "WITH old AS (FROM sales VERSION AS OF 1) SELECT count(*) FROM old": 4,
    }.items():
        assert wh.sql(text).collect()[0][0] == count, text
    assert wh.sql("TABLE sales VERSION AS OF 1").count() == 4
    wh.sql("INSERT INTO sales SELECT * FROM sales VERSION AS OF 2 WHERE city = 'Bern'")
    assert bag(sales.to_df()) == bag(sales.to_df(version=2))


def test_views_and_attached_tables_at_earlier_versions(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.attach("theirs", sales.path)
    view = wh.create_materialized_view("by_city", BY_CITY)
    before = bag(view.to_df())
    first = wh._world.open(wh._world.entry("by_city")).head().version
    add_sales(sales, (6, "Oslo", 60))
    wh.refresh()
    assert bag(wh.sql(f"SELECT * FROM by_city VERSION AS OF {first}")) == before
    assert bag(wh.sql("SELECT * FROM by_city")) != before
    assert wh.sql("SELECT * FROM theirs VERSION AS OF 1").count() == 4


def test_the_version_of_a_moment(wh: ev.Warehouse, sales: ev.Table) -> None:
    times = {h["version"]: h["timestamp"] for h in sales.history()}
    moment = datetime.fromtimestamp(times[1] / 1000, UTC).isoformat()
    rows = wh.sql(f"SELECT * FROM sales TIMESTAMP AS OF '{moment}'")
    assert rows.count() == max(
        sales.to_df(version=v).count() for v, at in times.items() if at <= times[1]
    )
    assert wh.sql("SELECT * FROM sales FOR SYSTEM_TIME AS OF TIMESTAMP '2999-01-01' s").count() == 5
    with refused(LostHistory, "no version as old as 2001-01-01"):
        wh.sql("SELECT * FROM sales TIMESTAMP AS OF '2001-01-01'")
    with refused(InvalidArgument, "'soon' is not a timestamp"):
        wh.sql("SELECT * FROM sales TIMESTAMP AS OF 'soon'")


def test_versions_that_cannot_be_read(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_view("shown", "SELECT * FROM sales")
    with refused(LostHistory, "version 99"):
        wh.sql("SELECT * FROM sales VERSION AS OF 99")
    with refused(SqlNotAllowed, "line 1, column 15", "not written out"):
        wh.sql("SELECT * FROM sales VERSION AS OF 1 + 1")
    with refused(SqlNotAllowed, "line 1, column 15", "`shown` is a view without stored rows"):
        wh.sql("SELECT * FROM shown VERSION AS OF 1")
    sales.to_df().createOrReplaceTempView("passing")
    with refused(SqlNotAllowed, "`passing` has no versions"):
        wh.sql("SELECT * FROM passing VERSION AS OF 1")
    for make in (wh.create_view, wh.create_materialized_view):
        with refused(SqlNotAllowed, "a past version of a table"):
            make("v", "SELECT * FROM sales VERSION AS OF 1")


@pytest.mark.parametrize("gap", [" ", "\n  ", " /* OF 7 */ "])
def test_what_stands_between_the_words(wh: ev.Warehouse, sales: ev.Table, gap: str) -> None:
    clause = gap.join(["sales", "VERSION", "AS", "OF", "1"])
    assert wh.sql(f"SELECT '{{}}' AS x, id FROM {clause} WHERE id < 3").count() == 2
