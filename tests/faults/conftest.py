"""A shop that the fault tests of one file share: every test changes it first."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from tests.api.bags import frame
from tests.api.shop import SALES, add_sales
from tests.faults.definitions import GROUPS, NUMBERED, RANKED, ROWS
from tests.faults.statements import BEFORE


@pytest.fixture(scope="module")
def shop(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ev.Warehouse]:
    """Sales, and a view of each kind: groups, rows, partitions, and one always recomputed."""
    with ev.open(str(tmp_path_factory.mktemp("faults") / "shop"), spark=spark) as wh:
        sales = wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        add_sales(sales, *((i, ("Bern", "Rome", None)[i % 3], 10 * i) for i in range(40)))
        wh.create_materialized_view("groups", GROUPS, policy="INCREMENTAL STRICT")
        wh.create_materialized_view("rows", ROWS, policy="INCREMENTAL STRICT")
        wh.create_materialized_view("ranked", RANKED)
        wh.create_materialized_view("numbered", NUMBERED, policy="INCREMENTAL STRICT")
        yield wh


@pytest.fixture
def wh(spark: SparkSession, tmp_path: Path) -> Iterator[ev.Warehouse]:
    """A warehouse of its own, with five sales."""
    with ev.open(str(tmp_path / "shop"), spark=spark) as warehouse:
        sales = warehouse.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        add_sales(sales, (1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30), (4, "Rome", 30))
        add_sales(sales, (5, None, 50))
        yield warehouse


@pytest.fixture
def table(shop: ev.Warehouse) -> ev.Table:
    """A small table of its own in the shared shop."""
    return shop.create_table(f"t{uuid.uuid4().hex}", frame(shop.spark, SALES, *BEFORE))
