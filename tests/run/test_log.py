"""What the logger `everview` says: a record when a step begins, and nothing unless asked."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.spark.log import LOG, logged


def begun(records: list[logging.LogRecord]) -> list[tuple[str, str]]:
    """The steps that began, with the view or table each is about."""
    return [(r.view, r.step) for r in records if r.levelno == logging.INFO]  # type: ignore[attr-defined]


def test_a_record_when_a_step_begins_and_when_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="everview"), logged("sales", "append"):
        assert begun(caplog.records) == [("sales", "append")]
    start, end = caplog.records
    assert (start.levelname, start.getMessage()) == ("INFO", "sales: append")
    assert (end.levelname, end.view, end.step) == ("DEBUG", "sales", "append")  # type: ignore[attr-defined]
    assert end.getMessage().startswith("sales: append took ")


def test_a_step_that_fails_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.INFO, logger="everview"),
        pytest.raises(ZeroDivisionError),
        logged("v", "write"),
    ):
        _ = 1 / 0
    said = [r.getMessage() for r in caplog.records]
    assert said == ["v: write", "v: write failed: ZeroDivisionError"]
    assert {r.levelname for r in caplog.records} == {"INFO"}


def test_it_is_quiet_unless_asked(capfd: pytest.CaptureFixture[str]) -> None:
    assert LOG.name == "everview"
    assert LOG.level == logging.NOTSET
    with logged("v", "write"):
        pass
    assert capfd.readouterr() == ("", "")
    assert not any(isinstance(h, logging.StreamHandler) for h in LOG.handlers)


def test_the_steps_of_a_refresh_are_logged_under_its_names(
    spark_or_connect: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ev.open(tmp_path / "shop", spark=spark_or_connect) as wh:
        wh.sql("CREATE TABLE sales (id INT, city STRING, amount INT)")
        with caplog.at_level(logging.INFO, logger="everview"):
            wh.sql("INSERT INTO sales VALUES (1, 'Bern', 10), (2, 'Rome', 20)")
            wh.sql("UPDATE sales AS s SET amount = 11 WHERE s.id = 1")
            assert begun(caplog.records) == [("sales", "insert"), ("sales", "update")]
            caplog.clear()
            view = wh.create_materialized_view(
                "by_city",
                "SELECT city, max(amount) AS m FROM sales GROUP BY city",
                policy="INCREMENTAL STRICT",
            )
            assert ("by_city", "compare") in begun(caplog.records)
            wh.sql("DELETE FROM sales WHERE id = 2")
            steps: list[str] = []
            wh._world.probe = steps.append
            caplog.clear()
            view.refresh()
            assert steps[-1] == "refresh: committed"
            names = [s.removeprefix("refresh: ") for s in steps[:-1]]
            assert begun(caplog.records) == [("by_city", name) for name in names]
            assert len(names) >= 3
            caplog.clear()
            view.refresh()
            assert begun(caplog.records) == [], "nothing to do, nothing to say"
            view.verify()
            wh.table("sales").verify()
            assert begun(caplog.records) == [("by_city", "verify"), ("sales", "verify")]
