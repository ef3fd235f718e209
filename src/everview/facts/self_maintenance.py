"""Which sources must be read besides the changes themselves, by the source that changed and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

# What goes in: what a refresh would read of each source if rows of one source alone came, went or
# were updated. What comes out: a line for each source and kind of change. A view is
# self-maintainable for a change where nothing is read but the change and the stored view (Gupta &
# Mumick, section 8; Vista, 2.6).
#
#     γ city, sum(amount), max(amount) (sales ⋈ stores)
#     sales  insert   stores
#     sales  delete   stores; sales, if a greatest value is deleted
#     stores insert   sales

ChangeKind = Literal["insert", "delete", "update"]
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)

# Always; where the least or greatest value of a group is deleted; where a float that was summed
# is; or because the view is only ever recomputed in full.
ReadWhen = Literal["always", "extreme deleted", "float deleted", "in full"]
_IN_WORDS: dict[ReadWhen, str] = {
    "always": "",
    "extreme deleted": " if a least or greatest value is deleted",
    "float deleted": " if a float that was summed is deleted",
    "in full": ", recomputed in full",
}
NONE = "none"
UNKNOWN = "not recorded: built by an earlier version"


@dataclass(frozen=True, slots=True)
class ReadBeside:
    """A source that is read besides the changes, and when."""

    source: str
    when: ReadWhen = "always"


@dataclass(frozen=True, slots=True)
class BesideChange:
    """What is read where rows of one source changed in one way."""

    source: str
    change: ChangeKind
    reads: tuple[ReadBeside, ...] = ()

    @property
    def is_self_maintained(self) -> bool:
        """Whether no source is read, whatever the changed rows are."""
        return not self.reads

    def __str__(self) -> str:
        """`stores; sales, items if a least or greatest value is deleted`."""
        by_when = {when: [r.source for r in self.reads if r.when == when] for when in _IN_WORDS}
        said = (f"{', '.join(names)}{_IN_WORDS[w]}" for w, names in by_when.items() if names)
        return "; ".join(said) or NONE


SelfMaintenance = tuple[BesideChange, ...]


def self_maintenance_rows(found: SelfMaintenance) -> list[tuple[str, str, str, str]]:
    """A header, then a line for each source with a cell for each kind of change."""
    cells: dict[str, dict[ChangeKind, str]] = {}
    for one in found:
        cells.setdefault(one.source, {})[one.change] = str(one)
    header = ("changes of", "inserted", "deleted", "updated")
    return [header, *((s, c["insert"], c["delete"], c["update"]) for s, c in cells.items())]


def self_maintained_text(found: SelfMaintenance) -> str:
    """`self-maintainable for all changes of sales, insertions into stores`; "" if the view is only
    ever recomputed in full, or nothing is known.
    """
    if not found or any(read.when == "in full" for one in found for read in one.reads):
        return ""
    kinds: dict[str, list[ChangeKind]] = {}
    for one in found:
        if one.is_self_maintained:
            kinds.setdefault(one.source, []).append(one.change)
    said = ", ".join(_changes_text(source, some) for source, some in kinds.items())
    return f"self-maintainable for {said or 'no change'}"


_CHANGES: dict[ChangeKind, str] = {
    "insert": "insertions into",
    "delete": "deletions from",
    "update": "updates of",
}


def _changes_text(source: str, kinds: Sequence[ChangeKind]) -> str:
    if len(kinds) == len(CHANGE_KINDS):
        return f"all changes of {source}"
    return " and ".join(f"{_CHANGES[kind]} {source}" for kind in kinds)


def self_maintenance_from(raw: Iterable[Mapping[str, Any]] | None) -> SelfMaintenance | None:
    """The stored form of it; None of a record that does not say."""
    if raw is None:
        return None
    return tuple(
        BesideChange(one["source"], one["change"], tuple(ReadBeside(**r) for r in one["reads"]))
        for one in raw
    )
