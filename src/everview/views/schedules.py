"""When the views of a warehouse are refreshed, as its catalog says."""

from __future__ import annotations

from everview.errors import EverviewError
from everview.facts.when import OnDemand, Schedule, Timing
from everview.lake.catalog import Entry

_SUSPENDED = "yes"


def schedule_of(entry: Entry) -> Schedule:
    """When a view is refreshed; what only a later version can read is left to somebody's demand."""
    from everview.sql.statements.when import when_of  # the log alone answers many calls

    try:
        when = when_of(entry.when) if entry.when else OnDemand()
    except EverviewError:
        when = OnDemand()
    return Schedule(when, is_suspended(entry))


def is_suspended(entry: Entry) -> bool:
    """Whether the view is refreshed only where somebody names it."""
    return entry.suspended == _SUSPENDED


def when_text(when: Timing | None) -> str:
    """What the catalog says of it; nothing of ON DEMAND, so that it need not know the column."""
    return "" if when is None or isinstance(when, OnDemand) else str(when)


def suspended_text(*, suspended: bool) -> str:
    """What the catalog says of a view that is suspended, or is not."""
    return _SUSPENDED if suspended else ""


def schedule_text(entry: Entry) -> str:
    """`EVERY 5 MINUTES, suspended`, as the catalog has it."""
    said = entry.when or str(OnDemand())
    return f"{said}, suspended" if is_suspended(entry) else said
