"""Ctrl-C in Python: KeyboardInterrupt, our job cancelled, everything as before."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import everview as ev
from tests.slow import SQL, VIEW, make_slow, wait_for_jobs


def press_when_busy(spark: SparkSession, jobs: int) -> threading.Thread:
    def press() -> None:
        wait_for_jobs(spark, jobs)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    return thread


def test_a_refresh_is_interrupted(
    spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make_slow(spark, tmp_path)
    handler = signal.getsignal(signal.SIGINT)
    with ev.open(tmp_path, spark=spark) as wh, ThreadPoolExecutor(1) as other:
        view = wh.view(VIEW)
        rows, history = view.to_df().collect(), view.history()
        # What the caller runs elsewhere goes on.
        own = other.submit(spark.sql("SELECT count(*) FROM range(300000000L)").collect)
        capfd.readouterr()
        pressing = press_when_busy(spark, 2)
        with pytest.raises(KeyboardInterrupt) as caught:
            view.refresh(full=True)
        pressing.join()
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__
        assert "Traceback" not in capfd.readouterr().err
        assert own.result()[0][0] == 300_000_000
        assert spark.sparkContext.statusTracker().getActiveJobsIds() == []
        assert signal.getsignal(signal.SIGINT) is handler
        assert view.to_df().collect() == rows
        assert view.history() == history
        wh.table("t").overwrite(spark.range(12))
        view.refresh()
        assert view.verify().ok


def test_a_handler_of_the_caller_stays(spark: SparkSession, tmp_path: Path) -> None:
    pressed: list[int] = []

    def own(number: int, frame: Any) -> None:
        pressed.append(number)

    before = signal.signal(signal.SIGINT, own)
    try:
        with ev.open(tmp_path, spark=spark) as wh:
            wh.create_table("t", spark.range(9))
            view = wh.create_materialized_view("v", SQL)
            wh.table("t").append(spark.range(9, 20_000))  # long enough to be seen at work
            pressing = press_when_busy(spark, 1)
            view.refresh(full=True)
            pressing.join()
            assert pressed == [signal.SIGINT]
            assert view.verify().ok
    finally:
        signal.signal(signal.SIGINT, before)
