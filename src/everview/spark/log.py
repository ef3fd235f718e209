"""What Everview says while it works: one record when a step begins, one when it ends."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

LOG = logging.getLogger("everview")
Listener = Callable[[str, str], None]
_listener: ContextVar[Listener | None] = ContextVar("everview_listener", default=None)


@contextlib.contextmanager
def heard(listener: Listener) -> Iterator[None]:
    """The listener is told the name and the step of what this thread begins inside; unlike a
    handler of the log it hears nothing of other threads, and no level has to be set.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextlib.contextmanager
def logged(name: str, step: str) -> Iterator[None]:
    """A step of a table or view: INFO when it begins, DEBUG with its seconds when it ends.

    The records carry `view` and `step`, for handlers that show progress.
    """
    about = {"view": name, "step": step}
    LOG.info("%s: %s", name, step, extra=about)
    listener = _listener.get()
    if listener is not None:
        listener(name, step)
    begun = time.perf_counter()
    try:
        yield
    except BaseException as error:
        LOG.info("%s: %s failed: %s", name, step, type(error).__name__, extra=about)
        raise
    LOG.debug("%s: %s took %.2f s", name, step, time.perf_counter() - begun, extra=about)
