"""What happens in a scheduler, as values: the command line, metrics and status read the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from everview.errors import EverviewError
from everview.facts.receipts import Receipt
from everview.schedule.due import Watched


@dataclass(frozen=True, slots=True)
class Waits:
    """Another process refreshes this warehouse."""

    holder: str


@dataclass(frozen=True, slots=True)
class Leads:
    """This process refreshes it from now on."""

    holder: str


@dataclass(frozen=True, slots=True)
class Looked:
    """How the scheduled views stand."""

    views: tuple[Watched, ...]
    now: int


@dataclass(frozen=True, slots=True)
class Done:
    """A view was refreshed, or had nothing to do."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Broke:
    """A view was not refreshed; when the next try is, if it is its own schedule that says so."""

    view: str
    error: EverviewError
    next_try: int


@dataclass(frozen=True, slots=True)
class NotSeen:
    """The warehouse could not be looked at; that is tried again."""

    error: EverviewError


SchedulerEvent = Waits | Leads | Looked | Done | Broke | NotSeen
SchedulerListener = Callable[[SchedulerEvent], object]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What became of the views of one run: a receipt or an error of each."""

    receipts: tuple[Receipt, ...] = ()
    errors: Mapping[str, EverviewError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SchedulerStatus:
    """How a scheduler stands: `waiting` for the lease of the process `holder`, `leading` or
    `stopped`; how many refreshes it has run and how many failed; `failing` says why by view.
    Times are milliseconds since the epoch.
    """

    state: str
    holder: str = ""
    looked_at: int | None = None
    refreshes: int = 0
    failures: int = 0
    failing: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
