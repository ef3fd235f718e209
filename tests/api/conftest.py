"""A warehouse per test on the session of the process, and tables of sales in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from tests.api.shop import add_sales

SHOP = """
    CREATE TABLE sales (id BIGINT, city STRING, amount BIGINT);
    INSERT INTO sales VALUES (1, 'Bern', 10), (2, 'Bern', 20), (3, 'Rome', 30), (4, NULL, 40);
"""


@pytest.fixture
def wh(spark_or_connect: SparkSession, tmp_path: Path) -> Iterator[ev.Warehouse]:
    """An empty warehouse in a folder of its own."""
    with ev.open(str(tmp_path / "shop"), spark=spark_or_connect) as warehouse:
        yield warehouse


@pytest.fixture
def sales(wh: ev.Warehouse) -> ev.Table:
    """The table `sales` with five rows in three cities."""
    table = wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
    add_sales(table, (1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30), (4, "Rome", 30))
    add_sales(table, (5, None, 50))
    return table


@pytest.fixture
def shop(wh: ev.Warehouse) -> ev.Warehouse:
    """A warehouse whose table `sales` was made by statements."""
    wh.run_script(SHOP)
    return wh
