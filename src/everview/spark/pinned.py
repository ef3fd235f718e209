"""The SQL settings that give a text its meaning, recorded when a view is created."""

from __future__ import annotations

import contextlib

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

RECORDED = (
    "spark.sql.ansi.enabled",
    "spark.sql.ansi.doubleQuotedIdentifiers",
    "spark.sql.ansi.enforceReservedKeywords",
    "spark.sql.caseSensitive",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.groupByAliases",
    "spark.sql.groupByOrdinal",
    "spark.sql.mapKeyDedupPolicy",
    "spark.sql.orderByOrdinal",
    "spark.sql.parser.escapedStringLiterals",
    "spark.sql.parser.quotedRegexColumnNames",
    "spark.sql.session.timeZone",
    "spark.sql.timestampType",
)


def pinned_settings(spark: SparkSession) -> dict[str, str]:
    """The settings of the caller's session that affect results, legacy flags it has set
    included.
    """
    found: dict[str, str] = {}
    for key in RECORDED:
        with contextlib.suppress(PySparkException):
            value = spark.conf.get(key, None)
            if value is not None:
                found[key] = value
    with contextlib.suppress(PySparkException, AttributeError, NotImplementedError):
        for key, value in spark.conf.getAll.items():
            if key.startswith("spark.sql.legacy."):
                found[key] = value
    return found
