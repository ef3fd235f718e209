"""Which views are refreshed by a write of a table, and which by being read."""

from __future__ import annotations

from collections.abc import Iterable

from everview.errors import EverviewError
from everview.facts.when import Immediate, Interval, OnRead
from everview.lake.catalog import Entry
from everview.views.catalog_changes import sources_of_views
from everview.views.gather import gather
from everview.views.graph import all_readers
from everview.views.schedules import schedule_of
from everview.views.staleness import behind_since
from everview.views.world import World, receipts_of

_COMMITS_SEARCHED = 20


def views_written_with(world: World, table: str) -> list[str]:
    """The IMMEDIATE views that read a table, or read a view that does; none that is suspended."""
    asking = [e for e in _views(world) if isinstance(schedule_of(e).when, Immediate)]
    waiting = [e for e in asking if not schedule_of(e).suspended]
    if not waiting:  # then no view need be opened
        return []
    above = all_readers(table.lower(), sources_of_views(world))
    return [e.name for e in waiting if e.name.lower() in above]


def views_too_old(world: World, read: Iterable[Entry]) -> list[str]:
    """Those of the entries that are ON READ views and, as far as is known without a refresh, lack
    a commit that a reader may ask for; none that is suspended.
    """
    names = []
    for entry in read:
        schedule = schedule_of(entry)
        if entry.kind != "view" or schedule.suspended or not isinstance(schedule.when, OnRead):
            continue
        if _is_too_old(world, entry, schedule.when.within):
            names.append(entry.name)
    return names


def _views(world: World) -> list[Entry]:
    return [e for e in world.catalog.read().entries if e.kind == "view"]


def _is_too_old(world: World, entry: Entry, within: Interval | None) -> bool:
    if within is None:
        return True  # a refresh that finds nothing to do is as quick as looking
    try:
        table = world.open(entry)
        facts = gather(world, entry, table, {})
        oldest = world.now() - within.milliseconds
        since = behind_since(world, facts)
    except EverviewError:
        return True  # the refresh says what is wrong
    if since is not None and since < oldest:
        return True
    if facts.stored.record.moment is None:
        return False
    seen = [r["timestamp"] for r in receipts_of(table, _COMMITS_SEARCHED)]
    return not seen or seen[0] < oldest
