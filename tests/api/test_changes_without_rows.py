"""Changes that cannot pass the conditions of a view, as their files tell, are not read."""

from __future__ import annotations

import pytest

import everview as ev
from everview.facts.methods import Way
from tests.api.bags import assert_exact

VIEWS = {
    "rows": "SELECT id, amount FROM sales WHERE region = 'north'",
    "groups": "SELECT day, sum(amount) AS total FROM sales WHERE region = 'north' GROUP BY day",
    "joined": """SELECT s.id, p.name FROM sales s JOIN products p ON s.product = p.id
        WHERE s.day >= DATE '2026-02-01' AND s.region = 'north'""",
    "left": """SELECT p.name, s.id FROM products p
        LEFT JOIN sales s ON s.product = p.id AND s.region = 'north'""",
    "several": """SELECT id FROM sales
        WHERE (region = 'north' OR region < 'd') AND id BETWEEN 1 AND 50""",
}


@pytest.fixture
def shop(wh: ev.Warehouse) -> ev.Warehouse:
    wh.run_script("""
        CREATE TABLE sales (id BIGINT, product BIGINT, region STRING, day DATE, amount BIGINT);
        CREATE TABLE products (id BIGINT, name STRING);
        INSERT INTO products VALUES (1, 'tea'), (2, 'jam'), (3, NULL);
        INSERT INTO sales VALUES (1, 1, 'north', DATE'2026-02-03', 5),
            (2, 2, 'south', DATE'2026-02-03', 7), (3, NULL, NULL, NULL, NULL);
    """)
    for name, text in VIEWS.items():
        wh.create_materialized_view(name, text, policy="INCREMENTAL STRICT")
    return wh


@pytest.mark.parametrize("name", VIEWS)
def test_what_the_conditions_exclude_is_not_read(name: str, shop: ev.Warehouse) -> None:
    view = shop.view(name)
    shop.table("sales").append(
        shop.spark.sql(
            "SELECT 77L AS id, 1L AS product, 'south' AS region, "
            "DATE'2026-03-01' AS day, 4L AS amount"
        )
    )
    told = view.explain()
    receipt = view.refresh()
    assert receipt.way is Way.MOVED
    assert receipt.actions == 0
    assert told.reason == receipt.reason == "no changed row of sales passes the view's conditions"
    assert view.refresh().way is Way.SKIPPED
    assert_exact(shop, name, VIEWS[name])

    shop.sql("INSERT INTO sales VALUES (4, 1, 'north', DATE'2026-02-05', 1)")
    assert view.refresh().way is Way.INCREMENTAL
    assert_exact(shop, name, VIEWS[name])
    assert view.verify().ok


def test_rows_that_go_are_looked_at_too(shop: ev.Warehouse) -> None:
    view = shop.view("rows")
    shop.sql("DELETE FROM sales WHERE id = 2")
    assert view.refresh().way is Way.MOVED
    shop.sql("UPDATE sales SET region = 'south' WHERE id = 1")
    assert view.refresh().way is Way.INCREMENTAL
    assert_exact(shop, "rows", VIEWS["rows"])


def test_a_changed_table_of_several_that_may_have_rows_is_read(shop: ev.Warehouse) -> None:
    view = shop.view("joined")
    shop.sql("INSERT INTO sales VALUES (9, 3, 'south', DATE'2026-04-01', 1)")
    shop.sql("UPDATE products SET name = 'coffee' WHERE id = 1")
    assert view.refresh().way is Way.INCREMENTAL
    assert_exact(shop, "joined", VIEWS["joined"])
