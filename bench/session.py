"""The one Spark session in which all contestants run."""

from __future__ import annotations

from pyspark.sql import SparkSession

import everview as ev
from bench.delta_merge import CONFIGURATION
from everview.spark.java import prepare

SHUFFLE_PARTITIONS = 8  # what the full recompute and the hand-written ways are best off with here
_QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": str(SHUFFLE_PARTITIONS),
}
SETTINGS = ev.Settings(compare_bytes=0)  # what is compared at creation is not what is measured


def started(*, delta: bool) -> tuple[SparkSession, str]:
    """The session, and why Delta's connector is not in it, "" if it is."""
    prepare()
    if not delta:
        return _started({}), "not asked for"
    try:
        return _started(CONFIGURATION), ""
    except Exception as error:  # the JVM ends when a package cannot be fetched
        why = str(error).strip().splitlines()
        return _started({}), f"jar not there ({why[0] if why else type(error).__name__})"


def _started(more: dict[str, str]) -> SparkSession:
    builder = SparkSession.builder.master("local[*]").appName("everview-bench")
    for key, value in {**_QUIET, **more}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
