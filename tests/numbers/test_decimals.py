"""Sums and averages of decimals are Spark's to the last digit, at every precision."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from everview.errors import ComputationFailed
from tests.numbers.kept import Kept
from tests.scripts.oracle import compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = (
    (1, 0), (1, 1), (3, 2), (5, 5), (9, 0), (10, 4), (15, 15), (17, 16), (18, 2), (20, 10), (22, 5),
)  # fmt: skip
LARGE = (
    (24, 17), (25, 0), (25, 16), (27, 13), (27, 27), (28, 0), (30, 10), (33, 33), (36, 6), (38, 0),
    (38, 18), (38, 38),
)  # fmt: skip
GROUPS = 60


def number(rng: Random, precision: int, scale: int) -> Decimal | None:
    """A value of any size up to the largest, so that digits carry; NULL now and then.

    Beyond 33 digits sums and averages overflow, which has its own test.
    """
    if rng.random() < 0.05:
        return None
    digits = rng.randint(1, min(precision, 33))
    unscaled = rng.choice((10**digits - 1, rng.randrange(10**digits), rng.randrange(10)))
    return Decimal((rng.randrange(2), tuple(map(int, str(unscaled))), -scale))


@pytest.mark.parametrize("shapes", [SMALL, LARGE], ids=["up to 22 digits", "up to 38 digits"])
def test_averages_are_sparks_own(
    shapes: tuple[tuple[int, int], ...], spark: SparkSession, tmp_path: Path
) -> None:
    rng = Random(len(shapes))
    names = [f"d{p}_{s}" for p, s in shapes]
    ddl = ", ".join(f"{n} DECIMAL({p},{s})" for n, (p, s) in zip(names, shapes, strict=True))
    kept = Kept(spark, tmp_path)
    kept.ddl = f"g INT, r INT, {ddl}"
    kept.t = kept.wh.create_table("t", kept.ddl)

    def append(count: int) -> None:
        rows = [
            (
                rng.randrange(GROUPS) // rng.randint(1, 9),
                rng.randrange(100),
                *(number(rng, p, s) for p, s in shapes),
            )
            for _ in range(count)
        ]
        kept.t.append(kept.spark.createDataFrame(rows, kept.ddl))

    append(500)
    calls = ", ".join(f"sum({n}) AS s_{n}, avg({n}) AS a_{n}" for n in names)
    kept.view(f"SELECT g, count(*) AS c, {calls} FROM t GROUP BY g")
    append(200)
    kept.refresh(loose=False)
    kept.t.delete("r < 20")
    kept.refresh(loose=False)


OVERFLOW = "DECIMAL(38,0)"


def test_an_overflow_is_null_without_ansi(spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path, {"spark.sql.ansi.enabled": "false"})
    big = "9" * 38
    kept.table(f"g INT, d {OVERFLOW}, e DECIMAL(27,0)", f"(1, {big}BD, {'9' * 27}BD), (2, 1, 1)")
    kept.view("SELECT g, sum(d) AS s, avg(d) AS a, sum(e) AS se, avg(e) AS ae FROM t GROUP BY g")
    kept.append(f"(1, {big}BD, {'9' * 27}BD)")
    kept.refresh(loose=False)
    assert {row.g: row.s for row in kept.rows()[1]}[1] is None
    kept.append("(1, -5, -5), (2, 2, 2)")
    kept.refresh(loose=False)
    kept.t.update({"d": "1"}, "g = 1")
    kept.refresh(loose=False)


def test_an_overflow_fails_with_ansi_and_leaves_the_view(
    spark: SparkSession, tmp_path: Path
) -> None:
    kept = Kept(spark, tmp_path, {"spark.sql.ansi.enabled": "true"})
    big = "9" * 38
    kept.table(f"g INT, d {OVERFLOW}", f"(1, {big}BD), (2, 1)")
    kept.view("SELECT g, sum(d) AS s FROM t GROUP BY g")
    before = kept.rows()
    kept.append(f"(1, {big}BD)")
    with pytest.raises(PySparkException, match=r"(?i)overflow|out of range|cannot be represented"):
        kept.expected()
    with pytest.raises(ComputationFailed, match=r"(?i)overflow|out of range|cannot be represented"):
        kept.wh.view("v").refresh()
    assert not compare(kept.rows(), before, loose=False)
    kept.t.delete("g = 1")
    kept.refresh(loose=False)
