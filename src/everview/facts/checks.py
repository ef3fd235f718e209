"""The checks that a refresh makes while it computes: what each one raises, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Check:
    """Something that must not be, and what follows if it is.

    fail: the changes, or the stored rows, are not what they must be. The refresh fails, whatever
    the policy: a full one would hide that something is wrong.
    full: nothing is wrong, but exact arithmetic ends there. The view is recomputed in full, with
    this reason, unless the policy forbids it.
    """

    name: str
    found: str  # the sentence that a user reads
    answer: Literal["fail", "full"]

    @property
    def raised(self) -> str:
        """The message of the error that the query raises: no other error has exactly this one."""
        return f"everview check {self.name}"


# What a query raises where Spark itself would raise SCALAR_SUBQUERY_TOO_MANY_ROWS: the text or the
# data is at fault, no check of ours.
TOO_MANY_ROWS = "a scalar subquery gave more than one row"

REMEDY = "Nothing was published; refresh(full=True) rebuilds the view."

GROUP_BELOW_ZERO = Check(
    "group below zero", "The changes delete rows that the stored view does not count", "fail"
)
ROW_BELOW_ZERO = Check(
    "row below zero",
    "The changes of a source insert rows that the source does not hold afterwards",
    "fail",
)
COPIES_MISSING = Check("copies missing", "Rows to delete are not stored in as many copies", "fail")
ROWS_MISCOUNTED = Check(
    "rows miscounted", "The rows written are not those stored and changed", "fail"
)
WEIGHT_TOO_LARGE = Check(
    "weight too large",
    "a row was inserted or deleted more often than sums can be changed by exactly",
    "full",
)
SUM_OVERFLOWED = Check(
    "sum overflowed", "a stored sum had overflowed and cannot be changed", "full"
)
AVERAGE_TOO_LARGE = Check(
    "average too large", "an average of decimals has too many rows or digits to be exact", "full"
)
FILE_UNKNOWN = Check(
    "file unknown", "A file is not of the size that the log of its table says", "fail"
)
CHANGE_UNKNOWN = Check(
    "change unknown", "the change data feed of a source has a kind of change not known", "full"
)

CHECKS = (
    GROUP_BELOW_ZERO,
    ROW_BELOW_ZERO,
    COPIES_MISSING,
    ROWS_MISCOUNTED,
    WEIGHT_TOO_LARGE,
    SUM_OVERFLOWED,
    AVERAGE_TOO_LARGE,
    CHANGE_UNKNOWN,
    FILE_UNKNOWN,
)


def check_raised(message: str) -> Check | None:
    """The check that raised an error of exactly this message."""
    return next((c for c in CHECKS if c.raised == message), None)
