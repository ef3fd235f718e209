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
from tests.slow import VIEW, make_slow, until

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
        until(lambda: not group(program), 30)
        return program.returncode, out, err
    finally:
        for process in group(program):
            process.kill()


def ended(err: str) -> str:
    """What is said at the end; a step that takes long was named before."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.endswith(" ...\n"))


def is_spark(process: psutil.Process) -> bool:
    try:
        return "spark" in " ".join(process.cmdline()[1:])
    except psutil.NoSuchProcess:
        return False


def logging_events(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a Spark that is started from now on tells what it does."""
    events, settings = folder / "events", folder / "settings"
    events.mkdir()
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.compress false\n"
        f"spark.eventLog.dir file://{events}\nspark.eventLog.rolling.enabled false\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(settings))
    return events


@pytest.mark.parametrize("command", [("refresh", "--full"), ("verify", "--all")])
def test_while_a_job_runs(
    slow: Path, spark: SparkSession, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ev.open(slow, spark=spark).view(VIEW)
    rows, history = before.to_df().collect(), before.history()
    events = logging_events(slow.parent, monkeypatch)
    program = begin(*command, "-w", str(slow))
    until(lambda: any("SparkListenerJobStart" in f.read_text() for f in events.iterdir()))
    time.sleep(1)
    code, out, err = end_of(program)
    assert (code, out, ended(err)) == (130, "", LINE)
    with ev.open(slow, spark=spark) as wh:
        assert wh.view(VIEW).to_df().collect() == rows
        assert wh.view(VIEW).history() == history
        assert wh.view(VIEW).verify().ok


@pytest.mark.spark
@pytest.mark.parametrize("after", [0.0, 1.0, 2.0])
def test_while_spark_starts(tmp_path: Path, after: float) -> None:
    program = begin("sql", "SELECT 1", "-w", str(tmp_path / "new"))
    until(lambda: any(is_spark(p) for p in group(program)[1:]))
    time.sleep(after)
    code, _, err = end_of(program)
    assert (code, ended(err)) == (130, LINE)
