"""The Java process that PySpark starts for us, and its end when Ctrl-C is pressed."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from everview.spark.interrupts import Press, is_of_pyspark, may_handle

# Seconds that Java may take to remove its temporary files.
_PATIENCE = 5.0
_started: list[subprocess.Popen[bytes]] = []


class _Starting(Press):
    """Until Java answers, Ctrl-C ends it at once; then PySpark would keep a connection to what
    is gone, so Spark is first let finish its start.
    """

    def on_press(self) -> None:
        from pyspark import SparkContext

        if SparkContext._gateway is None:
            raise KeyboardInterrupt


@contextlib.contextmanager
def ended_if_interrupted() -> Iterator[None]:
    """While PySpark starts Spark, Ctrl-C raises KeyboardInterrupt and leaves no Java behind; a
    handler that the caller had installed before is his again afterwards.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    start = _Starting()
    before = signal.getsignal(signal.SIGINT)
    is_free = may_handle()
    if is_free:
        signal.signal(signal.SIGINT, start.handle)
    known = len(_started)
    try:
        with _noted():
            yield
    except KeyboardInterrupt:
        for process in _started[known:]:
            _kill(process)
        raise
    finally:
        now = signal.getsignal(signal.SIGINT)
        # PySpark's own handler, which cancels jobs, is better than Python's for the caller's.
        if not (is_free and is_of_pyspark(now)):
            signal.signal(signal.SIGINT, before)
    if start.pressed:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    """Note the processes that PySpark starts: it keeps Java to itself until it answers."""
    java_gateway: Any = import_module("pyspark.java_gateway")
    original = java_gateway.Popen

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] = original(*arguments, **options)
        _started.append(process)
        return process

    java_gateway.Popen = start
    try:
        yield
    finally:
        java_gateway.Popen = original


def end_java() -> None:
    """End the Java of this program: asked first, then without asking, at once if Ctrl-C is
    pressed.
    """
    for process in _started:
        try:
            if process.stdin is not None:
                process.stdin.close()  # Spark's gateway ends with its input
            process.wait(_PATIENCE)
        except (OSError, subprocess.TimeoutExpired, KeyboardInterrupt):
            _kill(process)


def let_java_end(seconds: float) -> None:
    """Let the Java of this program end, and wait for that at most so long."""
    for process in _started:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if process.stdin is not None:
                process.stdin.close()
            process.wait(seconds)


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
