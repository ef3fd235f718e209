"""PySpark prints every error that it raises, with Java's whole stack; ours say what is needed."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator

# PySpark's loggers of errors that have a place in a query; they print to stderr.
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class _NotOfThread(logging.Filter):
    """Leaves out what one thread logs."""

    def __init__(self, thread: int) -> None:
        super().__init__()
        self._thread = thread

    def filter(self, record: logging.LogRecord) -> bool:
        return record.thread != self._thread


@contextlib.contextmanager
def quiet_errors() -> Iterator[None]:
    """What this thread has Spark analyse or run fails without PySpark's own print: the error that
    is raised, or the answer that we take from it, is all there is to say.
    """
    from pyspark.logger import PySparkLogger  # which makes loggers of its own class

    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    silent = _NotOfThread(threading.get_ident())
    for logger in loggers:
        logger.addFilter(silent)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(silent)
