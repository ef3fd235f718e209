"""Floats: NaN, infinities and the two zeros as Spark has them, sums within the stated bound."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.numbers.kept import Kept

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BOUND = 1e-9
NAN, INF = "DOUBLE('NaN')", "DOUBLE('Infinity')"


def test_nan_infinity_and_the_zeros(spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path)
    kept.table(
        "id INT, g STRING, x DOUBLE",
        f"(1, 'nan', {NAN}), (2, 'nan', 1D), (3, 'inf', {INF}), (4, 'inf', 5D), "
        "(5, 'zero', -0.0D), (6, 'null', NULL), (7, 'both', 1D)",
    )
    numbers = "sum(x) AS s, avg(x) AS a, sum(CAST(x AS FLOAT)) AS sf"
    extremes = "min(x) AS low, max(x) AS high, min(CAST(x AS FLOAT)) AS lf"
    kept.view(f"SELECT g, count(x) AS n, {numbers}, {extremes} FROM t GROUP BY g")
    kept.append(
        f"(8, 'nan', {INF}), (9, 'inf', -{INF}), (10, 'zero', -0.0D), (11, 'null', {NAN}), "
        f"(12, 'both', {INF}), (13, 'new', {NAN})"
    )
    kept.refresh()
    kept.t.delete("id IN (1, 9, 10, 11, 13)")
    kept.refresh()
    kept.t.delete("id IN (3, 8, 12)")
    kept.refresh()
    kept.append("(14, 'zero', 0.0D)")
    kept.refresh()


def test_sums_stay_within_the_bound(spark: SparkSession, tmp_path: Path) -> None:
    """|kept - exact| <= 1e-9 · Σ|x| after changes that cancel, whatever was there before."""
    rng = Random(5)
    kept = Kept(spark, tmp_path)
    kept.t = kept.wh.create_table("t", "id INT, g INT, x DOUBLE")
    rows = [(i, i % 5, rng.choice((1e16, 1e-3, 1.1)) * rng.uniform(-1, 1)) for i in range(400)]
    kept.t.append(kept.spark.createDataFrame(rows, "id INT, g INT, x DOUBLE"))
    kept.view("SELECT g, count(x) AS n, sum(x) AS s, avg(x) AS a FROM t GROUP BY g")
    changes = (
        lambda: kept.t.append(kept.spark.createDataFrame(rows[:50], "id INT, g INT, x DOUBLE")),
        lambda: kept.t.delete("abs(x) > 1000"),
        lambda: kept.t.update({"x": "x * 1.1"}, "id % 7 = 0"),
    )
    for change in changes:
        change()
        receipt = kept.wh.view("v").refresh()
        assert receipt.strategy == "incremental: groups"
        present = kept.t.to_df().collect()
        for row in kept.rows()[1]:
            values = [r.x for r in present if r.g == row.g and r.x is not None]
            bound = BOUND * math.fsum(map(abs, values))
            assert row.n == len(values)
            assert abs(row.s - math.fsum(values)) <= bound
            assert abs(row.a - math.fsum(values) / len(values)) <= bound / len(values)
        assert kept.wh.view("v").verify().ok
