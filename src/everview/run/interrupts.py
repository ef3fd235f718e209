"""Ctrl-C while Spark works: our jobs are cancelled, then KeyboardInterrupt is raised."""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
import uuid
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
    """Cancels the jobs that the sessions run under a tag."""

    def __init__(self, sessions: Sequence[SparkSession]) -> None:
        super().__init__()
        self._sessions = sessions
        self._tag = f"everview-{uuid.uuid4().hex}"
        self._over = threading.Event()

    def on_press(self) -> None:
        # The interrupted thread waits for Spark's answer, and another connection is another
        # thread's; one of `threading` could wait for a lock that the interrupted thread holds.
        _thread.start_new_thread(self._cancel_until_over, ())

    def _cancel_until_over(self) -> None:
        while not self._over.is_set():
            self.cancel()
            self._over.wait(_AGAIN)

    def cancel(self) -> None:
        for session in self._sessions:
            with contextlib.suppress(Exception):  # Spark may be ending
                session.interruptTag(self._tag)

    @contextlib.contextmanager
    def tagged(self) -> Iterator[None]:
        for session in self._sessions:
            session.addTag(self._tag)
        try:
            yield
        finally:
            self._over.set()
            for session in self._sessions:
                with contextlib.suppress(Exception):
                    session.removeTag(self._tag)


_current: list[_Cancelling] = []  # of the main thread, the only one that Ctrl-C comes to


@contextlib.contextmanager
def interruptible(*sessions: SparkSession) -> Iterator[None]:
    """Ctrl-C inside cancels the jobs that this thread has these sessions run and raises
    KeyboardInterrupt; what it comes upon besides, such as a commit, is finished first.
    """
    if _current or threading.current_thread() is not threading.main_thread():
        yield
        return
    work = _Cancelling(list({id(s): s for s in sessions}.values()))
    with work.tagged():
        try:
            if may_handle():
                with work.installed(), _as_current(work):
                    yield
            else:
                yield
        except KeyboardInterrupt:
            work.cancel()
            raise
        except Exception:
            if work.pressed:
                raise KeyboardInterrupt from None
            raise
        if work.pressed:
            raise KeyboardInterrupt


@contextlib.contextmanager
def _as_current(work: _Cancelling) -> Iterator[None]:
    _current.append(work)
    try:
        yield
    finally:
        _current.pop()


def raise_if_pressed() -> None:
    """KeyboardInterrupt if Ctrl-C was pressed since the work of this thread began."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and _current and _current[-1].pressed:
        raise KeyboardInterrupt
