"""Group keys of every type, NULL among them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.numbers.kept import Kept

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAN = "DOUBLE('NaN')"
COLUMNS = (
    "id INT, x DOUBLE, f FLOAT, d DECIMAL(20,4), da DATE, bi BINARY, ts TIMESTAMP, b BOOLEAN, "
    "tn TIMESTAMP_NTZ, s STRING, l BIGINT, st STRUCT<a: DOUBLE, b: STRING>, ar ARRAY<INT>, v INT"
)
A = (
    "0.0D, 1.5F, 1.25, DATE'2024-02-29', X'00', TIMESTAMP'2024-03-31 01:30:00Z', true, "
    "TIMESTAMP_NTZ'2024-03-31 02:30:00', 'a', 9223372036854775807L, "
    "named_struct('a', 0.0D, 'b', NULL), array(1, NULL)"
)
B = (
    f"{NAN}, -0.0F, -99999999.9999, DATE'0001-01-01', X'00FF', TIMESTAMP'0002-01-01 00:00:00Z', "
    "false, TIMESTAMP_NTZ'0001-01-01 00:00:00', 'A', -9223372036854775808L, "
    f"named_struct('a', {NAN}, 'b', ''), array()"
)
C = (
    "-0.0D, FLOAT('NaN'), 0, DATE'9999-12-31', X'', TIMESTAMP'9998-12-31 23:59:59.999999Z', NULL, "
    "TIMESTAMP_NTZ'9999-12-31 00:00:00', '', 0, named_struct('a', -0.0D, 'b', NULL), array(NULL)"
)
N = ", ".join(["NULL"] * 12)


@pytest.mark.parametrize(
    "keys", ["x", "f, d", "da, bi", "ts, b", "tn, s", "l, ar", "st", "d % 1, upper(s)"]
)
def test_groups_are_found_by_their_key(keys: str, spark: SparkSession, tmp_path: Path) -> None:
    kept = Kept(spark, tmp_path)
    kept.table(COLUMNS, f"(1, {A}, 1), (2, {B}, 2), (3, {N}, 3), (4, {B}, 4), (5, {N}, 5)")
    kept.view(
        f"SELECT {keys}, sum(v) AS total, max(v) AS high FROM t GROUP BY {keys}".replace(
            "SELECT d % 1, upper(s),", "SELECT d % 1 AS part, upper(s) AS name,"
        )
    )
    kept.append(f"(6, {A}, 10), (7, {B}, 20), (8, {C}, 30), (9, {N}, 40)")
    kept.t.delete("id IN (4, 5)")
    kept.refresh(loose=False)
    kept.t.delete("id IN (1, 2, 6, 7, 9)")
    kept.refresh(loose=False)
