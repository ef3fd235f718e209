"""A view whose recomputation takes minutes, for tests that do not wait for it."""

from __future__ import annotations

import time
from collections.abc import Callable
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


def wait_for_jobs(spark: SparkSession, jobs: int, seconds: float = 120) -> None:
    """Until so many jobs run at a time."""
    tracker = spark.sparkContext.statusTracker()
    until(lambda: len(tracker.getActiveJobsIds()) >= jobs, seconds)


def until(holds: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)
