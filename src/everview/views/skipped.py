"""A refresh that finds nothing to do, by the log alone: Spark is not asked."""

from __future__ import annotations

from everview.choose.receipt import planned_receipt
from everview.choose.unchanged import unchanged
from everview.facts.receipts import Receipt
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.views.gather import Pins, gather
from everview.views.replacement import reworded
from everview.views.standing import standing_of
from everview.views.world import World, record_of


def skipped(
    world: World, entry: Entry, table: LakeTable, pins: Pins, *, full: bool
) -> Receipt | None:
    """The receipt of a view whose sources have no new version; None if there is, or may be,
    something to do.

    Rows in a layout of an older Everview stay as they are until there is: they are right, only
    changes cannot be applied to them. What a record of before does not say, such as whether the
    view depends on the clock, is asked of Spark.
    """
    record = record_of(table)
    standing = standing_of(world, entry.name, record)
    if not record.kept or standing.trouble is not None or standing.rebuild:
        return None
    if reworded(world, record):
        return None
    facts = gather(world, entry, table, pins)
    choice = unchanged(facts, facts.stored.record.moment, full=full)
    if choice is None:
        return None
    pins[facts.stored.snapshot.table_id] = facts.stored.snapshot.version
    return planned_receipt(facts, choice)
