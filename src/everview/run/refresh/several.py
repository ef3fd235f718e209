"""Work on several views: each after those it reads, some at the same time, each on its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue

from everview.facts.receipts import Receipt
from everview.settings import Settings
from everview.spark.log import heard

_MOST = 4  # more at a time wait for the same disk and memory
_PATIENCE = 0.5  # seconds


@dataclass(frozen=True, slots=True)
class Failed:
    """The work on a view raised this."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Stopped:
    """The work on a view did not begin, because it failed on this one below it."""

    by: str


ViewOutcome = Receipt | Failed | Stopped


@dataclass(frozen=True, slots=True)
class Began:
    """A step of a view began."""

    view: str
    step: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The work on a view ended."""

    view: str
    outcome: ViewOutcome


Event = Began | Ended
RefreshOne = Callable[[str], Receipt]
Say = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Order:
    """The views in an order that has each after those it reads, and which those are."""

    names: Sequence[str]
    below: Mapping[str, tuple[str, ...]]

    def stopped(self, name: str, outcomes: Mapping[str, ViewOutcome]) -> Stopped | None:
        """By which failed view the work on this one cannot begin, None if by none so far."""
        for below in self.below[name]:
            match outcomes.get(below):
                case Failed():
                    return Stopped(below)
                case Stopped() as stopped:
                    return stopped
                case _:
                    pass
        return None

    def is_ready(self, name: str, outcomes: Mapping[str, ViewOutcome]) -> bool:
        """Whether the work on all views below has ended well."""
        return all(isinstance(outcomes.get(below), Receipt) for below in self.below[name])


def at_once(settings: Settings) -> int:
    """How many views are refreshed at the same time."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    here = len(affinity(0)) if affinity else os.cpu_count() or 1
    cores = settings.cores or here
    return settings.parallel_refreshes or min(_MOST, max(1, cores // 2))


def one_by_one(order: Order, work: RefreshOne, say: Say) -> dict[str, ViewOutcome]:
    """Do the work on each view in turn; a failure stops those above it alone."""
    outcomes: dict[str, ViewOutcome] = {}
    for name in order.names:
        outcomes[name] = order.stopped(name, outcomes) or _outcome(work, name, say)
        say(Ended(name, outcomes[name]))
    return outcomes


def side_by_side(
    order: Order, work: RefreshOne, say: Say, number: int, interrupt: Callable[[], None]
) -> dict[str, ViewOutcome]:
    """The same, so many at the same time in threads of their own; events are told in this one.

    If this thread is interrupted, so is what runs, and its end is waited for.
    """
    outcomes: dict[str, ViewOutcome] = {}
    events: SimpleQueue[Event | BaseException] = SimpleQueue()
    begun: dict[str, Future[None]] = {}

    def run(name: str) -> None:
        try:
            events.put(Ended(name, _outcome(work, name, events.put)))
        except BaseException as error:  # told where somebody waits for it
            events.put(error)

    with ThreadPoolExecutor(number, "everview-refresh") as pool:
        try:
            while True:
                for name in order.names:
                    stopped = order.stopped(name, outcomes)
                    if stopped is not None and name not in outcomes:
                        outcomes[name] = stopped
                        say(Ended(name, stopped))
                    elif name not in begun and order.is_ready(name, outcomes):
                        begun[name] = pool.submit(run, name)
                if len(outcomes) == len(order.names):
                    return outcomes
                _take(events, outcomes, say)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while any(not future.done() for future in begun.values()):
                interrupt()  # again and again: a refresh that fails tries another way
                wait(begun.values(), timeout=_PATIENCE)
            raise


def _take(
    events: SimpleQueue[Event | BaseException], outcomes: dict[str, ViewOutcome], say: Say
) -> None:
    """Wait for the next event and tell it."""
    event = events.get()
    if isinstance(event, BaseException):
        raise event
    if isinstance(event, Ended):
        outcomes[event.view] = event.outcome
    say(event)


def _outcome(work: RefreshOne, name: str, say: Say) -> Receipt | Failed:
    try:
        with heard(lambda view, step: say(Began(view, step))):
            return work(name)
    except Exception as error:
        return Failed(error)
