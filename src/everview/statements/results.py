"""What statements give back: small DataFrames, as Spark's own statements do."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from everview.errors import EverviewError
from everview.facts.failures import in_short
from everview.facts.keys import KeyCheck
from everview.facts.receipts import Receipt, Verification

RECEIPTS = (
    "view STRING, strategy STRING, reason STRING, rows_inserted BIGINT, rows_updated BIGINT, "
    "rows_deleted BIGINT, actions INT, seconds DOUBLE"
)
VERIFICATIONS = (
    "view STRING, ok BOOLEAN, rows BIGINT, missing BIGINT, unexpected BIGINT, sample STRING, "
    "seconds DOUBLE, error STRING, outcome STRING, compared ARRAY<STRING>, "
    "possible ARRAY<STRING>, left_out ARRAY<STRING>, why_not STRING"
)
KEY_CHECKS = (
    "table STRING, constraint STRING, ok BOOLEAN, violations BIGINT, sample STRING, version BIGINT"
)
ROW_CHANGES = "version BIGINT, rows_inserted BIGINT, rows_updated BIGINT, rows_deleted BIGINT"
DROPPED = "name STRING, kind STRING"
COMPACTED = "name STRING, version BIGINT, files_before BIGINT, files_after BIGINT"
VACUUMED = "path STRING"
COLUMNS = "col_name STRING, data_type STRING, comment STRING"


def rows_frame(spark: SparkSession, rows: Iterable[Sequence[Any]], schema: str) -> DataFrame:
    return spark.createDataFrame([tuple(r) for r in rows], schema)


def done(spark: SparkSession) -> DataFrame:
    """Of a statement that has nothing to say."""
    return rows_frame(spark, [], "result STRING")


def text_frame(spark: SparkSession, text: str, column: str = "plan") -> DataFrame:
    return rows_frame(spark, [(text,)], f"{column} STRING")


def receipts_frame(spark: SparkSession, receipts: Iterable[Receipt]) -> DataFrame:
    rows = [
        (
            r.view,
            r.strategy,
            r.reason,
            r.rows_inserted,
            r.rows_updated,
            r.rows_deleted,
            r.actions,
            float(round(r.total_seconds, 3)),  # the sum of no steps is a whole number
        )
        for r in receipts
    ]
    return rows_frame(spark, rows, RECEIPTS)


def verifications_frame(
    spark: SparkSession, found: Iterable[Verification | tuple[str, EverviewError]]
) -> DataFrame:
    """A row per view; of one that could not be verified its name and error alone."""
    rows: list[tuple[Any, ...]] = []
    for v in found:
        if isinstance(v, tuple):
            rows.append((v[0], *[None] * 6, in_short(v[1]), *[None] * 5))
            continue
        samples = [f"missing: {s}" for s in v.missing_sample[:1]]
        samples += [f"unexpected: {s}" for s in v.unexpected_sample[:1]]
        counts = (v.view, v.ok, v.rows, v.missing, v.unexpected, "; ".join(samples) or None)
        extent = (list(v.compared), list(v.possible), list(v.left_out), v.why_not or None)
        rows.append((*counts, v.seconds, None, v.outcome, *extent))
    return rows_frame(spark, rows, VERIFICATIONS)


def checks_frame(spark: SparkSession, checks: Iterable[KeyCheck]) -> DataFrame:
    rows = [
        (c.table, c.constraint, c.ok, c.violations, c.sample or None, c.version) for c in checks
    ]
    return rows_frame(spark, rows, KEY_CHECKS)


def moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def like(names: Iterable[str], pattern: str | None) -> list[str]:
    """The names that fit a pattern of SHOW ... LIKE: * or % for any text, | for or."""
    if pattern is None:
        return list(names)
    wanted = [p.strip().replace("%", "*").lower() for p in pattern.split("|")]
    return [n for n in names if any(fnmatch.fnmatchcase(n.lower(), p) for p in wanted)]
