"""Which views are to be refreshed now, and when to look again: values in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import assert_never

from everview.facts.when import (
    Every,
    Immediate,
    OnCron,
    OnDemand,
    OnRead,
    Schedule,
    TargetLag,
    Timing,
)
from everview.schedule.memory import Memory

# Milliseconds: how often the sources of views are looked at that follow them, and the catalog.
_AT_ONCE = 2_000
_SHORTEST_LOOK, _LONGEST_LOOK = 1_000, 30_000


@dataclass(frozen=True, slots=True)
class Watched:
    """A view as it stands now. `below` are the views that it reads, and those that they read.
    `behind_since` is when the oldest commit was made that it or one below lacks, None if none is.
    One that depends on the clock lacks something whenever it was refreshed before.
    """

    name: str
    schedule: Schedule
    below: tuple[str, ...] = ()
    behind_since: int | None = None
    clock: bool = False

    @property
    def lacks(self) -> bool:
        return self.clock or self.behind_since is not None


@dataclass(frozen=True, slots=True)
class Due:
    """`refresh` names the views to refresh now, `answered` those whose moment has come and which
    lack nothing; each with the moment that is then answered. `look` is when to look again.
    """

    refresh: Mapping[str, int]
    answered: Mapping[str, int]
    look: int


def due(views: Sequence[Watched], memories: Mapping[str, Memory], now: int, zone: tzinfo) -> Due:
    """What is to be done now, by the schedules of the views and what is remembered of each.

    A view is due at its next moment: for EVERY, one interval after the moment answered last; for
    CRON, the next that the fields name, counted from the first look on; for TARGET LAG, so long
    before the oldest commit it lacks is too old that a refresh of it and of the views below still
    fits in; for IMMEDIATE, when it lacks one. Several moments missed are one. After a failure, of
    its own or below, it waits for the next try. ON DEMAND and ON READ views are refreshed with
    those above, or by who reads them.

    EVERY 5 MINUTES answered at 12:00, now 12:17 and a commit since: refresh, which answers 12:15;
    look again at 12:20.
    """
    by_name = {view.name: view for view in views}
    refresh: dict[str, int] = {}
    answered: dict[str, int] = {}
    look = now + _LONGEST_LOOK
    for view in views:
        if view.schedule.suspended:
            continue
        memory = memories.get(view.name, Memory())
        moment = _moment(view, memories, now, zone)
        if moment is not None and moment <= now:
            moment = _after_pauses(view, by_name, memories, moment)
            if moment > now:
                look = min(look, moment)
                continue
            served = _served(view.schedule.when, memory, now)
            begins = isinstance(view.schedule.when, OnCron) and memory.served is None
            (refresh if view.lacks and not begins else answered)[view.name] = served
            memory = memory.answered(served)
            moment = _moment(view, {**memories, view.name: memory}, now, zone)
        times = [t for t in (moment, _next_look(view, now)) if t is not None and t > now]
        look = min([look, *times])
    return Due(refresh, answered, look)


def _moment(view: Watched, memories: Mapping[str, Memory], now: int, zone: tzinfo) -> int | None:
    """When the view is due, which may be past; None if nothing makes it due."""
    memory = memories.get(view.name, Memory())
    match view.schedule.when:
        case OnDemand() | OnRead():
            return None
        case Every(interval):
            return now if memory.served is None else memory.served + interval.milliseconds
        case OnCron(cron):
            return now if memory.served is None else cron.after(memory.served, zone)
        case TargetLag(interval):
            since = view.behind_since
            if since is None and view.clock:
                since = memory.at or 0
            if since is None:
                return None
            return since + interval.milliseconds - _margin(view, memories)
        case Immediate():
            return view.behind_since
        case _:
            assert_never(view.schedule.when)


def _margin(view: Watched, memories: Mapping[str, Memory]) -> int:
    """How long before its target a lag is answered: twice what the last run took that refreshed the
    view, with those below it and others, and the time between two looks; at least a tenth of it.
    """
    lag = _lag(view.schedule.when)
    wanted = int(2000 * memories.get(view.name, Memory()).seconds) + _between_looks(lag)
    return min(lag, max(lag // 10, wanted))


def _lag(when: Timing) -> int:
    assert isinstance(when, TargetLag)
    return when.interval.milliseconds


def _between_looks(lag: int) -> int:
    return min(_LONGEST_LOOK, max(_SHORTEST_LOOK, lag // 10))


def _served(when: Timing, memory: Memory, now: int) -> int:
    """The moment that a refresh now answers: of an interval the last one that has come."""
    if isinstance(when, Every) and memory.served is not None:
        return now - (now - memory.served) % when.interval.milliseconds
    return now


def _after_pauses(
    view: Watched, by_name: Mapping[str, Watched], memories: Mapping[str, Memory], moment: int
) -> int:
    """The moment, or the next try where refreshes of the view or of one below it fail; no view is
    refreshed twice in a second.
    """
    below = [n for n in view.below if n in by_name and not by_name[n].schedule.suspended]
    tries = [memories.get(n, Memory()).next_try for n in (view.name, *below)]
    last = memories.get(view.name, Memory()).at
    return max(moment, *tries, 0 if last is None else last + _SHORTEST_LOOK)


def _next_look(view: Watched, now: int) -> int | None:
    """When to see whether its sources have moved, None if that makes it due at no time."""
    match view.schedule.when:
        case Immediate():
            return now + _AT_ONCE
        case TargetLag(interval) if view.behind_since is None:
            return now + _between_looks(interval.milliseconds)
        case _:
            return None
