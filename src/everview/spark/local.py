"""A Spark session of our own making, for a caller who brings none."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from everview.settings import Settings
from everview.spark.engine import is_connect
from everview.spark.java import prepare
from everview.spark.java_process import ended_if_interrupted
from everview.spark.log import logged

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}


def local_session(settings: Settings) -> SparkSession:
    """The running session if there is one, else a new one on this machine's cores."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        # The active one may be the session that another open warehouse has beside its caller's.
        return running if is_connect(running) else SparkSession.builder.getOrCreate()
    with logged("Spark", "start"), _surroundings[-1]():
        prepare()
        cores = settings.cores or "*"
        builder = SparkSession.builder.master(f"local[{cores}]").appName("everview")
        for key, value in {**_SETTINGS, "spark.driver.memory": settings.memory}.items():
            builder = builder.config(key, value)
        with ended_if_interrupted():
            return builder.getOrCreate()


Surrounding = Callable[[], AbstractContextManager[None]]
_surroundings: list[Surrounding] = [contextlib.nullcontext]


@contextlib.contextmanager
def starting_within(surrounding: Surrounding) -> Iterator[None]:
    """A session that is started meanwhile is started inside that context: the command line leads
    what Spark then says elsewhere.
    """
    _surroundings.append(surrounding)
    try:
        yield
    finally:
        _surroundings.pop()
