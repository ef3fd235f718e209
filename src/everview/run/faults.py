"""The named places where a refresh or a write can die, for tests that make it die there."""

from __future__ import annotations

from collections.abc import Callable

FaultProbe = Callable[[str], None]


def no_fault(place: str) -> None:
    """Reaching a place does nothing."""


REFRESH_PLACES = (
    "refresh: parts",
    "refresh: changes",
    "refresh: lost",
    "refresh: rows",
    "refresh: copies",
    "refresh: write",
    "refresh: commit",
    "refresh: committed",
)
COMPACT_PLACE = "refresh: compact"  # where a failure fails no refresh
WRITE_PLACES = ("write: find", "write: write", "write: commit", "write: committed")
