"""How the scheduled views of a warehouse stand, by the logs of what they read: without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from everview.facts.when import OnDemand, OnRead
from everview.lake.catalog import Entries, Entry
from everview.schedule.due import Watched
from everview.views.gather import gather
from everview.views.graph import refresh_order
from everview.views.replacement import names_read_now
from everview.views.schedules import is_suspended, schedule_of
from everview.views.staleness import behind_since
from everview.views.world import World, record_of

# Milliseconds after which the definitions of views are read again, without a sign of a change.
_READ_AGAIN = 30_000
_LONG_AGO = 0

Heads = dict[str, tuple[str, int] | None]  # table -> its id and version; None: it cannot be opened


@dataclass(frozen=True, slots=True)
class _Known:
    """What a view lacked when it was looked at, and where its tables were then."""

    behind_since: int | None
    clock: bool
    heads: Mapping[str, tuple[str, int] | None]


class Watch:
    """Looks at the scheduled views, and remembers what cannot have changed since the last look.

    A look costs a head of each table that a scheduled view stands on. Only where one has moved is
    asked since when, by the first commit after the version seen before. That remains known until
    the view is refreshed, also where a view below is refreshed before it: its own log then tells
    of that refresh, and no more of the older commit that the view above still lacks.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._entries: Entries | None = None
        self._read_at = 0
        self._reads: dict[str, tuple[str, ...]] = {}  # by view, in lower case
        self._known: dict[str, _Known] = {}
        self._sure: set[str] = set()  # what is known of these need not be asked again

    def forget(self, views: Iterable[str]) -> None:
        """These were refreshed: look at them anew."""
        for name in views:
            self._known.pop(name.lower(), None)

    def look(self) -> tuple[Watched, ...]:
        """Every view of the warehouse that is refreshed by a schedule, unless it is suspended."""
        entries = self._world.catalog.read()
        now = self._world.now()
        if entries != self._entries or now - self._read_at >= _READ_AGAIN:
            self._entries, self._read_at = entries, now
            views = [e for e in _views(entries) if not is_suspended(e)]
            self._reads = {e.name.lower(): self._sources(e) for e in views}
            self._sure.clear()
        heads: Heads = {}
        return tuple(self._watched(e, heads) for e in _views(entries) if _is_watched(e))

    def _sources(self, entry: Entry) -> tuple[str, ...]:
        try:
            return names_read_now(self._world, record_of(self._world.open(entry)))
        except Exception:  # its refresh says why
            return ()

    def _watched(self, entry: Entry, heads: Heads) -> Watched:
        name = entry.name.lower()
        below = refresh_order([name], self._reads)[:-1]
        tables = [s for v in (name, *below) for s in self._reads[v] if s not in self._reads]
        for table in tables:
            if table not in heads:
                heads[table] = self._head(table)
        now = {t: heads[t] for t in dict.fromkeys(tables)}
        known = self._known.get(name)
        if known is None:
            known = self._looked_at((name, *below), now)
        elif name not in self._sure:
            known = _no_later(known, self._looked_at((name, *below), now))
        elif known.heads != now:
            known = self._moved((name, *below), known, now)
        self._known[name] = known
        self._sure.add(name)
        assert self._entries is not None
        names = {e.name.lower(): e.name for e in self._entries.entries}
        told = tuple(names[v] for v in below)
        return Watched(entry.name, schedule_of(entry), told, known.behind_since, known.clock)

    def _head(self, table: str) -> tuple[str, int] | None:
        try:
            head = self._world.open(self._world.entry(table)).head()
        except Exception:
            return None
        return head.id, head.version

    def _looked_at(
        self, views: Sequence[str], heads: Mapping[str, tuple[str, int] | None]
    ) -> _Known:
        """What the first of the views lacks, by its own log and those of all that it stands on; the
        others are below it.
        """
        world = self._world
        try:
            entries = [world.entry(name) for name in views]
            facts = gather(world, entries[0], world.open(entries[0]), {})
            since = behind_since(world, facts)
            clock = any(record_of(world.open(e)).moment is not None for e in entries)
        except Exception:  # something is wrong, and a refresh says what
            return _Known(_LONG_AGO, False, heads)
        rebuilt = bool(facts.stored.distrust)
        return _Known(_LONG_AGO if since is None and rebuilt else since, clock, heads)

    def _moved(
        self, views: Sequence[str], known: _Known, heads: Mapping[str, tuple[str, int] | None]
    ) -> _Known:
        """The same after tables moved: one that lacked something lacks that still, another lacks
        the first of the new commits.
        """
        if known.behind_since is not None:
            return _Known(known.behind_since, known.clock, heads)
        times = []
        for table, head in heads.items():
            before = known.heads.get(table)
            if head == before:
                continue
            if head is None or before is None or head[0] != before[0] or head[1] < before[1]:
                return self._looked_at(views, heads)
            lake_table = self._world.open(self._world.entry(table))
            commits = lake_table.history(head[1] - before[1])
            times += [c.timestamp for c in commits if c.version > before[1]]
        return _Known(min(times, default=_LONG_AGO), known.clock, heads)


def _no_later(before: _Known, found: _Known) -> _Known:
    """What is found now, but as old as it was known to be before."""
    if before.behind_since is None or found.behind_since is None:
        return found
    return replace(found, behind_since=min(before.behind_since, found.behind_since))


def _views(entries: Entries) -> list[Entry]:
    return [e for e in entries.entries if e.kind == "view"]


def _is_watched(entry: Entry) -> bool:
    """Whether a scheduler has anything to do for a view itself."""
    schedule = schedule_of(entry)
    return not schedule.suspended and not isinstance(schedule.when, OnDemand | OnRead)
