"""Refreshing several views: sources first, all at one set of source versions, each on its own."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace

from everview.errors import CommitConflict, EverviewError, RefreshFailed, Unexpected
from everview.facts.failures import in_short, retold, unforeseen
from everview.facts.progress import Progress, Watcher
from everview.facts.receipts import Receipt
from everview.facts.refreshes import Wish
from everview.facts.wording import counted
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.run.driver.held_columns import HeldColumns
from everview.run.refresh.rows_of_run import RowsOfRun
from everview.run.refresh.several import (
    Began,
    Ended,
    Event,
    Failed,
    Order,
    Stopped,
    ViewOutcome,
    at_once,
    one_by_one,
    side_by_side,
)
from everview.spark.interrupts import raised_at_once
from everview.spark.log import LOG
from everview.views.gather import Pins
from everview.views.graph import readers, refresh_order, views_below
from everview.views.planned_together import PlansOfRun
from everview.views.replacement import names_read_now, why_rebuild
from everview.views.schedules import is_suspended
from everview.views.skipped import skipped
from everview.views.world import World, record_of


def refresh_views(
    world: World, names: list[str], wish: Wish, watcher: Watcher | None = None
) -> list[Receipt]:
    """Refresh these views and those below them; where all is to be anew, the named ones are.

    Of one view its receipt, with those of the views below in it; of several a receipt per view,
    none twice. RefreshFailed at the end if some could not be refreshed. A suspended view below
    them is read as it is.
    """
    # Views read the same columns of the same tables, and have changes in common.
    world = replace(world, held=HeldColumns(), run=RowsOfRun(uuid.uuid4().hex))
    wanted = list(dict.fromkeys(world.entry(n, "view").name.lower() for n in names))
    views = {e.name.lower(): e for e in world.catalog.read().entries if e.kind == "view"}
    known = {n: e.name for n, e in views.items()}
    read = {n: _sources(world, n) for n in known}
    told = {n: () if isinstance(s, Exception) else s for n, s in read.items()}
    sources = {n: s for n, s in told.items() if n in wanted or not is_suspended(views[n])}
    order = refresh_order(wanted, sources)
    pins = _pins(world, [s for n in order for s in sources[n] if s not in sources])

    def wish_of(name: str) -> Wish:
        above = tuple(known[n] for n in readers(name, told))
        return wish.for_view(named=name in wanted, read_by=above)

    below = {n: views_below(n, sources) for n in order}
    plans = PlansOfRun(order, below, wish_of, pins)

    def work(name: str, where: World) -> Receipt:
        if isinstance(unread := read[name], Exception):
            raise unread
        with plans.refreshing(where, name):
            return _refresh_one(where, name, pins, wish_of(name))

    say = _told(watcher, known, len(order))
    outcomes: Mapping[str, ViewOutcome] | None = None
    if not world.engine.is_started and not wish.full:
        outcomes = _all_skipped(world, order, pins, say)
    if outcomes is None:
        outcomes = _done(world, Order(order, below), work, say)
    receipts = {n: o for n in order if isinstance(o := outcomes[n], Receipt)}
    if len(receipts) < len(order):
        raise _failure(outcomes, known, order)
    return list(receipts.values()) if len(wanted) != 1 else [_with_below(receipts, wanted[0])]


def _with_below(receipts: Mapping[str, Receipt], view: str) -> Receipt:
    """The receipt of a view, with those of all others in it."""
    lower = tuple(receipt for name, receipt in receipts.items() if name != view)
    return replace(receipts[view], below=lower)


def own_error(failure: RefreshFailed, view: str) -> Exception:
    """The error of the refresh of one view: its own, or that of the view below that stopped it."""
    own = ((n, e) for n, e in failure.errors.items() if not isinstance(e, RefreshFailed))
    name, error = next(own)
    cause = error.__cause__
    found = cause if isinstance(error, Unexpected) and isinstance(cause, Exception) else error
    if name == view:
        return found
    note = f"This stopped the refresh of `{view}`, which depends on `{name}`."
    if isinstance(found, EverviewError):
        told = retold(found, f"{found.what} {note}", found.where)
        told.__cause__ = found
        return told
    found.add_note(note)
    return found


def _sources(world: World, view: str) -> tuple[str, ...] | Exception:
    """What a view reads, or why it cannot be opened."""
    try:
        return names_read_now(world, record_of(world.open(world.entry(view))))
    except Exception as error:
        return error


def _pins(world: World, names: list[str]) -> Pins:
    """The versions of all tables at the start: every view of the run reads these. A table that
    cannot be opened has none, and the views that read it say why.
    """
    pins: Pins = {}
    for name in dict.fromkeys(names):
        with contextlib.suppress(Exception):
            head = world.open(world.entry(name)).head()
            pins[head.id] = head.version
    return pins


def _all_skipped(
    world: World, names: list[str], pins: Pins, say: Callable[[Event], None]
) -> dict[str, ViewOutcome] | None:
    """The receipts where no view has anything to do, so that no Spark is started; else None."""
    found: dict[str, ViewOutcome] = {}
    met = dict(pins)
    for name in names:
        entry = world.entry(name, "view")
        try:
            receipt = skipped(world, entry, world.open(entry), met, full=False)
        except EverviewError:  # which one stops is said by the refresh itself
            return None
        if receipt is None:
            return None
        found[name] = receipt
    for name, outcome in found.items():
        say(Ended(name, outcome))
    return found


def _done(
    world: World,
    order: Order,
    work: Callable[[str, World], Receipt],
    say: Callable[[Event], None],
) -> dict[str, ViewOutcome]:
    """What became of each view; several at a time have a Spark session each. What they shared is
    forgotten then.
    """
    number = min(at_once(world.settings), len(order.names))

    def beside(name: str) -> Receipt:
        with world.engine.beside() as engine:
            return work(name, replace(world, engine=engine))

    with contextlib.closing(world.run):
        if number <= 1:
            return one_by_one(order, lambda name: work(name, world), say)
        with raised_at_once():
            return side_by_side(order, beside, say, number, world.engine.interrupt_others)


def _told(watcher: Watcher | None, known: Mapping[str, str], total: int) -> Callable[[Event], None]:
    """What tells the watcher; an error of the watcher's own stops no refresh."""
    ended: list[str] = []

    def say(event: Event) -> None:
        if isinstance(event, Began):
            view, step = event.view, event.step
        else:
            ended.append(event.view)
            view, step = known[event.view], _ending(event.outcome)
        if watcher is None:
            return
        try:
            watcher(Progress(view, step, len(ended), total))
        except Exception:
            LOG.warning("the progress callback failed", exc_info=True)

    return say


def _ending(outcome: ViewOutcome) -> str:
    match outcome:
        case Receipt():
            return "done"
        case Failed():
            return "failed"
        case Stopped():
            return "skipped"


def _failure(
    outcomes: Mapping[str, ViewOutcome], known: Mapping[str, str], order: list[str]
) -> RefreshFailed:
    """The one error of a run: each view's own in short, and all of them as values."""
    errors: dict[str, EverviewError] = {}
    for name in order:
        match outcomes[name]:
            case Failed(error):
                errors[known[name]] = unforeseen(error)
            case Stopped(by):
                errors[known[name]] = _stopped(known[name], known[by])
            case Receipt():
                pass
    receipts = tuple(o for n in order if isinstance(o := outcomes[n], Receipt))
    of = counted(len(order), "view")
    lines = [f"{len(errors):,} of {of} {'was' if len(errors) == 1 else 'were'} not refreshed:"]
    lines += [f"    {name}  {in_short(error)}" for name, error in errors.items()]
    rest = f"The other {len(receipts):,} were. " if receipts else ""
    failure = RefreshFailed(
        "\n".join(lines), remedy=f"{rest}`errors` has each in full, with what to do; then refresh."
    )
    failure.receipts, failure.errors = receipts, errors
    return failure


def _stopped(view: str, by: str) -> RefreshFailed:
    error = RefreshFailed(
        f"`{view}` was skipped: it depends on `{by}`, which could not be refreshed.",
        remedy=f"See to `{by}`, and refresh again.",
    )
    error.errors = {}
    return error


def _refresh_one(world: World, name: str, pins: Pins, wish: Wish) -> Receipt:
    """Refresh a view whose sources are done; one that no longer fits is built anew."""
    entry = world.entry(name, "view")
    table = world.open(entry)
    is_planned = entry.name in world.run.plans  # then there is something to do
    idle = None if is_planned else skipped(world, entry, table, pins, full=wish.full)
    return idle or _run_refresh(world, entry, table, pins, wish)


def _run_refresh(world: World, entry: Entry, table: LakeTable, pins: Pins, wish: Wish) -> Receipt:
    """Refresh a view of which something may have changed, or build it anew."""
    # Only now: what runs Spark takes long to load.
    from everview.choose.asked import not_applicable
    from everview.create import rebuild_view
    from everview.refresh import refresh_among_others

    base = table.snapshot(table.head().version)
    is_planned = entry.name in world.run.plans
    reason = "" if is_planned else why_rebuild(world, entry, table, full=wish.full)
    if not reason:
        return refresh_among_others(world, entry, table, pins, wish)
    if wish.strategy.is_by_changes:
        raise not_applicable(entry.name, None, wish.strategy, reason)
    try:
        return rebuild_view(world, entry, base, reason, pins)
    except CommitConflict:
        if not wish.retry:
            raise
    return _refresh_one(world, entry.name, pins, replace(wish, retry=wish.retry - 1))
