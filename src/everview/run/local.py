"""A Spark session of our own making, for a caller who brings none."""

from __future__ import annotations

from pyspark.sql import SparkSession

from everview.run.engine import is_connect
from everview.run.java import prepare
from everview.run.log import logged
from everview.settings import Settings

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}


def local_session(settings: Settings) -> SparkSession:
    """The running session if there is one, else a new one on this machine's cores."""
    running = SparkSession.getActiveSession()
    if running is not None:
        # The active one may be the session that another open warehouse has beside its caller's.
        return running if is_connect(running) else SparkSession.builder.getOrCreate()
    prepare()
    cores = settings.cores or "*"
    builder = SparkSession.builder.master(f"local[{cores}]").appName("everview")
    for key, value in {**_SETTINGS, "spark.driver.memory": settings.memory}.items():
        builder = builder.config(key, value)
    with logged("Spark", "start"):
        return builder.getOrCreate()
