"""A warehouse of numbers behind the loop, and a clock that the loop's own sleep moves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

from everview.errors import EverviewError, UnknownName
from everview.facts.methods import Method, Way
from everview.facts.receipts import Receipt
from everview.lake.lease import Leases
from everview.lake.storage import Storage
from everview.schedule.due import Watched
from everview.schedule.memory import Memory
from everview.scheduler.events import Refreshed, SchedulerEvent
from everview.scheduler.loop import Loop, Times
from tests.schedule.simulated import SECOND, START, Simulated


def receipt(view: str, way: Way = Way.INCREMENTAL) -> Receipt:
    return Receipt(view, Method(way), "why", {"t": 1}, {"t": 2}, seconds={"write": 1.0})


BROKEN = UnknownName("There is no table `t`.", remedy="Attach it.")


@dataclass
class FakeViews:
    """`shop` says how the views stand; what is remembered is kept as a warehouse keeps it."""

    shop: Simulated
    kept: dict[str, Memory] = field(default_factory=dict)
    looks: int = 0
    during: Callable[[], object] = lambda: None  # what happens while views are refreshed
    unreadable: EverviewError | None = None

    def look(self) -> Sequence[Watched]:
        self.looks += 1
        if self.unreadable is not None:
            raise self.unreadable
        return self.shop.watched()

    def refresh(self, names: Sequence[str]) -> Refreshed:
        self.during()
        before = len(self.shop.ran)
        tried = len(self.shop.tried)
        self.shop.refresh(dict.fromkeys(names, 0))
        ran = [r.view for r in self.shop.ran[before:]]
        failed = [n for n, _ in self.shop.tried[tried:] if n not in ran]
        return Refreshed(tuple(map(receipt, ran)), dict.fromkeys(failed, BROKEN))

    def remembered(self) -> dict[str, Memory]:
        return dict(self.kept)

    def remember(self, memories: dict[str, Memory]) -> None:
        self.kept = dict(memories)


class Stop(threading.Event):
    """Waiting moves the clock of the shop; at its end the loop is stopped."""

    def __init__(self, shop: Simulated, until: int) -> None:
        super().__init__()
        self._shop, self._until = shop, until

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self._shop.now += int(timeout * SECOND)
        if self._shop.now >= self._until:
            self.set()
        return self.is_set()


@dataclass
class Process:
    """A loop over a shop, with its own holder of the lease in a folder."""

    folder: Path
    views: FakeViews
    holder: str = "one"
    said: list[SchedulerEvent] = field(default_factory=list)

    def loop(self, until: int = START) -> Loop:
        shop = self.views.shop

        def now() -> int:
            return shop.now

        leases = Leases(Storage(str(self.folder)), self.holder, now)
        times = Times(now, UTC, Stop(shop, until))
        return Loop(self.views, leases, times, self.said.append)

    def run(self, until: int) -> Loop:
        loop = self.loop(until)
        loop.run()
        return loop
