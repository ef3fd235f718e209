"""The loop that looks at views, refreshes what is due, and sleeps; one process per warehouse."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Protocol, assert_never

from everview.errors import EverviewError
from everview.facts.failures import unforeseen
from everview.lake.lease import Lease, Leases
from everview.schedule.due import Due, Watched, due
from everview.schedule.memory import Memory
from everview.scheduler.events import (
    Broke,
    Done,
    Leads,
    Looked,
    NotSeen,
    Refreshed,
    SchedulerEvent,
    SchedulerListener,
    SchedulerStatus,
    Waits,
)
from everview.spark.log import LOG

# Milliseconds between two tries to get the lease, or to look at a storage that does not answer.
_AGAIN = 5_000


class Views(Protocol):
    """What the loop asks of a warehouse."""

    def look(self) -> Sequence[Watched]: ...

    def refresh(self, names: Sequence[str]) -> Refreshed: ...

    def remembered(self) -> dict[str, Memory]: ...

    def remember(self, memories: dict[str, Memory]) -> None: ...


@dataclass(frozen=True, slots=True)
class Times:
    """The clock of a loop, the zone in which cron fields are read, and how it sleeps: `wait` gives
    whether it was stopped meanwhile.
    """

    now: Callable[[], int]
    zone: tzinfo
    stopped: threading.Event

    def wait(self, milliseconds: int) -> bool:
        return self.stopped.wait(max(0, milliseconds) / 1000)


class Loop:
    """Refreshes views when they are due, as long as it has the lease.

    A refresh is whole without the lease too: who lost it while he worked has done what the other
    then finds done. So it is renewed beside the work, and asked for before each.
    """

    def __init__(self, views: Views, leases: Leases, times: Times, say: SchedulerListener) -> None:
        self._views = views
        self._leases = leases
        self._times = times
        self._listener = say
        self._lease: Lease | None = None
        self._memories: dict[str, Memory] = {}
        self._renewing = threading.Lock()
        self.status = SchedulerStatus("waiting")

    def run(self, *, once: bool = False) -> None:
        """Until it is stopped; `once`: what is due now, and nothing if another process has the
        lease.
        """
        over = threading.Event()
        renewing = threading.Thread(
            target=self._renew_until, args=(over,), name="everview-lease", daemon=True
        )
        renewing.start()
        try:
            while not self._times.stopped.is_set():
                pause = self._turn() if self._is_leading() else _AGAIN
                if once or self._times.wait(pause):
                    return
        finally:
            over.set()
            renewing.join()
            self._release()
            self.status = replace(self.status, state="stopped")

    def _renew_until(self, over: threading.Event) -> None:
        """Three times in the time of a lease, so that one renewal may fail."""
        while not over.wait(self._leases.milliseconds / 3000):
            self.renew()

    def _is_leading(self) -> bool:
        """Whether this process has the lease; asked for if not, or if it ran out while it slept."""
        mine = self._lease
        if mine is not None and mine.is_free(self._times.now()):
            self.renew()
        if self._lease is not None:
            return True
        try:
            found = self._leases.take()
            if found is None:
                current = self._leases.current()
                self._say(Waits("" if current is None else current.holder))
                return False
            self._memories = self._views.remembered()
        except Exception as error:
            self._say(NotSeen(unforeseen(error)))
            return False
        self._lease = found
        self._say(Leads(self._leases.holder))
        return True

    def _turn(self) -> int:
        """Look, and refresh what is due; gives the milliseconds until the next look."""
        times = self._times
        try:
            views = tuple(self._views.look())
        except Exception as error:
            self._say(NotSeen(unforeseen(error)))
            return _AGAIN
        now = times.now()
        self._say(Looked(views, now))
        found = due(views, self._memories, now, times.zone)
        for name, moment in found.answered.items():
            self._memories[name] = self._memories.get(name, Memory()).answered(moment)
        if found.refresh:
            self._refresh(found)
        if found.refresh or found.answered:
            self._keep()
        return 0 if found.refresh else found.look - times.now()

    def _refresh(self, found: Due) -> None:
        begun = self._times.now()
        try:
            ended = self._views.refresh(tuple(found.refresh))
        except Exception as error:
            wrong = unforeseen(error)
            ended = Refreshed((), dict.fromkeys(found.refresh, wrong))
        if ended.errors and self._times.stopped.is_set():
            ended = replace(ended, errors={})  # what was stopped is no failure
        now = self._times.now()
        idle = all(receipt.method.way.is_skipped for receipt in ended.receipts)
        took = 0.0 if idle else (now - begun) / 1000
        for receipt in ended.receipts:
            memory = self._memories.get(receipt.view, Memory())
            moment = found.refresh.get(receipt.view)
            self._memories[receipt.view] = memory.succeeded(now, took, moment)
            self._say(Done(receipt))
        for name, broken in ended.errors.items():
            self._fail(name, broken, now)

    def _fail(self, name: str, error: EverviewError, now: int) -> None:
        memory = self._memories.get(name, Memory()).failed(now, error.to_dict())
        self._memories[name] = memory
        self._say(Broke(name, error, memory.next_try))

    def _say(self, event: SchedulerEvent) -> None:
        """Tell it; an error of the listener's own stops nothing."""
        self.status = _after(self.status, event)
        try:
            self._listener(event)
        except Exception:
            LOG.warning("the listener of the scheduler failed", exc_info=True)

    def _keep(self) -> None:
        try:
            self._views.remember(self._memories)
        except Exception as error:  # what is remembered is only needed after a stop
            self._say(NotSeen(unforeseen(error)))

    def renew(self) -> None:
        """Keep the lease for longer; who finds another one's has none."""
        with self._renewing:
            mine = self._lease
            if mine is None:
                return
            try:
                self._lease = self._leases.renew(mine)
            except Exception as error:
                self._say(NotSeen(unforeseen(error)))
                self._lease = None if mine.is_free(self._times.now()) else mine

    def _release(self) -> None:
        with self._renewing:
            try:
                self._leases.release()
            except Exception as error:  # then it runs out
                self._say(NotSeen(unforeseen(error)))
            self._lease = None


def _after(status: SchedulerStatus, event: SchedulerEvent) -> SchedulerStatus:
    """How the scheduler stands after an event."""
    match event:
        case Waits(holder):
            return replace(status, state="waiting", holder=holder)
        case Leads(holder):
            return replace(status, state="leading", holder=holder)
        case Looked(_, now):
            return replace(status, looked_at=now)
        case Done(receipt):
            left = {n: e for n, e in status.failing.items() if n != receipt.view}
            return replace(status, refreshes=status.refreshes + 1, failing=left)
        case Broke(view, error, _):
            failing = {**status.failing, view: error.to_dict()}
            return replace(status, failures=status.failures + 1, failing=failing)
        case NotSeen():
            return status
        case _:
            assert_never(event)
