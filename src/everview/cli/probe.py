"""Starting Spark in a process of its own, with a time limit: what it said becomes a value."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from everview.cli.spark_trouble import trouble

_MARK = "everview probe: "
# Spark says of itself that it started; a query shows that it also works.
_NUMBERS = 10


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether Spark started, how fast, and what the warehouse holds; else why not."""

    ok: bool
    version: str = ""
    seconds: float = 0.0
    what: str = ""
    remedy: str = ""
    log: str = ""
    tables: int = 0
    views: int = 0
    behind: int = 0
    error: dict[str, str] | None = None  # of the warehouse


def probe(warehouse: str | None, seconds: float) -> Probe:
    """Start Spark elsewhere and wait for it at most so long; the log stays if it fails."""
    descriptor, name = tempfile.mkstemp(prefix="everview-doctor-", suffix=".log")
    with os.fdopen(descriptor, "wb") as log:
        process = subprocess.Popen(
            _command(warehouse),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
            found = _answer(Path(name))
        except subprocess.TimeoutExpired:
            found = Probe(
                ok=False,
                what=f"It did not start within {seconds:g} seconds.",
                remedy="Read the log, or give it longer: everview doctor --seconds 180.",
                log=name,
            )
        finally:
            _end(process)
    if found.ok:
        Path(name).unlink()
    return found


def _command(warehouse: str | None) -> list[str]:
    return [sys.executable, "-m", "everview.cli.probe", *([warehouse] if warehouse else [])]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and the Java it started, which share a group of their own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _answer(log: Path) -> Probe:
    """What the other process said last, else what its log shows."""
    text = log.read_text(encoding="utf-8", errors="replace")
    for line in reversed(text.splitlines()):
        if line.startswith(_MARK):
            return Probe(**json.loads(line.removeprefix(_MARK)))
    found = trouble(text)
    return Probe(ok=False, what=found.what, remedy=found.remedy, log=str(log))


def started(warehouse: str | None) -> Probe:
    """Start Spark here, run a query, and look at the warehouse if one is given."""
    import time

    import everview

    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, everview.open(folder) as own:
        spark = own.spark
        if spark.range(_NUMBERS).count() != _NUMBERS:
            raise AssertionError("Spark miscounts")
        seconds = round(time.perf_counter() - begun, 2)
        if warehouse is None:
            return Probe(True, spark.version, seconds)
        try:
            with everview.open(warehouse, spark=spark, create=False) as wh:
                statuses = wh.status()
                behind = sum(not s.is_up_to_date for s in statuses)
                counts = len(wh.tables()), len(wh.views()), behind
                broken = [s.error for s in statuses if s.error]
            if broken:
                said = {"what": broken[0]["what"], "remedy": broken[0]["remedy"]}
                return Probe(True, spark.version, seconds, error=said)
        except everview.EverviewError as error:
            said = {"what": error.what, "remedy": error.remedy}
            return Probe(True, spark.version, seconds, error=said)
    return Probe(True, spark.version, seconds, "", "", "", *counts)


def _main(arguments: list[str]) -> None:
    """Answer on stdout, on one marked line among whatever else is written there."""
    found = started(arguments[0] if arguments else None)
    sys.stdout.write(f"\n{_MARK}{json.dumps(asdict(found))}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _main(sys.argv[1:])
