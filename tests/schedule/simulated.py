"""A warehouse and a clock that are only numbers: commits come when they are told to, refreshes
take the time that they are told to take, and the scheduler's core says what is done when.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC
from functools import lru_cache

from everview.facts.when import Schedule
from everview.schedule.due import Watched, due
from everview.schedule.memory import Memory
from everview.sql.statements.when import when_of

_when = lru_cache(when_of)
SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000
START = 1_790_000_040_000  # a full minute


@dataclass(frozen=True, slots=True)
class Ran:
    """A view was refreshed from `begun` to `ended`, when it lacked a commit since `since`."""

    view: str
    begun: int
    ended: int
    since: int | None
    served: int | None  # the moment of its schedule that was answered; None: for a view above


@dataclass
class Simulated:
    """`reads` names the tables and views of each view, `commits` when each table was written."""

    when: Mapping[str, str]
    reads: Mapping[str, tuple[str, ...]]
    commits: Mapping[str, list[int]] = field(default_factory=dict)
    seconds: float = 1.0
    broken: set[str] = field(default_factory=set)
    suspended: set[str] = field(default_factory=set)
    now: int = START
    memories: dict[str, Memory] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)  # view -> up to when it has all commits
    ran: list[Ran] = field(default_factory=list)
    tried: list[tuple[str, int]] = field(default_factory=list)
    looks: int = 0

    def below(self, view: str) -> list[str]:
        """The views below one that are refreshed with it, sources first."""
        found: list[str] = []
        for name in self.reads[view]:
            if name in self.reads and name not in self.suspended:
                found += [*self.below(name), name]
        return list(dict.fromkeys(found))

    def since(self, view: str, now: int) -> int | None:
        """When the oldest commit was made that a view lacks of the tables that it stands on."""
        tables = [t for n in (view, *self.below(view)) for t in self.reads[n]]
        firsts = []
        for table in set(tables) - set(self.reads):
            commits = self.commits.get(table, [])
            at = bisect_right(commits, self.seen.get(view, START))
            firsts += [t for t in commits[at : at + 1] if t <= now]
        return min(firsts, default=None)

    def watched(self) -> list[Watched]:
        return [
            Watched(
                name,
                Schedule(_when(text), suspended=name in self.suspended),
                tuple(self.below(name)),
                self.since(name, self.now),
            )
            for name, text in self.when.items()
        ]

    def run(self, until: int) -> None:
        """Look and refresh, by the core alone, until a moment."""
        while self.now < until:
            self.looks += 1
            found = due(self.watched(), self.memories, self.now, UTC)
            for name, moment in found.answered.items():
                self.memories[name] = self.memories.get(name, Memory()).answered(moment)
            if found.refresh:
                self.refresh(found.refresh)
                continue
            assert found.look > self.now
            self.now = min(found.look, until)

    def refresh(self, wanted: Mapping[str, int]) -> None:
        pinned = self.now  # all see what was there when the run began
        order = list(dict.fromkeys(n for w in wanted for n in (*self.below(w), w)))
        stopped: set[str] = set()
        for name in order:
            self.tried.append((name, self.now))
            memory = self.memories.get(name, Memory())
            if name in self.broken or stopped & set(self.below(name)):
                stopped.add(name)
                self.memories[name] = memory.failed(self.now, {"code": "EV-0000"})
                continue
            begun, since = self.now, self.since(name, self.now)
            self.now += int(self.seconds * SECOND)
            self.seen[name] = pinned
            self.ran.append(Ran(name, begun, self.now, since, wanted.get(name)))
        for name in set(order) - stopped:
            memory, took = self.memories.get(name, Memory()), (self.now - pinned) / SECOND
            self.memories[name] = memory.succeeded(self.now, took, wanted.get(name))
        self.now += 0 if set(order) - stopped else 1  # time does not stand still

    def of(self, view: str) -> list[Ran]:
        return [r for r in self.ran if r.view == view]
