"""A view whose recomputation takes minutes, for tests that do not wait for it."""

from __future__ import annotations

import time
from pathlib import Path

from pyspark.sql import SparkSession

import everview as ev

VIEW = "pairs"
SQL = "SELECT a.id % 10 AS d, count(*) AS n FROM t a JOIN t b ON a.id % 3 = b.id % 3 GROUP BY 1"
MANY = 1_000_000


def make_slow(spark: SparkSession, folder: Path) -> None:
    """A warehouse whose view is built of a few rows and would be refreshed to many."""
    with ev.open(folder, spark=spark) as wh:
        table = wh.create_table("t", spark.range(9))
        wh.create_materialized_view(VIEW, SQL)
        table.append(spark.range(9, MANY))


def wait_for_job(folder: Path, seconds: float = 120) -> None:
    """Until Spark writes files somewhere in the warehouse, which is when a job runs."""
    end = time.monotonic() + seconds
    while not any(folder.rglob("_temporary")):
        assert time.monotonic() < end, "no job was started"
        time.sleep(0.05)
