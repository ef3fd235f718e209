"""Ctrl-C while Spark works: our jobs are cancelled, then KeyboardInterrupt is raised."""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Seconds between two cancellations: a job may be submitted right after the first.
_AGAIN = 0.2


class Press:
    """Takes Ctrl-C in place of Python's and PySpark's handlers: it is noted, for the work to end
    where nothing is left half done. A second one is not waited for.
    """

    def __init__(self) -> None:
        self.pressed = False

    def on_press(self) -> None:
        """What the first Ctrl-C sets off."""

    def handle(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        self.on_press()

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """This handler, then the one that was there before."""
        before = signal.signal(signal.SIGINT, self.handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def may_handle() -> bool:
    """Whether Ctrl-C comes to this thread and nobody has a handler of his own for it."""
    if threading.current_thread() is not threading.main_thread():
        return False
    handler = signal.getsignal(signal.SIGINT)
    return handler is signal.default_int_handler or is_of_pyspark(handler)


def is_of_pyspark(handler: Any) -> bool:
    """Whether this is the handler of PySpark, which cancels every job of the application."""
    return str(getattr(handler, "__module__", "")).startswith("pyspark.")


class _Cancelling(Press):
    """Cancels what the sessions run. Tags would not do: a classic session knows only those of the
    thread that asks, and that one waits for the job.
    """

    def __init__(self, sessions: Sequence[SparkSession]) -> None:
        super().__init__()
        self._sessions = sessions
        self._over = threading.Event()

    def on_press(self) -> None:
        # A thread of `threading` could wait for a lock that the interrupted thread holds.
        _thread.start_new_thread(self._cancel_until_over, ())

    def _cancel_until_over(self) -> None:
        while not self._over.is_set():
            self.cancel()
            self._over.wait(_AGAIN)

    def cancel(self) -> None:
        for session in self._sessions:
            with contextlib.suppress(Exception):  # Spark may be ending
                session.interruptAll()

    def end(self) -> None:
        """Whatever is submitted from now on is somebody else's."""
        self._over.set()


_current: list[_Cancelling] = []  # of the main thread, the only one that Ctrl-C comes to


@contextlib.contextmanager
def interruptible(*sessions: SparkSession) -> Iterator[None]:
    """Ctrl-C inside cancels the jobs of these sessions and raises KeyboardInterrupt; what it comes
    upon besides, such as a commit, is finished first.
    """
    if _current or threading.current_thread() is not threading.main_thread():
        yield
        return
    work = _Cancelling(sessions)
    _current.append(work)
    try:
        with work.installed() if may_handle() else contextlib.nullcontext():
            yield
    except KeyboardInterrupt:
        if not work.pressed:  # it comes from a handler of the caller's
            work.cancel()
        raise
    except Exception:
        if work.pressed:
            raise KeyboardInterrupt from None
        raise
    finally:
        work.end()
        _current.pop()
    if work.pressed:
        raise KeyboardInterrupt


@contextlib.contextmanager
def raised_at_once() -> Iterator[None]:
    """Ctrl-C inside is KeyboardInterrupt at once, for a thread that waits for others: PySpark's
    handler would cancel what the caller runs too.
    """
    if not may_handle():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def raise_if_pressed() -> None:
    """KeyboardInterrupt if Ctrl-C was pressed since the work of this thread began."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and _current and _current[-1].pressed:
        raise KeyboardInterrupt
