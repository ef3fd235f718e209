"""Sums of integers overflow exactly where, and as, the definition does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from everview.errors import ComputationFailed
from tests.numbers.kept import Kept
from tests.scripts.oracle import compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST = 2**63 - 1
SQL = "SELECT g, sum(x) AS s, avg(x) AS a, max(x) AS high FROM t GROUP BY g"


def test_a_sum_beyond_bigint_fails_with_ansi(spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path, {"spark.sql.ansi.enabled": "true"})
    kept.table("id INT, g INT, x BIGINT", f"(1, 1, {MOST - 5}L), (2, 2, 1)")
    kept.view(SQL)
    before = kept.rows()
    kept.append("(3, 1, 10)")
    with pytest.raises(PySparkException, match=r"(?i)overflow"):
        kept.expected()
    with pytest.raises(ComputationFailed, match=r"(?i)overflow"):
        kept.wh.view("v").refresh()
    assert not compare(kept.rows(), before, loose=False)
    kept.append("(4, 1, -10)")
    kept.refresh()
    assert {row.g: row.s for row in kept.rows()[1]}[1] == MOST - 5


def test_a_sum_beyond_bigint_wraps_without_ansi(spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path, {"spark.sql.ansi.enabled": "false"})
    kept.table("id INT, g INT, x BIGINT", f"(1, 1, {MOST - 5}L), (2, 2, 1), (3, 1, NULL)")
    kept.view(SQL)
    kept.append(f"(4, 1, 10), (5, 3, {MOST}L), (6, 3, {MOST}L), (7, 3, {MOST}L)")
    kept.refresh()
    assert {row.g: row.s for row in kept.rows()[1]}[1] < 0
    kept.t.delete("id IN (4, 6)")
    kept.refresh()
    assert {row.g: row.s for row in kept.rows()[1]}[1] == MOST - 5


def test_a_product_that_overflows_fails_as_the_definition_does(
    spark: SparkSession, tmp_path: Path
) -> None:
    kept = Kept(spark, tmp_path, {"spark.sql.ansi.enabled": "true"})
    kept.table("g INT, x INT", "(1, 10), (2, 20)")
    kept.view("SELECT g, sum(x * 1000000) AS s FROM t WHERE x > 0 GROUP BY g")
    kept.append(f"(1, {2**31 - 1})")
    with pytest.raises(PySparkException, match=r"(?i)overflow"):
        kept.expected()
    with pytest.raises(ComputationFailed, match=r"(?i)overflow"):
        kept.wh.view("v").refresh()
    kept.t.delete(f"x = {2**31 - 1} OR g = 2")
    kept.refresh()
