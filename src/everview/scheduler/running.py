"""A scheduler in the background of a Python process."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable

from everview.scheduler.events import SchedulerEvent, SchedulerStatus
from everview.scheduler.loop import Loop, Times
from everview.scheduler.warehouse_views import WarehouseViews, leases_of
from everview.views.world import World


class Scheduler:
    """What `wh.run_scheduler()` gives: it runs until it is stopped; use it as a context manager or
    call stop().
    """

    def __init__(self, world: World, after: Callable[[], object]) -> None:
        self._stopped = threading.Event()
        times = Times(world.now, world.settings.zone, self._stopped)
        views = WarehouseViews(world, after=after)
        self._loop = Loop(views, leases_of(world), times, _nobody)
        self._thread = threading.Thread(
            target=self._loop.run, name="everview-scheduler", daemon=True
        )
        atexit.register(self.stop)  # so that the next process need not wait for the lease
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it was not stopped yet."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Finish the refresh that runs now, and let another process have the work."""
        self._stopped.set()
        if self._thread is not threading.current_thread():
            self._thread.join()
        atexit.unregister(self.stop)

    def status(self) -> SchedulerStatus:
        """How it stands: waiting, leading or stopped, and what it has done."""
        return self._loop.status

    def __enter__(self) -> Scheduler:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<scheduler, {self.status().state}>"


def _nobody(event: SchedulerEvent) -> None:
    """What happens is told by status()."""
