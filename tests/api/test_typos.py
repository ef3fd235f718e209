"""A typo in Python shows our error, and nothing of PySpark's own."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import everview as ev

LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
MOST_LINES = 60


class _Noted(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def printed(spark: SparkSession) -> Iterator[list[logging.LogRecord]]:
    """What PySpark prints of its errors."""
    from pyspark.logger import PySparkLogger

    noted = _Noted()
    loggers = [PySparkLogger.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.handlers.append(noted)
    yield noted.records
    for logger in loggers:
        logger.handlers.remove(noted)


TYPOS: dict[str, Callable[[ev.Warehouse], object]] = {
    "keyword": lambda wh: wh.sql("selec 1"),
    "column": lambda wh: wh.sql("SELECT nam FROM t"),
    "function": lambda wh: wh.sql("SELECT cuont(*) FROM t"),
    "column of a view": lambda wh: wh.create_materialized_view("v", "SELECT nam FROM t"),
    "function of a view": lambda wh: wh.create_materialized_view("v", "SELECT cuont(*) FROM t"),
    "clause of a view": lambda wh: wh.create_materialized_view("v", "SELECT id FROM t wher id"),
    "column of a plain view": lambda wh: wh.create_view("v", "SELECT nam FROM t"),
    "condition": lambda wh: wh.table("t").delete("nam = 1"),
    "value": lambda wh: wh.table("t").update({"name": "nam"}),
    "statement": lambda wh: wh.sql("INSERT INTO t SELECT nam, 'x' FROM t"),
    "delete": lambda wh: wh.sql("DELETE FROM t WHERE nam = 1"),
}


def test_a_typo_shows_our_error_alone(
    spark: SparkSession, tmp_path: Path, printed: list[logging.LogRecord]
) -> None:
    with ev.open(tmp_path, spark=spark) as wh:
        wh.create_table("t", "id INT, name STRING")
        for what, typo in TYPOS.items():
            with pytest.raises(ev.EverviewError) as caught:
                typo(wh)
            shown = traceback.format_exception(caught.value)
            text = "".join(shown)
            assert "direct cause" not in text, what
            assert "another exception occurred" not in text, what
            assert "Py4J" not in text, what
            assert len(text.splitlines()) < MOST_LINES, what
            assert text.rstrip().endswith(str(caught.value).rstrip()), what
            assert printed == [], what
        # What the caller asks of Spark himself is as it was.
        with pytest.raises(PySparkException):
            spark.sql("SELECT nam FROM range(1)")
        assert printed
