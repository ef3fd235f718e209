"""How a view is brought up to date: the way and its variant as values, and as the texts shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, assert_never


class Variant(Enum):
    """What an incremental refresh applies. APPEND: insertions alone. ROWS: rows that come and go.
    GROUPS: changes of groups. PARTITIONS: all rows of the partitions that changes touch.
    """

    APPEND = "append"
    ROWS = "rows"
    GROUPS = "groups"
    PARTITIONS = "partitions"


class Way(Enum):
    """What a refresh does. SKIPPED: nothing, no source has a new version. ALREADY_DONE: nothing,
    another refresh was first. MOVED: only record the new versions, which hold no change of rows.
    INCREMENTAL: apply the changes. FULL: recompute everything.
    """

    SKIPPED = "skipped"
    ALREADY_DONE = "already done"
    MOVED = "moved"
    INCREMENTAL = "incremental"
    FULL = "full"

    @property
    def is_skipped(self) -> bool:
        """Whether no row is computed."""
        return self in (Way.SKIPPED, Way.ALREADY_DONE, Way.MOVED)

    @property
    def word(self) -> str:
        """`skipped`, `incremental` or `full`."""
        return _SKIPPED if self.is_skipped else self.value

    @property
    def why_skipped(self) -> str:
        """In two words, "" if it is not skipped."""
        match self:
            case Way.SKIPPED | Way.MOVED:
                return _NOTHING_CHANGED
            case Way.ALREADY_DONE:
                return _ALREADY_DONE
            case Way.INCREMENTAL | Way.FULL:
                return ""
            case _:
                assert_never(self)


_SKIPPED, _NOTHING_CHANGED, _ALREADY_DONE = "skipped", "nothing changed", "already done"


@dataclass(frozen=True, slots=True)
class Method:
    """The way and, of an incremental one, its variant; None where a receipt does not tell it."""

    way: Way
    variant: Variant | None = None

    def __post_init__(self) -> None:
        if self.variant is not None and self.way is not Way.INCREMENTAL:
            raise ValueError(f"{self.way} has no variant, not {self.variant}")

    @property
    def name(self) -> str:
        """`skipped`, `incremental: groups`, `full`."""
        return f"{self.way.word}: {self.variant.value}" if self.variant else self.way.word

    def __str__(self) -> str:
        """The name; of a refresh that was skipped with why: `skipped: nothing changed`."""
        why = self.way.why_skipped
        return f"{self.name}: {why}" if why else self.name

    def to_dict(self) -> dict[str, Any]:
        """The text, and the values beside it."""
        variant = None if self.variant is None else self.variant.value
        return {"strategy": str(self), "way": self.way.value, "variant": variant}


def stored_method(raw: Mapping[str, Any]) -> Method:
    """The method of a stored receipt.

    One of an older version has the text alone, and this is the one place where it is read. Of one
    of a later version, whose words are not known, it is only told that rows were published.
    """
    way, variant = _WAYS.get(raw.get("way")), _VARIANTS.get(raw.get("variant"))
    if way is not None:
        return Method(way, variant if way is Way.INCREMENTAL else None)
    word, _, rest = str(raw["strategy"]).partition(": ")
    if word == Way.FULL.value:
        return Method(Way.FULL)
    if word != _SKIPPED:
        return Method(Way.INCREMENTAL, _VARIANTS.get(rest))
    if rest == _ALREADY_DONE:
        return Method(Way.ALREADY_DONE)
    has_moved = raw.get("watermark_before") != raw.get("watermark_after")
    return Method(Way.MOVED if has_moved else Way.SKIPPED)


_WAYS: dict[Any, Way] = {way.value: way for way in Way}
_VARIANTS: dict[Any, Variant] = {variant.value: variant for variant in Variant}
