"""Ctrl-C on the command line, as a terminal sends it: to the program and all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from pyspark.sql import SparkSession

import everview as ev
from tests.slow import VIEW, make_slow, wait_for_job

LINE = "interrupted; what was not committed is not there\n"


@pytest.fixture
def slow(spark: SparkSession, tmp_path: Path) -> Path:
    make_slow(spark, tmp_path / "slow")
    return tmp_path / "slow"


def begin(*arguments: str) -> subprocess.Popen[str]:
    """The program in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "everview", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def group(program: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes of the program's group that still run."""
    found = []
    for process in psutil.process_iter():
        try:
            is_own = os.getpgid(process.pid) == program.pid
            if is_own and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def end_of(program: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr after Ctrl-C; nothing of the program's group is left."""
    os.killpg(program.pid, signal.SIGINT)
    try:
        out, err = program.communicate(timeout=60)
        end = time.monotonic() + 5
        while group(program) and time.monotonic() < end:
            time.sleep(0.1)
        assert group(program) == []
        return program.returncode, out, err
    finally:
        for process in group(program):
            process.kill()


@pytest.mark.parametrize("command", [("refresh", "--full"), ("verify", "--all")])
def test_while_a_job_runs(slow: Path, spark: SparkSession, command: tuple[str, ...]) -> None:
    before = ev.open(slow, spark=spark).view(VIEW)
    rows, history = before.to_df().collect(), before.history()
    program = begin(*command, "-w", str(slow))
    if command[0] == "refresh":
        wait_for_job(slow)
    else:
        wait_for_work(program)
    assert end_of(program) == (130, "", LINE)
    with ev.open(slow, spark=spark) as wh:
        assert wh.view(VIEW).to_df().collect() == rows
        assert wh.view(VIEW).history() == history
        assert wh.view(VIEW).verify().ok


def wait_for_work(program: subprocess.Popen[str]) -> None:
    """Until Java has computed for some seconds, which is more than its start takes."""
    end = time.monotonic() + 120
    while sum(sum(p.cpu_times()[:2]) for p in group(program) if p.name() == "java") < 20:
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.spark
@pytest.mark.parametrize("after", [0.0, 1.0, 3.0])
def test_while_spark_starts(tmp_path: Path, after: float) -> None:
    program = begin("sql", "SELECT 1", "-w", str(tmp_path / "new"))
    end = time.monotonic() + 60
    while not any("spark" in " ".join(p.cmdline()[1:]) for p in group(program)[1:]):
        assert time.monotonic() < end, "Java was not started"
        time.sleep(0.02)
    time.sleep(after)
    code, _, err = end_of(program)
    assert (code, err) == (130, LINE)
