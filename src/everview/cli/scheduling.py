"""The command that keeps views fresh: a loop in the foreground, and what it says and serves."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from everview.cli.codes import DONE, ERROR
from everview.cli.commands import styled
from everview.cli.opening import opened
from everview.cli.screen import Screen
from everview.scheduler.events import (
    Broke,
    Done,
    Leads,
    Looked,
    NotSeen,
    SchedulerEvent,
    SchedulerListener,
    Waits,
)
from everview.scheduler.loop import Loop, Times
from everview.scheduler.warehouse_views import WarehouseViews, leases_of


def run_run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Refresh views when they are due, until SIGTERM or Ctrl-C; with --once what is due now."""
    stopped = threading.Event()
    with opened(arguments, screen) as warehouse, _ended_by_sigterm(stopped):
        world = warehouse._world
        said = _Said(screen)
        times = Times(world.now, world.settings.zone, stopped)
        with _served(arguments, screen, world.now) as listener:
            loop = Loop(WarehouseViews(world), leases_of(world), times, _both(said.say, listener))
            loop.run(once=arguments.once)
    return ERROR if arguments.once and said.failed else DONE


class _Said:
    """Prints what happens; a sentence that would be the same again is said once."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._last = ""
        self.failed = False

    def say(self, event: SchedulerEvent) -> None:
        screen = self._screen
        match event:
            case Waits(holder):
                self._note(f"waiting: {holder or 'another process'} refreshes this warehouse")
            case Leads():
                self._note("refreshing this warehouse")
            case Looked():
                pass
            case Done(receipt):
                self._last = ""
                if screen.json:
                    screen.document(receipt.to_dict())
                elif not screen.quiet and not receipt.method.way.is_skipped:
                    screen.say(styled(str(receipt).splitlines()[0]))
            case Broke(view, error, _):
                self._last, self.failed = "", True
                if screen.json:
                    screen.document({"view": view, "error": error.to_dict()})
                else:
                    screen.failed(error, about=view)
            case NotSeen(error):
                self.failed = True
                if self._is_new(str(error)):
                    screen.failed(error)

    def _note(self, text: str) -> None:
        if self._is_new(text):
            self._screen.note(text)

    def _is_new(self, text: str) -> bool:
        is_new, self._last = text != self._last, text
        return is_new


def _both(one: SchedulerListener, other: SchedulerListener) -> SchedulerListener:
    def say(event: SchedulerEvent) -> None:
        one(event)
        other(event)

    return say


@contextlib.contextmanager
def _served(
    arguments: argparse.Namespace, screen: Screen, now: Callable[[], int]
) -> Iterator[SchedulerListener]:
    """What listens on behalf of metrics, which are served meanwhile if a port was given."""
    if arguments.port is None:
        yield lambda event: None
        return
    from everview.scheduler.metrics import Metrics, served

    metrics = Metrics(now)
    with served(metrics, arguments.address, arguments.port) as address:
        screen.note(f"http://{address}/metrics and /health")
        yield metrics.listen


@contextlib.contextmanager
def _ended_by_sigterm(stopped: threading.Event) -> Iterator[None]:
    """SIGTERM ends the loop after the refresh that runs now."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
