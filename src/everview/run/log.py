"""What Everview says while it works: one record when a step begins, one when it ends."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator

LOG = logging.getLogger("everview")


@contextlib.contextmanager
def logged(name: str, step: str) -> Iterator[None]:
    """A step of a table or view: INFO when it begins, DEBUG with its seconds when it ends.

    The records carry `view` and `step`, for handlers that show progress.
    """
    about = {"view": name, "step": step}
    LOG.info("%s: %s", name, step, extra=about)
    begun = time.perf_counter()
    try:
        yield
    except BaseException as error:
        LOG.info("%s: %s failed: %s", name, step, type(error).__name__, extra=about)
        raise
    LOG.debug("%s: %s took %.2f s", name, step, time.perf_counter() - begun, extra=about)
