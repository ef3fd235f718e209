"""The shop of the API tests: sales by city, and views of it."""

from __future__ import annotations

from typing import Any

import everview as ev
from tests.api.bags import frame

SALES = "id BIGINT, city STRING, amount BIGINT"

BY_CITY = "SELECT city, count(*) AS n, sum(amount) AS total FROM sales GROUP BY city"
HIGHEST = "SELECT city, max(amount) AS highest FROM sales GROUP BY city"
LARGE = "SELECT city, amount FROM sales WHERE amount >= 20"
CITIES = "SELECT city, rank() OVER (ORDER BY city) AS place FROM sales GROUP BY city"


def add_sales(table: ev.Table, *rows: tuple[Any, ...], token: str | None = None) -> int:
    """Append rows (id, city, amount)."""
    return table.append(frame(table._warehouse.spark, SALES, *rows), token=token)
