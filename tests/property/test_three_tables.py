"""The promise of the first release: three joined tables, twenty random batches, no full refresh."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import everview as ev
from tests.scripts.oracle import Oracle, compare, result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from everview.warehouse import Warehouse

BATCHES = 20
TABLES = {
    "customers": "id BIGINT, region STRING, score INT",
    "orders": "id BIGINT, customer BIGINT, day DATE",
    "lines": "order_id BIGINT, item INT, price DECIMAL(10,2), quantity INT",
}
SQL = """
    SELECT c.region, o.day, count(*) AS lines, sum(l.price * l.quantity) AS revenue,
        avg(l.price) AS mean, min(l.price) AS low, max(l.quantity) AS most
    FROM customers c JOIN orders o ON c.id = o.customer JOIN lines l ON l.order_id = o.id
    WHERE c.score > 0
    GROUP BY c.region, o.day
"""
KEYS = {"customers": "id", "orders": "id", "lines": "order_id"}


@pytest.mark.slow
def test_a_join_of_three_verifies_after_twenty_random_batches(
    spark: SparkSession, tmp_path: Path
) -> None:
    rng = Random(20)
    wh = ev.open(str(tmp_path / "warehouse"), spark=spark)
    oracle = Oracle(spark)
    for name, ddl in TABLES.items():
        wh.create_table(name, spark.createDataFrame([_row(rng, name) for _ in range(60)], ddl))
    view = wh.create_materialized_view("revenue", SQL, policy="INCREMENTAL STRICT")
    deleted, changed = set(), 0
    for _ in range(BATCHES):
        names = rng.sample(list(TABLES), rng.choice((1, 2, 3)))
        deleted |= {name for name in names if _change(rng, wh, name)}
        receipt = view.refresh()
        assert receipt.strategy == "incremental: groups", receipt
        changed += receipt.changed
        for name in TABLES:
            oracle.table(name, wh.table(name).to_df())
        wrong = compare(result(view.to_df()), oracle.answer(SQL), loose=False)
        assert not wrong, "\n".join(wrong)
        verified = view.verify()
        assert verified.ok, str(verified)
    assert deleted == set(TABLES)
    assert changed > BATCHES // 2


def _row(rng: Random, table: str) -> tuple[object, ...]:
    from datetime import date, timedelta
    from decimal import Decimal

    key = rng.choice((None, *range(25)))
    match table:
        case "customers":
            return key, rng.choice(("north", "south", None)), rng.randint(-2, 9)
        case "orders":
            return key, rng.randint(0, 24), date(2024, 1, 1) + timedelta(days=rng.randint(0, 3))
        case _:
            price = Decimal(rng.randint(1, 99999)).scaleb(-2)
            return key, rng.randint(1, 5), price, rng.randint(1, 9)


def _change(rng: Random, wh: Warehouse, name: str) -> bool:
    """A random statement on the table; whether rows were deleted by it."""
    table = wh.table(name)
    key = KEYS[name]
    rows = [_row(rng, name) for _ in range(rng.randint(1, 6))]
    frame = wh.spark.createDataFrame(rows, TABLES[name])
    match rng.choice(("append", "delete", "delete", "update", "merge", "replace")):
        case "append":
            table.append(frame)
        case "delete":
            before = table.to_df().count()
            table.delete(f"{key} % 9 = {rng.randint(0, 8)} OR {key} IS NULL")
            return table.to_df().count() < before
        case "update":
            table.update({key: f"({key} + 1) % 25"}, f"{key} % 5 = {rng.randint(0, 4)}")
        case "merge":
            unique = {row[0]: row for row in rows}
            table.merge(wh.spark.createDataFrame(list(unique.values()), TABLES[name]), on=key)
        case _:
            table.delete(f"{key} > 20")
            table.append(frame)
    return False
