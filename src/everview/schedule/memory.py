"""What a scheduler remembers of a view from one look to the next, also when it is stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

# Milliseconds until the first try after a failure, and the most there are between two.
FIRST_PAUSE = 10_000
LONGEST_PAUSE = 600_000
_MOST_DOUBLINGS = 16


@dataclass(frozen=True, slots=True)
class Memory:
    """Times are milliseconds since the epoch. `served` is the moment of its schedule that was the
    last to be answered, None before the first. `tries` failed since one went well, the last `at`,
    the next at `next_try`; `error` says why. `seconds` is how long the last run took in which the
    view was refreshed, with those below it and others.
    """

    served: int | None = None
    tries: int = 0
    next_try: int = 0
    at: int | None = None
    seconds: float = 0.0
    error: Mapping[str, Any] | None = None

    def answered(self, moment: int) -> Memory:
        """The moment has come, and nothing was to be done."""
        return replace(self, served=moment)

    def succeeded(self, now: int, seconds: float, moment: int | None) -> Memory:
        """A refresh went well; it answered a moment of its schedule, or none if another view asked
        for it.
        """
        served = self.served if moment is None else moment
        took = seconds if seconds > 0 else self.seconds  # nothing was to be done
        return Memory(served=served, at=now, seconds=took)

    def failed(self, now: int, error: Mapping[str, Any]) -> Memory:
        """A refresh failed: the pause until the next is twice as long as the one before."""
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self.tries, _MOST_DOUBLINGS))
        return replace(self, tries=self.tries + 1, at=now, next_try=now + pause, error=error)

    @property
    def failing(self) -> dict[str, Any] | None:
        """What status says of a view whose refreshes fail; None of another."""
        if self.error is None:
            return None
        told = ("tries", "at", "next_try", "error")
        return {name: getattr(self, name) for name in told}

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(raw: Mapping[str, Any]) -> Memory:
        known = {name: raw[name] for name in Memory.__slots__ if name in raw}
        return Memory(**known)
