"""What a strategy would cost: named quantities that add up, and the seconds they stand for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

# Measured on two cores at TPC-H scale factor 1. What they are on other machines and for other
# queries is learnt from receipts (facts/pace.py).
BYTES_READ_PER_SECOND = 60e6
BYTES_WRITTEN_PER_SECOND = 20e6
SECONDS_PER_ACTION = 0.25

# What the driver does by itself: changes of so many rows at most; of the bytes of the files that it
# looks at, the share that this costs beside a read by Spark; and the bytes of files that it writes
# anew rather than marking rows in them.
FEW_CHANGES = 200_000
LOCATED_SHARE = 0.1
MOST_REWRITTEN = 4_000_000

# Rows of a source that the driver fetches by itself, and the bytes of the columns that it looks at
# for them, as they are stored.
MOST_FETCHED_ROWS = 250_000
MOST_LOOKED_AT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes of files read and written, and actions submitted; `guessed` says what metadata did
    not. `pace` is how much longer than that such refreshes of the view took before.
    """

    bytes_read: int
    bytes_written: int
    actions: int
    guessed: tuple[str, ...] = ()
    pace: float = 1.0

    @property
    def seconds(self) -> float:
        return self.pace * self.plain_seconds

    @property
    def plain_seconds(self) -> float:
        """What is estimated where nothing is known of refreshes before."""
        return (
            self.bytes_read / BYTES_READ_PER_SECOND
            + self.bytes_written / BYTES_WRITTEN_PER_SECOND
            + self.actions * SECONDS_PER_ACTION
        )

    def advantage(self, other: Cost) -> str:
        """Where most of the seconds saved against the other come from."""
        reads = (other.bytes_read - self.bytes_read) / BYTES_READ_PER_SECOND
        writes = (other.bytes_written - self.bytes_written) / BYTES_WRITTEN_PER_SECOND
        actions = (other.actions - self.actions) * SECONDS_PER_ACTION
        if actions > max(reads, writes):
            jobs = "action" if self.actions == 1 else "actions"
            return f"{self.actions} {jobs} rather than {other.actions}"
        if reads >= writes:
            return f"reads {_share(self.bytes_read, other.bytes_read)} of the bytes"
        return f"writes {_share(self.bytes_written, other.bytes_written)} of the bytes"

    def with_comparison(self, stored: int) -> Cost:
        """The same with all rows compared with the stored ones, of so many bytes, for the views
        that read them: both are read once more. What those views then pay is what differs.
        """
        return replace(self, bytes_read=self.bytes_read + 2 * stored, actions=self.actions + 1)

    def to_dict(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "guessed": list(self.guessed),
            "seconds": round(self.seconds, 3),
        }


def _share(part: int, whole: int) -> str:
    share = 100 * part / max(1, whole)
    if share < 1:
        return "less than 1 %"
    return "a little less than 100 %" if share > 99 else f"{share:.0f} %"


NO_COST = Cost(0, 0, 0)
