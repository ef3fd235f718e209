"""The spine of a refresh: one line per arrow, from a view's text to its receipt."""

from __future__ import annotations

import uuid
from dataclasses import replace

from everview.choose.receipt import planned_receipt
from everview.choose.strategies import Choice, Skip
from everview.errors import CommitConflict
from everview.facts.methods import Way
from everview.facts.receipts import Receipt
from everview.facts.refreshes import STORED, Wish
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.program.planned import Planned
from everview.program.program import VIEW
from everview.run.refresh.after_failure import carried_out
from everview.run.refresh.execute import Published, execute
from everview.run.refresh.work import Rebuild, Work
from everview.run.rows.frames import Frames
from everview.run.rows.staging import Staging
from everview.views.gather import Pins, gather
from everview.views.planned import planned
from everview.views.world import World


def refresh_view(world: World, entry: Entry, table: LakeTable, pins: Pins, wish: Wish) -> Receipt:
    """Bring one stored view to the pinned versions of its sources, and pin what was published."""
    together = world.run.plans.pop(entry.name, None)  # with other views of the run
    wanted = together or planned(world, entry, table, pins, wish)
    published = carried_out(wanted, lambda plan: run(world, table, plan))
    pins[wanted.facts.stored.snapshot.table_id] = published.version
    return published.receipt


def refresh_among_others(
    world: World, entry: Entry, table: LakeTable, pins: Pins, wish: Wish
) -> Receipt:
    """The same where somebody else may write the view meanwhile: skipped if that was a refresh that
    did the work, else planned and run again as often as wished.
    """
    try:
        return refresh_view(world, entry, table, pins, wish)
    except CommitConflict:
        done = None if wish.full else _already_done(world, entry, table, pins)
        if done is not None:
            return done
        if not wish.retry:
            raise
    again = replace(wish, retry=wish.retry - 1)
    return refresh_among_others(world, entry, table, pins, again)


def _already_done(world: World, entry: Entry, table: LakeTable, pins: Pins) -> Receipt | None:
    """The receipt if another refresh brought the view to these versions, or beyond."""
    facts = gather(world, entry, table, pins)
    stored = facts.stored
    behind = any(s.old != s.new for s in facts.sources)
    if behind or stored.distrust or stored.record.outside:  # of what has no versions nobody knows
        return None
    pins[stored.snapshot.table_id] = stored.snapshot.version
    choice = Choice(Skip(Way.ALREADY_DONE), "another refresh of the view was first")
    return planned_receipt(facts, choice)


def run(world: World, table: LakeTable, plan: Planned, rebuild: Rebuild | None = None) -> Published:
    """Carry out the steps; the receipt says what they did, and the version what is published."""
    token = uuid.uuid4().hex
    if rebuild is not None and rebuild.shape is not None:
        table = table.becoming(rebuild.shape)
    work = Work(
        engine=world.engine,
        planned=plan,
        table=table,
        token=token,
        frames=Frames(world.engine, plan.facts, VIEW, held=world.held),
        staging=Staging(world.engine, world.storage, token),
        probe=world.probe,
        open_source=lambda name: (
            (table if name == STORED else world.open(world.entry(name))).open_file
        ),
        rebuild=rebuild,
        run=world.run,
    )
    with work.failures("session"):  # what fails between the steps
        return execute(work)
