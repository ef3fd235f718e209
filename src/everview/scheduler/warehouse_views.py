"""The views of an open warehouse, as a scheduler looks at them and refreshes them."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

from everview.errors import RefreshFailed
from everview.facts.progress import Watcher
from everview.facts.receipts import Receipt
from everview.facts.refreshes import Wish
from everview.lake.lease import Leases
from everview.refresh_views import refresh_views
from everview.schedule.due import Watched
from everview.schedule.memory import Memory
from everview.scheduler.events import Refreshed
from everview.scheduler.watch import Watch
from everview.views.memories import read_memories, write_memories
from everview.views.world import World

# How often a refresh is tried again where another writer was first.
_TRIES = 3


class WarehouseViews:
    """What the loop asks of a warehouse. Where others use it at the same time, `after` is what they
    want done after each run, and refreshes have a Spark session of their own.
    """

    def __init__(
        self,
        world: World,
        watcher: Watcher | None = None,
        after: Callable[[], object] | None = None,
    ) -> None:
        self._world = world
        self._watch = Watch(world)
        self._watcher = watcher
        self._after = after

    def look(self) -> tuple[Watched, ...]:
        """How the scheduled views stand."""
        return self._watch.look()

    def refresh(self, names: Sequence[str]) -> Refreshed:
        """Refresh these and those below them, sources first, all at one set of versions."""
        try:
            receipts = self._receipts(list(names))
            ended = Refreshed(tuple(receipts))
        except RefreshFailed as failure:
            ended = Refreshed(failure.receipts, failure.errors)
        self._watch.forget(r.view for r in ended.receipts)
        if self._after is not None:
            self._after()
        return ended

    def _receipts(self, names: list[str]) -> list[Receipt]:
        """A receipt per view, those below included."""
        world, wish = self._world, Wish(retry=_TRIES)
        if self._after is not None and world.engine.is_started:
            with world.engine.beside() as engine:
                found = refresh_views(replace(world, engine=engine), names, wish, self._watcher)
        else:
            found = refresh_views(world, names, wish, self._watcher)
        return [each for r in found for each in (*r.below, replace(r, below=()))]

    def remembered(self) -> dict[str, Memory]:
        """What an earlier scheduler has left."""
        return read_memories(self._world)

    def remember(self, memories: dict[str, Memory]) -> None:
        """Leave it to the next."""
        write_memories(self._world, memories)


def leases_of(world: World) -> Leases:
    """The lease of a warehouse, for a holder of its own: host, process and chance."""
    holder = f"{socket.gethostname()} process {os.getpid()} {uuid.uuid4().hex[:8]}"
    return Leases(world.storage, holder, world.now)
