"""What a strategy would cost: named quantities that add up, and the seconds they stand for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# Measured on two cores at TPC-H scale factor 1; only their ratio decides anything.
BYTES_READ_PER_SECOND = 60e6
BYTES_WRITTEN_PER_SECOND = 20e6
SECONDS_PER_ACTION = 0.25


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes of files read and written, and actions submitted; `guessed` says what metadata did
    not.
    """

    bytes_read: int
    bytes_written: int
    actions: int
    guessed: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        return (
            self.bytes_read / BYTES_READ_PER_SECOND
            + self.bytes_written / BYTES_WRITTEN_PER_SECOND
            + self.actions * SECONDS_PER_ACTION
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "guessed": list(self.guessed),
            "seconds": round(self.seconds, 3),
        }


NOTHING = Cost(0, 0, 0)
