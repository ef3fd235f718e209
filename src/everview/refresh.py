"""The spine of a refresh: one line per arrow, from a view's text to its receipt."""

from __future__ import annotations

import uuid
from dataclasses import replace

from everview.errors import InvariantViolated
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entry
from everview.lake.delta.table import EmbeddedTable
from everview.plan.choose import choose
from everview.plan.shape import Shape, full_only
from everview.plan.strategies import Choice, Full, Incremental
from everview.program.program import VIEW, program
from everview.program.steps import Program
from everview.rewrite.net_sources import net_sources
from everview.run.engine import is_from_spark
from everview.run.execute import execute
from everview.run.frames import Frames
from everview.run.staging import Staging
from everview.run.work import Work
from everview.views.gather import Pins, gather
from everview.views.world import World


def refresh(
    world: World, entry: Entry, table: EmbeddedTable, pins: Pins, *, full: bool = False
) -> Receipt:
    """Bring one stored view to the pinned versions of its sources, and pin what was published."""
    facts = gather(world, entry, table, pins)
    shape = shape_of_view(world, table, facts.stored.record)
    choice = choose(facts, shape, full=full)
    steps = program(choice, shape)
    try:
        receipt, version = run(world, table, (facts, shape, choice), steps)
    except Exception as error:
        if not is_from_spark(error):
            raise
        receipt, version = _again(world, table, (facts, shape, choice), error)
    pins[facts.stored.snapshot.table_id] = version
    return receipt


def shape_of_view(world: World, table: EmbeddedTable, record: ViewRecord) -> Shape:
    """The view's shape: by its text, unless it was found at creation to be full only."""
    if record.full_only:
        defined = world.defined(table, record).shape
        place = getattr(defined, "place", None)
        return full_only(record.full_only, place, record.columns)
    return world.defined(table, record).shape


def run(
    world: World,
    table: EmbeddedTable,
    planned: tuple[RefreshFacts, Shape, Choice],
    steps: Program,
) -> tuple[Receipt, int]:
    """Carry out the steps; the receipt says what they did, and the version what is published."""
    facts, shape, choice = planned
    token = uuid.uuid4().hex
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
        now=world.now(),
    )
    version = execute(steps, work) if steps else facts.stored.snapshot.version
    return work.receipt(), version


def _again(
    world: World,
    table: EmbeddedTable,
    planned: tuple[RefreshFacts, Shape, Choice],
    error: Exception,
) -> tuple[Receipt, int]:
    """After a failure: with net changes, because a row that came and went may be what fails; then
    in full, if the policy allows it.
    """
    facts, shape, choice = planned
    if isinstance(choice.strategy, Incremental) and not _is_below_zero(error):
        netted = replace(choice.strategy, changes=net_sources(choice.strategy.changes))
        again = replace(choice, strategy=netted)
        try:
            return run(world, table, (facts, shape, again), program(again, shape))
        except Exception as second:
            if not is_from_spark(second):
                raise
            error = second
    choice = _after_failure(facts, choice, error)
    return run(world, table, (facts, shape, choice), program(choice, shape))


def _is_below_zero(error: Exception) -> bool:
    """Whether the check of a group's count failed; other errors may show the plan that holds it."""
    return "[USER_RAISED_EXCEPTION] everview a group would have fewer rows" in str(error)


def _after_failure(facts: RefreshFacts, choice: Choice, error: Exception) -> Choice:
    """A failed incremental refresh is recomputed in full, unless the policy or a check forbids
    it.
    """
    said = str(getattr(error, "getMessage", str)() or error).strip().splitlines()
    message = next((line for line in said if line), type(error).__name__)
    if _is_below_zero(error):
        raise InvariantViolated(
            "The changes delete rows that the stored view does not count.",
            remedy="Nothing was published; refresh(full=True) rebuilds the view.",
        ) from error
    if not isinstance(choice.strategy, Incremental) or facts.policy == "INCREMENTAL STRICT":
        raise error
    reason = f"the incremental refresh failed in Spark: {message}"
    cost = choice.runner_up.cost if choice.runner_up else choice.strategy.cost
    return replace(choice, strategy=Full(reason, cost), reason=reason, runner_up=None)
