"""Whether stored rows may be deleted by marks, and by which way they were replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from everview.errors import InvalidArgument

MergeOnRead = Literal["auto", "never"]
MERGE_ON_READ: tuple[MergeOnRead, ...] = ("auto", "never")
PROPERTY = "everview.merge_on_read"  # of the Delta table, so that it travels with it

MarkingWay = Literal["marked", "rewritten by the driver", "rewritten by Spark"]


@dataclass(frozen=True, slots=True)
class MarkingWish:
    """What was said about marks: of the table itself, or else by the setting of the warehouse."""

    value: MergeOnRead = "auto"
    is_own: bool = False

    @property
    def forbids(self) -> bool:
        return self.value == "never"

    @property
    def said(self) -> str:
        """`never`, `auto (setting)`."""
        return self.value if self.is_own else f"{self.value} (setting)"

    def __str__(self) -> str:
        return f"merge_on_read = {self.said}"


AS_USUAL = MarkingWish()


@dataclass(frozen=True, slots=True)
class Replacing:
    """How stored rows were replaced, and why so: marked in files that stay, or their files
    rewritten.
    """

    way: MarkingWay
    reason: str

    def __str__(self) -> str:
        """`rows marked`, `files rewritten by the driver`."""
        return f"{'rows' if self.way == 'marked' else 'files'} {self.way}"


def merge_on_read_of(given: object) -> MergeOnRead:
    """The value that a text names, whatever its case; InvalidArgument for another."""
    said = str(given).strip().lower()
    for known in MERGE_ON_READ:
        if said == known:
            return known
    raise InvalidArgument(
        f"merge_on_read cannot be {given!r}.", remedy=f"Give {' or '.join(MERGE_ON_READ)}."
    )


def merge_on_read_or_none(given: str | None) -> MergeOnRead | None:
    """The same where nothing need be said."""
    return None if given is None else merge_on_read_of(given)


def marking_wish(properties: Mapping[str, str], setting: str) -> MarkingWish:
    """What holds for a table of these properties. A value that only a later version knows forbids
    marks: then every reader can go on reading it.
    """
    own = properties.get(PROPERTY)
    if own is None:
        return MarkingWish(merge_on_read_of(setting))
    return MarkingWish("auto" if own == "auto" else "never", is_own=True)
