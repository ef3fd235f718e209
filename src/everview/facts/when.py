"""When a view is refreshed, as a value whose text is the SQL that says it."""

from __future__ import annotations

from dataclasses import dataclass, field

from everview.errors import InvalidArgument
from everview.facts.cron import Cron

_UNITS = (("DAY", 86_400), ("HOUR", 3600), ("MINUTE", 60), ("SECOND", 1))
_LONGEST = 3650 * 86_400


@dataclass(frozen=True, slots=True)
class Interval:
    """So many whole seconds; its text is in the largest unit that they are a multiple of."""

    seconds: int

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= _LONGEST:
            raise InvalidArgument(
                f"An interval of {self.seconds:,} seconds.",
                remedy="Give at least a second, and at most ten years.",
            )

    @property
    def milliseconds(self) -> int:
        return self.seconds * 1000

    def __str__(self) -> str:
        unit, size = next((u, s) for u, s in _UNITS if self.seconds % s == 0)
        number = self.seconds // size
        return f"{number} {unit}{'' if number == 1 else 'S'}"


@dataclass(frozen=True, slots=True)
class OnDemand:
    """When somebody asks for it, or a view above is refreshed."""

    def __str__(self) -> str:
        return "ON DEMAND"


@dataclass(frozen=True, slots=True)
class Every:
    """Once in each interval, counted from the first refresh on."""

    interval: Interval

    def __str__(self) -> str:
        return f"EVERY {self.interval}"


@dataclass(frozen=True, slots=True)
class OnCron:
    """At the moments that cron fields name."""

    cron: Cron

    def __str__(self) -> str:
        return f"CRON '{self.cron.text}'"


@dataclass(frozen=True, slots=True)
class TargetLag:
    """So that it never lacks a commit of a source, its own or of a view below, for longer."""

    interval: Interval

    def __str__(self) -> str:
        return f"TARGET LAG {self.interval}"


@dataclass(frozen=True, slots=True)
class OnRead:
    """When it is read, if it lacks a commit of a source that is older than the interval, if one is
    given.
    """

    within: Interval | None = None

    def __str__(self) -> str:
        return "ON READ" if self.within is None else f"ON READ WITHIN {self.within}"


@dataclass(frozen=True, slots=True)
class Immediate:
    """With every write of a source: the write returns when the view has it."""

    def __str__(self) -> str:
        return "IMMEDIATE"


Timing = OnDemand | Every | OnCron | TargetLag | OnRead | Immediate


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a view is refreshed; of one that is suspended, only when somebody names it."""

    when: Timing = field(default_factory=OnDemand)
    suspended: bool = False

    def __str__(self) -> str:
        return f"{self.when}, suspended" if self.suspended else str(self.when)
