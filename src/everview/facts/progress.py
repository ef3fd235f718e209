"""How far a refresh of several views is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """One thing that happened while views are refreshed: a step of a view began, or it ended.

    `step` is the name of the step that begins, or "done", "failed" or "skipped" of a view that
    ended. `done` of the `total` views of the run have ended, whichever way.
    """

    view: str
    step: str
    done: int
    total: int


Watcher = Callable[[Progress], object]
