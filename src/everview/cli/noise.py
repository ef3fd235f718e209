"""What Spark's process writes goes to a file, so that a terminal and a pipe show results only."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TAIL = 15


@dataclass
class SparkLog:
    """The file that Spark's process writes to; it goes at the end unless it is kept."""

    path: Path
    kept: bool = False

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="replace")

    def tail(self, lines: int = _TAIL) -> str:
        return "\n".join(self.text().splitlines()[-lines:])

    def keep(self) -> None:
        """Leave the file for the user to read."""
        self.kept = True


@contextlib.contextmanager
def spark_log() -> Iterator[SparkLog]:
    """While Spark runs, descriptor 2 leads to a file: Java, Python's workers and warnings."""
    descriptor, name = tempfile.mkstemp(prefix="everview-spark-", suffix=".log")
    os.close(descriptor)
    log = SparkLog(Path(name))
    try:
        with log.path.open("ab") as file, _leading(2, file.fileno()):
            yield log
    finally:
        if not log.kept:
            log.path.unlink(missing_ok=True)


@contextlib.contextmanager
def starting(log: SparkLog) -> Iterator[None]:
    """While Spark starts, stdout is silent too: its process keeps what it inherits then."""
    with log.path.open("ab") as file, _leading(1, file.fileno()):
        yield


@contextlib.contextmanager
def _leading(descriptor: int, elsewhere: int) -> Iterator[None]:
    _flush()
    kept = os.dup(descriptor)
    os.dup2(elsewhere, descriptor)
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, descriptor)
        os.close(kept)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # its reader may be gone
            stream.flush()
