"""What a user may set: one value, from `ev.open(settings=...)` or from `EVERVIEW_*` variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from everview.errors import InvalidArgument
from everview.facts.merge_on_read import MERGE_ON_READ
from everview.facts.views import POLICIES

PREFIX = "EVERVIEW_"
_NUMBERS = ("cores", "parallel_refreshes", "compare_bytes", "retention_hours", "sample_rows")
_MEMORY = re.compile(r"[1-9][0-9]*[mgMG]")


def _setting(default: Any, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one open warehouse."""

    policy: str = _setting(
        "AUTO",
        "The refresh policy of a view that is created without one: AUTO, INCREMENTAL, "
        "INCREMENTAL STRICT or FULL.",
    )
    memory: str = _setting(
        "2g",
        "Memory of the local Spark that Everview starts where no session is given: a number "
        "followed by m or g.",
    )
    cores: int = _setting(
        0, "Cores of the local Spark that Everview starts where no session is given; 0 means all."
    )
    parallel_refreshes: int = _setting(
        0,
        "How many views are refreshed at the same time where they do not read each other; 0 means "
        "one for every two cores, at most 4. Each has a Spark session of its own.",
    )
    compare_bytes: int = _setting(
        1_000_000_000,
        "When a view is created, its rows are compared with those of Spark's own reading of the "
        "text, unless the sources hold more bytes than this. 0 never compares.",
    )
    retention_hours: float = _setting(
        168.0,
        "vacuum() keeps the files of versions younger than this many hours, and keeps fewer only "
        "if it is forced. Views that were refreshed less recently are then recomputed in full.",
    )
    merge_on_read: str = _setting(
        "auto",
        "Whether rows of tables and views may be deleted by deletion vectors, which not every "
        "reader of Delta tables knows: auto does so where files are large, never rewrites the "
        "files. A table or view may say otherwise of itself, by the property of this name.",
    )
    sample_rows: int = _setting(
        5, "How many rows verify() shows of those that are missing, and of those unexpected."
    )
    passes_off: tuple[str, ...] = _setting(
        (),
        "To find the cause of an error: the improvements of plans to leave out, by name, separated "
        "by commas in the variable. They are filters_below_joins, connected_joins, "
        "needed_columns, net_first, union_of_terms, join_order, small_sides, tidy_parts, "
        "narrow_scans, net_sources, parts, needed_columns_of_queries and narrow_queries; all "
        "stands for all of them. Refreshes are slower without them, and give the same rows. "
        "`explain` says which are off.",
    )

    time_zone: str = _setting(
        "UTC",
        "The time zone whose clocks the fields of CRON are read by, such as Europe/Berlin.",
    )

    class_archive: str = _setting(
        "on",
        "Whether the Java that Everview starts reads Spark's classes from an archive, which the "
        "first command makes in the cache folder: on or off.",
    )

    def __post_init__(self) -> None:
        self._require(self.policy in POLICIES, "policy", f"one of {', '.join(POLICIES)}")
        self._require(bool(_MEMORY.fullmatch(str(self.memory))), "memory", "such as 512m or 4g")
        self._require(self.class_archive in ("on", "off"), "class_archive", "on or off")
        self._require(zone_of(self.time_zone) is not None, "time_zone", "such as Europe/Berlin")
        known = self.merge_on_read in MERGE_ON_READ
        self._require(known, "merge_on_read", " or ".join(MERGE_ON_READ))
        for name in _NUMBERS:
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            whole = name == "retention_hours" or isinstance(value, int)
            self._require(is_number and whole and value >= 0, name, "a number, 0 or more")
        names: object = self.passes_off
        are_names = isinstance(names, tuple) and all(isinstance(n, str) for n in names)
        self._require(are_names, "passes_off", "a tuple of names")

    @property
    def zone(self) -> tzinfo:
        """The time zone by whose clocks cron fields are read."""
        return zone_of(self.time_zone) or UTC

    def _require(self, holds: bool, name: str, wanted: str) -> None:
        if not holds:
            raise InvalidArgument(
                f"The setting {name} is {getattr(self, name)!r}.",
                where=f"settings ({PREFIX}{name.upper()})",
                remedy=f"Give {wanted}.",
            )

    @staticmethod
    def from_environ(environ: Mapping[str, str]) -> Settings:
        """The settings that the `EVERVIEW_*` variables say; the defaults for the others."""
        given = {}
        for name, kind in _KINDS.items():
            text = environ.get(PREFIX + name.upper(), "").strip()
            if text:
                given[name] = _value(name, kind, text)
        return Settings(**given)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        width = max(map(len, _KINDS))
        return "\n".join(f"{n:<{width}}  {_shown(v)}" for n, v in self.to_dict().items())


def zone_of(name: object) -> tzinfo | None:
    """The time zone of a name, None if there is none."""
    if name == "UTC":  # is there without the database of time zones too
        return UTC
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


_KINDS: dict[str, type] = {f.name: type(f.default) for f in fields(Settings)}


def _shown(value: object) -> object:
    return ", ".join(value) or "-" if isinstance(value, tuple) else value


def _value(name: str, kind: type, text: str) -> Any:
    if kind is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is str:
        cases = {"policy": text.upper(), "merge_on_read": text.lower()}
        return cases.get(name, text)
    try:
        return kind(text)
    except ValueError:
        raise InvalidArgument(
            f"{PREFIX}{name.upper()} is {text!r}.",
            where="environment",
            remedy="Give a number.",
        ) from None
