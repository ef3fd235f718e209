"""Queries with LIMIT, and the rows that a view shows."""

from __future__ import annotations

from pyspark.sql import DataFrame

BEST = (
    "SELECT city, sum(amount) AS total FROM sales GROUP BY city ORDER BY total DESC, city LIMIT 2"
)
LATER = "SELECT id, city FROM sales ORDER BY amount DESC, id LIMIT 2 OFFSET 1"
STRICT = "INCREMENTAL STRICT"


def listed(rows: DataFrame) -> list[tuple[object, ...]]:
    return [tuple(row) for row in rows.collect()]
