"""Every aggregate over every type that Spark accepts for it, kept through changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.numbers.kept import Kept

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NUMBERS = {
    "y": ("TINYINT", "-128", "127", "3"),
    "h": ("SMALLINT", "-32768", "32767", "5"),
    "i": ("INT", "-2147483648", "2147483647", "7"),
    "l": ("BIGINT", "-4611686018427387904", "4611686018427387903", "9"),
    "d": ("DECIMAL(9,2)", "-9999999.99", "9999999.99", "0.01"),
    "f": ("FLOAT", "-1.5e30", "3.25e10", "0.1"),
    "x": ("DOUBLE", "-1.5e100", "2.5e50", "0.1"),
    "n": ("STRING", "'-1.5'", "'20'", "'1e2'"),
}
ORDERED = {
    "s": ("STRING", "''", "'zürich'", "'B'"),
    "da": ("DATE", "DATE'0001-01-01'", "DATE'9999-12-31'", "DATE'2024-02-29'"),
    "ts": (
        "TIMESTAMP", "TIMESTAMP'0002-01-01 00:00:00Z'", "TIMESTAMP'9998-12-31 23:59:59.999999Z'",
        "TIMESTAMP'2024-03-31 01:30:00Z'",
    ),
    "tn": (
        "TIMESTAMP_NTZ", "TIMESTAMP_NTZ'0001-01-01 00:00:00'",
        "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'", "TIMESTAMP_NTZ'2024-03-31 02:30:00'",
    ),
    "b": ("BOOLEAN", "false", "true", "true"),
    "bi": ("BINARY", "X''", "X'FF00'", "X'00FF'"),
    "st": (
        "STRUCT<a: INT, b: STRING>", "named_struct('a', NULL, 'b', 'x')",
        "named_struct('a', 2, 'b', NULL)", "named_struct('a', 1, 'b', 'y')",
    ),
    "ar": ("ARRAY<INT>", "array()", "array(2, 1)", "array(1, NULL)"),
}  # fmt: skip
ALL = {**NUMBERS, **ORDERED}


def row(group: str, place: int) -> str:
    """A row whose columns are all NULL (0), low (1), high (2) or between (3)."""
    values = ["NULL" if place == 0 else types[place] for types in ALL.values()]
    return f"({group}, {place}, {', '.join(values)})"


@pytest.fixture
def kept(spark: SparkSession, tmp_path: Path) -> Kept:
    kept = Kept(spark, tmp_path)
    ddl = ", ".join(f"{name} {types[0]}" for name, types in ALL.items())
    first = [row("1", p) for p in (1, 2, 2, 3, 0)] + [row("2", p) for p in (1, 3)] + [row("3", 0)]
    kept.table(f"g INT, p INT, {ddl}", ", ".join(first))
    return kept


def test_sums_and_averages(kept: Kept) -> None:
    calls = [f"{f}({n}) AS {f}_{n}" for n in NUMBERS for f in ("count", "sum", "avg")]
    kept.view(f"SELECT g, {', '.join(calls)} FROM t GROUP BY g")
    kept.append(", ".join([row("2", 3), row("3", 2), row("4", 1)]))
    kept.refresh()
    kept.t.delete("g = 1 AND p = 2 OR g = 4")
    kept.refresh()
    kept.t.update(dict.fromkeys(NUMBERS, "NULL"), "g = 2")
    kept.refresh()


def test_extremes(kept: Kept) -> None:
    calls = [f"{f}({n}) AS {f}_{n}" for n in ALL for f in ("min", "max")]
    kept.view(f"SELECT g, count(*) AS c, {', '.join(calls)} FROM t GROUP BY g")
    kept.append(", ".join([row("2", 2), row("3", 3), row("4", 1)]))
    kept.refresh(loose=False)
    kept.t.delete("g = 1 AND p = 1 OR g = 2 AND p = 2 OR g = 4")
    kept.refresh(loose=False)
    kept.t.delete("g = 1 AND p = 2 OR g = 3 AND p = 3")
    kept.refresh(loose=False)


def test_counts_of_every_type(kept: Kept) -> None:
    calls = [f"count({n}) AS c_{n}" for n in ALL]
    kept.view(f"SELECT count(*) AS c, count(p, x, ar) AS several, {', '.join(calls)} FROM t")
    kept.append(", ".join([row("2", 0), row("3", 3)]))
    kept.refresh(loose=False)
    kept.t.delete("p > 0")
    kept.refresh(loose=False)
