"""What is told to be read besides changes is read, and nothing else: counted by receipts."""

from __future__ import annotations

import everview as ev
from everview.facts.receipts import Read, Receipt

TABLES = """
    CREATE TABLE sales (id BIGINT, store BIGINT, item BIGINT, price BIGINT);
    CREATE TABLE stores (store BIGINT, city STRING);
    INSERT INTO sales VALUES (1, 1, 1, 10), (2, 1, 2, 20), (3, 2, 1, 30), (4, 2, 1, 40), (5, 3, 3, 5);
    INSERT INTO stores VALUES (1, 'Bern'), (2, 'Rome'), (3, 'Rome'), (4, 'Oslo');
    CREATE VIEW si_sales AS
        SELECT store, item, sum(price) AS total FROM sales GROUP BY store, item;
"""  # noqa: E501
VIEWS = {
    "city_sales": "SELECT city, sum(total) t FROM si_sales JOIN stores USING (store) GROUP BY city",
    "semi": "SELECT id FROM sales WHERE store IN (SELECT store FROM stores)",
    "distinct": "SELECT DISTINCT store, item FROM sales",
    "having": "SELECT store, sum(price) t FROM sales GROUP BY store HAVING sum(price) > 10",
    "groups_joined": """
        SELECT * FROM (SELECT store, sum(price) t FROM sales GROUP BY store)
        JOIN (SELECT store, count(*) n FROM stores GROUP BY store) USING (store)""",
    "outer": "SELECT s.id, c.city FROM sales s LEFT JOIN stores c ON s.store = c.store",
}  # fmt: skip
# Each reaches every view that reads its table.
CHANGES = {
    ("sales", "insert"): "INSERT INTO sales VALUES (6, 4, 4, 60), (7, 2, 4, 50)",
    ("sales", "update"): "UPDATE sales SET price = 7, store = 3 WHERE id = 7",
    ("sales", "delete"): "DELETE FROM sales WHERE id = 4",
    ("stores", "insert"): "INSERT INTO stores VALUES (2, 'Nice')",
    ("stores", "update"): "UPDATE stores SET city = 'Lyon', store = 3 WHERE city = 'Bern'",
    ("stores", "delete"): "DELETE FROM stores WHERE city = 'Nice'",
}


def test_receipts_count_no_row_that_the_table_does_not_tell(wh: ev.Warehouse) -> None:
    wh.run_script(TABLES)
    for name, sql in VIEWS.items():
        wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
    told = {
        (status.view, one.source, one.change): {read.source for read in one.reads}
        for status in wh.status()
        for one in status.beside or ()
    }
    for (source, change), statement in CHANGES.items():
        wh.sql(statement)
        receipts = {r.view: r for r in wh.refresh()}
        for view in VIEWS:
            if (view, source, change) in told:
                where = f"{view}, {change} of {source}: {receipts[view].read}"
                assert _beside(receipts[view]) == told[view, source, change], where
    assert {len(reads) for reads in told.values()} == {0, 1, 2}


def _beside(receipt: Receipt) -> set[str]:
    """The sources of which rows were read that are no changes."""
    assert receipt.strategy.startswith("incremental"), receipt
    return {name for name, read in receipt.read.items() if _rows_beside(read)}


def _rows_beside(read: Read) -> int:
    assert read.rows is not None
    assert read.changes is not None
    return read.rows - read.changes
