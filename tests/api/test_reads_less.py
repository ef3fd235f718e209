"""Of tables whose files lie in ranges of keys only those are read that changed keys can be in."""

from __future__ import annotations

import pytest

import everview as ev
from tests.api.bags import assert_exact

FILES, PER_FILE = 4, 100
VIEWS = {
    "inner": "SELECT o.id, l.n FROM orders o JOIN lines l ON o.id = l.of",
    "left": "SELECT o.id, l.n FROM orders o LEFT JOIN lines l ON o.id = l.of",
    "semi": "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM lines WHERE of = id AND n > 1)",
    "anti": "SELECT id FROM orders WHERE NOT EXISTS (SELECT 1 FROM lines WHERE of = id AND n > 1)",
    "groups": """SELECT o.id, count(*) c, max(n) m FROM orders o JOIN lines l ON o.id = l.of
        GROUP BY o.id""",
    "inside": "SELECT c, count(*) k FROM (SELECT of, count(*) c FROM lines GROUP BY of) GROUP BY c",
    "window": "SELECT of, n, row_number() OVER (PARTITION BY of ORDER BY n) r FROM lines",
}


@pytest.fixture
def shop(wh: ev.Warehouse) -> ev.Warehouse:
    """Orders and their lines, in files of a hundred orders each."""
    wh.create_table("orders", "id LONG, day DATE")
    wh.create_table("lines", "of LONG, n INT")
    for file in range(FILES):
        ids = wh.spark.range(file * PER_FILE, (file + 1) * PER_FILE, 1, 1)
        wh.table("orders").append(ids.selectExpr("id", "DATE'2026-01-01' AS day"))
        wh.table("lines").append(ids.selectExpr("id AS of", "CAST(id % 3 AS INT) AS n"))
    return wh


@pytest.mark.parametrize("kind", VIEWS)
def test_a_narrow_change_reads_few_files(kind: str, shop: ev.Warehouse) -> None:
    view = shop.create_materialized_view("v", VIEWS[kind], policy="INCREMENTAL STRICT")
    lines = shop.table("lines")
    lines.append(shop.spark.sql("SELECT 150L AS of, 7 AS n UNION ALL SELECT 151L, 0"))
    lines.delete("of = 152")
    receipt = view.refresh()
    assert receipt.strategy.startswith("incremental")
    for name, read in receipt.read.items():
        # A file at each snapshot, twice at most, and the changes themselves: not all four.
        assert read.rows is not None
        assert read.rows <= 2 * (PER_FILE + 2) + 3, f"{name}: {read}"
    assert_exact(shop, "v", VIEWS[kind])
    assert view.verify().ok


def test_keys_far_apart_are_found_in_all_files(shop: ev.Warehouse) -> None:
    view = shop.create_materialized_view("v", VIEWS["left"], policy="INCREMENTAL STRICT")
    shop.table("lines").append(shop.spark.sql("SELECT 0L AS of, 7 AS n UNION ALL SELECT 399L, 0"))
    receipt = view.refresh()
    assert receipt.read["orders"].rows >= FILES * PER_FILE
    assert_exact(shop, "v", VIEWS["left"])


def test_keys_that_are_null_bound_nothing(shop: ev.Warehouse) -> None:
    sql = "SELECT o.id, l.n FROM orders o FULL JOIN lines l ON o.id <=> l.of"
    view = shop.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    shop.table("orders").append(shop.spark.sql("SELECT CAST(NULL AS LONG) AS id, NULL AS day"))
    view.refresh()
    assert_exact(shop, "v", sql)
    shop.table("lines").append(shop.spark.sql("SELECT CAST(NULL AS LONG) AS of, 5 AS n"))
    view.refresh()
    assert_exact(shop, "v", sql)
    assert view.verify().ok


def test_days_are_those_of_one_calendar(shop: ev.Warehouse) -> None:
    """Also before 1582, when Java's dates count otherwise, and of years below 1000."""
    sql = "SELECT a.day, b.n FROM days a JOIN notes b ON a.day = b.day"
    for name, column in (("days", "id LONG"), ("notes", "n INT")):
        shop.create_table(name, f"day DATE, {column}")
    view = shop.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    for day in ("0001-01-01", "1500-03-01", "9999-12-31"):
        shop.table("days").append(shop.spark.sql(f"SELECT DATE'{day}' AS day, 1L AS id"))
        shop.table("notes").append(shop.spark.sql(f"SELECT DATE'{day}' AS day, 2 AS n"))
        view.refresh()
        shop.table("notes").append(shop.spark.sql(f"SELECT DATE'{day}' AS day, 3 AS n"))
        assert view.refresh().rows_inserted == 1
        assert_exact(shop, "v", sql)


def test_explain_says_which_keys_are_read(shop: ev.Warehouse) -> None:
    view = shop.create_materialized_view("v", VIEWS["inner"], policy="INCREMENTAL STRICT")
    shop.table("lines").append(shop.spark.sql("SELECT 150L AS of, 7 AS n UNION ALL SELECT 160L, 0"))
    assert "`orders` /* at the new version, id 150 to 160 */" in str(view.explain(full=True))
