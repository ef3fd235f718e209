"""A Spark session of our own making, for a caller who brings none."""

from __future__ import annotations

from pyspark.sql import SparkSession

from everview.run.java import prepare

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.session.timeZone": "UTC",
}


def local_session() -> SparkSession:
    """The running session if there is one, else a new one on this machine's cores."""
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    prepare()
    builder = SparkSession.builder.master("local[*]").appName("everview")
    for key, value in _SETTINGS.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
