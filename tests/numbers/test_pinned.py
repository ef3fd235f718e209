"""The settings of the session at creation hold for a view, whatever the session is set to later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import everview as ev
from everview.errors import ComputationFailed
from tests.numbers.kept import Kept

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZONE, ANSI = "spark.sql.session.timeZone", "spark.sql.ansi.enabled"


def test_the_time_zone_is_that_of_creation(spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path, {ZONE: "America/Los_Angeles"})
    kept.table(
        "ts TIMESTAMP, v INT",
        "(TIMESTAMP'2024-01-01 02:00:00Z', 1), (TIMESTAMP'2024-01-01 20:00:00Z', 2)",
    )
    kept.view(
        "SELECT to_date(ts) AS day, hour(ts) AS h, count(*) AS n, "
        "max(date_format(ts, 'HH:mm')) AS last, min(TIMESTAMP'2024-06-01 00:00:00') AS fixed "
        "FROM t GROUP BY to_date(ts), hour(ts)"
    )
    kept.spark.conf.set(ZONE, "Asia/Tokyo")
    kept.append("(TIMESTAMP'2024-01-01 02:30:00Z', 3), (TIMESTAMP'2024-07-01 06:59:00Z', 4)")
    kept.refresh()
    assert {str(row.day) for row in kept.rows()[1]} == {"2023-12-31", "2024-01-01", "2024-06-30"}
    other = spark.newSession()
    other.conf.set(ZONE, "Europe/Berlin")
    with ev.open(kept.wh.path, spark=other) as wh:
        wh.table("t").delete("v = 1")
        assert wh.view("v").refresh().strategy.startswith("incremental")
        assert wh.view("v").refresh(full=True).strategy == "full"
    kept.check()
    assert kept.spark.conf.get(ZONE) == "Asia/Tokyo"


def test_ansi_is_that_of_creation(spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path, {ANSI: "false"})
    kept.table("id INT, s STRING, d INT", "(1, '1', 1), (2, '2', 0)")
    kept.view("SELECT count(*) AS n, sum(CAST(s AS INT)) AS total, max(10 / d) AS most FROM t")
    kept.view("SELECT id, CAST(s AS INT) AS i, 10 / d AS q FROM t", "rows")
    kept.spark.conf.set(ANSI, "true")
    kept.append("(3, 'oops', 0), (4, '4', 2)")
    kept.refresh()
    kept.refresh("rows")
    kept.t.delete("id IN (1, 3)")
    kept.refresh()
    kept.refresh("rows")


def test_ansi_stays_on(spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path, {ANSI: "true"})
    kept.table("id INT, s STRING", "(1, '1'), (2, '2')")
    kept.view("SELECT id, CAST(s AS INT) AS i FROM t")
    kept.spark.conf.set(ANSI, "false")
    kept.append("(3, 'oops')")
    with pytest.raises(ComputationFailed, match=r"'oops' .* cannot be cast"):
        kept.wh.view("v").refresh()
    kept.t.delete("id IN (3, 2)")
    kept.refresh()
