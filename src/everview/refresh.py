"""The spine of a refresh: one line per arrow, from a view's text to its receipt."""

from __future__ import annotations

import uuid
from dataclasses import replace

from everview.choose.choose import choose
from everview.choose.strategies import Choice, Full, Incremental, Skip
from everview.errors import CommitConflict, ComputationFailed
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts, Wish
from everview.facts.refusals import Kind
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.program.program import VIEW, program
from everview.program.steps import Program
from everview.rewrite.net_sources import net_sources
from everview.run.refresh.execute import execute
from everview.run.refresh.work import Rebuild, Work
from everview.run.rows.frames import Frames
from everview.run.rows.staging import Staging
from everview.shape.shape import Shape, full_only
from everview.spark.engine import is_from_spark
from everview.spark.errors import spark_failure
from everview.views.gather import Pins, gather
from everview.views.world import World


def refresh(
    world: World, entry: Entry, table: LakeTable, pins: Pins, *, full: bool = False
) -> Receipt:
    """Bring one stored view to the pinned versions of its sources, and pin what was published."""
    facts = gather(world, entry, table, pins)
    shape = shape_of_view(world, table, facts.stored.record)
    choice = choose(facts, shape, full=full)
    steps = program(choice, shape)
    try:
        receipt, version = run(world, table, (facts, shape, choice), steps)
    except ComputationFailed as error:
        receipt, version = _again(world, table, (facts, shape, choice), error)
    pins[facts.stored.snapshot.table_id] = version
    return receipt


def refresh_among_others(
    world: World, entry: Entry, table: LakeTable, pins: Pins, wish: Wish
) -> Receipt:
    """The same where somebody else may write the view meanwhile: skipped if that was a refresh that
    did the work, else planned and run again as often as wished.
    """
    try:
        return refresh(world, entry, table, pins, full=wish.full)
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
    shape = shape_of_view(world, table, facts.stored.record)
    choice = Choice(Skip("already done"), "another refresh of the view was first")
    receipt, version = run(world, table, (facts, shape, choice), program(choice, shape))
    pins[facts.stored.snapshot.table_id] = version
    return receipt


def shape_of_view(world: World, table: LakeTable, record: ViewRecord) -> Shape:
    """The view's shape: by its text, unless it was found at creation to be full only."""
    defined = world.defined(table, record)
    if record.full_only:
        place = getattr(defined.shape, "place", None)
        kind = record.full_kind or Kind.UNKNOWN
        shape = full_only(kind, record.full_only, place, record.columns)
        return replace(shape, moment=record.moment or defined.moment)
    return defined.shape


def run(
    world: World,
    table: LakeTable,
    planned: tuple[RefreshFacts, Shape, Choice],
    steps: Program,
    rebuild: Rebuild | None = None,
) -> tuple[Receipt, int]:
    """Carry out the steps; the receipt says what they did, and the version what is published."""
    facts, shape, choice = planned
    token = uuid.uuid4().hex
    if rebuild is not None and rebuild.shape is not None:
        table = table.becoming(rebuild.shape)
    work = Work(
        engine=world.engine,
        facts=facts,
        choice=choice,
        shape=shape,
        table=table,
        token=token,
        frames=Frames(world.engine, facts, VIEW),
        staging=Staging(world.engine, world.storage, token),
        probe=world.probe,
        rebuild=rebuild,
    )
    try:
        version = execute(steps, work) if steps else facts.stored.snapshot.version
    except Exception as error:
        if not is_from_spark(error):
            raise
        doing = "refresh" if facts.stored.built else "first build"
        where = f"{doing} of {facts.view}, step {work.step}"
        raise spark_failure(error, f"`{facts.view}`", where, "Nothing was published.") from error
    return work.receipt(), version


def _again(
    world: World,
    table: LakeTable,
    planned: tuple[RefreshFacts, Shape, Choice],
    error: ComputationFailed,
) -> tuple[Receipt, int]:
    """After a failure: with net changes, because a row that came and went may be what fails; then
    in full, if the policy allows it. A check that failed is not answered.
    """
    facts, shape, choice = planned
    if isinstance(choice.strategy, Incremental):
        netted = replace(choice.strategy, changes=net_sources(choice.strategy.changes))
        again = replace(choice, strategy=netted)
        try:
            return run(world, table, (facts, shape, again), program(again, shape))
        except ComputationFailed as second:
            error = second
    choice = _after_failure(facts, choice, error)
    return run(world, table, (facts, shape, choice), program(choice, shape))


def _after_failure(facts: RefreshFacts, choice: Choice, error: ComputationFailed) -> Choice:
    """A failed incremental refresh is recomputed in full, unless the policy forbids it."""
    if not isinstance(choice.strategy, Incremental) or facts.policy == "INCREMENTAL STRICT":
        raise error
    reason = f"the incremental refresh failed in Spark: {error.what}"
    cost = choice.runner_up.cost if choice.runner_up else choice.strategy.cost
    return replace(choice, strategy=Full(reason, cost), reason=reason, runner_up=None)
