"""The retail warehouse of the demo (Gupta & Mumick, example 1) and a night of changes to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from everview import Warehouse

STORES, ITEMS, CITIES, CATEGORIES = 1_000, 10_000, 100, 1_000
# The night's sales are made in few stores, of few items: most of each view stays as it is.
MONTHS = 12  # a file of sales for each
NIGHTS = 1_000  # of new sales in all that are there
NIGHT_STORES, NIGHT_ITEMS = 30, 400


@dataclass(frozen=True, slots=True)
class ViewOfShop:
    """A view of the demo: its text and what it is in a few words."""

    name: str
    what: str
    sql: str


VIEWS = (
    ViewOfShop(
        "city_sales",
        "sales with stores, by city",
        """\
SELECT city, count(*) AS n, sum(price) AS revenue
FROM sales JOIN stores USING (store_id)
WHERE sold_on > DATE'1995-01-01'
GROUP BY city""",
    ),
    ViewOfShop(
        "category_sales",
        "sales with items, by category",
        """\
SELECT category, count(*) AS n, sum(price) AS revenue, avg(quantity) AS mean_quantity
FROM sales JOIN items USING (item_id)
WHERE sold_on > DATE'1995-01-01'
GROUP BY category""",
    ),
    ViewOfShop(
        "big_baskets",
        "sales worth 3,000 or more, with items",
        """\
SELECT sale_id, store_id, category, quantity, price, quantity * price AS worth
FROM sales JOIN items USING (item_id)
WHERE quantity * price >= 3000""",
    ),
)


def build_shop(warehouse: Warehouse, sales: int) -> None:
    """The three tables of the shop; from numbers and hashes, so that every run gives the same."""
    spark = warehouse.spark
    stores = spark.range(STORES).selectExpr(
        "id AS store_id",
        f"format_string('city %02d', id % {CITIES}) AS city",
        f"format_string('state %d', id % {CITIES} DIV 10) AS state",
    )
    items = spark.range(ITEMS).selectExpr(
        "id AS item_id", f"format_string('category %03d', id % {CATEGORIES}) AS category"
    )
    warehouse.create_table("stores", stores, primary_key="store_id")
    warehouse.create_table("items", items, primary_key="item_id")
    made = _sales(warehouse, range(sales), STORES, ITEMS, MONTHS)
    warehouse.create_table("sales", made, primary_key="sale_id")


def _sales(warehouse: Warehouse, ids: range, stores: int, items: int, files: int = 1) -> Any:
    """Sales of these ids, in the first so many stores and of the first so many items."""
    basket = "pmod(xxhash64(id, 'basket'), 10000)"
    return warehouse.spark.range(ids.start, ids.stop, 1, files).selectExpr(
        "id AS sale_id",
        f"pmod(xxhash64(id, 'store'), {stores}) AS store_id",
        f"pmod(xxhash64(id, 'item'), {items}) AS item_id",
        "date_add(DATE'1994-12-01', CAST(pmod(xxhash64(id, 'day'), 365) AS INT)) AS sold_on",
        f"CAST(IF({basket} < 100, 12 + {basket} % 13, 1 + {basket} % 6) AS INT) AS quantity",
        "CAST(pmod(xxhash64(id, 'price'), 50000) / 100 AS DECIMAL(10,2)) AS price",
    )


@dataclass(frozen=True, slots=True)
class NightChange:
    """One statement of the night: its table, how to say what it did, and the statement."""

    table: str
    said: str
    run: Callable[[Warehouse], Any]


def night(sales: int) -> tuple[NightChange, ...]:
    """Corrections and returns of last month's sales, and new sales; stores that moved."""
    last_month = f"sale_id >= {sales - sales // MONTHS}"
    ids = range(sales, sales + max(1, sales // NIGHTS))
    return (
        NightChange(
            "sales",
            "corrected",
            lambda wh: wh.table("sales").update(
                {"price": "CAST(price / 2 AS DECIMAL(10,2))"}, f"store_id = 7 AND {last_month}"
            ),
        ),
        NightChange(
            "sales",
            "returned",
            lambda wh: wh.table("sales").delete(
                f"store_id = 12 AND item_id < 5000 AND {last_month}"
            ),
        ),
        NightChange(
            "sales",
            "new",
            lambda wh: wh.table("sales").append(_sales(wh, ids, NIGHT_STORES, NIGHT_ITEMS)),
        ),
        NightChange(
            "stores",
            "moved to another city",
            lambda wh: wh.table("stores").update({"city": "'city 00'"}, "store_id IN (1, 2, 3)"),
        ),
    )


def touched(history: list[dict[str, Any]]) -> int:
    """How many rows the newest commit of a table touched."""
    rows: Mapping[str, int] = history[0]["rows"]
    return max(rows.values(), default=0)
