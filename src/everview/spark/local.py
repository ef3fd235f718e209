"""A Spark session of our own making, for a caller who brings none."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everview.settings import Settings
from everview.spark.engine import is_connect
from everview.spark.java import prepare
from everview.spark.java_options import Options, added_to, java_options, makes_archive
from everview.spark.java_process import ended_if_interrupted, let_java_end
from everview.spark.log import logged

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    # Else PySpark tells Java at every function of a column where in Python it was called.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}


def local_session(settings: Settings) -> SparkSession:
    """The running session if there is one, else a new one on this machine's cores."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        # The active one may be the session that another open warehouse has beside its caller's.
        return running if is_connect(running) else SparkSession.builder.getOrCreate()
    start = _starts[-1]
    with logged("Spark", "start"), start.surrounding():
        java = prepare()
        cores = settings.cores or "*"
        builder = SparkSession.builder.master(f"local[{cores}]").appName("everview")
        for key, value in {**_SETTINGS, "spark.driver.memory": settings.memory}.items():
            builder = builder.config(key, value)
        options = java_options(java, settings, short=start.short)
        start.options.append(options)
        with added_to(os.environ, options), ended_if_interrupted():
            return builder.getOrCreate()


Surrounding = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class _Start:
    surrounding: Surrounding
    short: bool
    options: list[Options] = field(default_factory=list)


_starts = [_Start(contextlib.nullcontext, short=False)]
# Seconds that Java may take to write an archive of Spark's classes.
_PATIENCE = 120.0


@contextlib.contextmanager
def starting_within(surrounding: Surrounding, *, waits: bool = True) -> Iterator[None]:
    """A session that is started meanwhile is started inside that context, for a program that runs
    one command: the command line leads what Spark then says elsewhere.

    An archive of Spark's classes that is begun is waited for if `waits`: a container ends with
    its program, and with it would Java.
    """
    start = _Start(surrounding, short=True)
    _starts.append(start)
    try:
        yield
    finally:
        _starts.pop()
    if waits and any(map(makes_archive, start.options)):
        let_java_end(_PATIENCE)
