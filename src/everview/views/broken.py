"""The status of a view that cannot be told as it should: the error, and what is known still."""

from __future__ import annotations

from dataclasses import replace

from everview.errors import EverviewError
from everview.facts.methods import stored_method
from everview.lake.catalog import Entry
from everview.views.gather import stored_facts
from everview.views.schedules import schedule_text
from everview.views.status import Status, recorded_as
from everview.views.world import World, receipts_of


def broken_status(world: World, entry: Entry, error: EverviewError) -> Status:
    """The error of a view; with what its own log says, where that can be read."""
    bare = Status(
        view=entry.name,
        policy=entry.policy,
        comment=entry.comment,
        exact_at={},
        behind={},
        rows=None,
        kept="",
        last_refresh=None,
        asked_at=world.now(),
        error=error.to_dict(),
        schedule=schedule_text(entry),
    )
    try:
        table = world.open(entry)
        stored, receipts = stored_facts(table), receipts_of(table, None)
    except Exception:  # the error is known already, and this one is no better
        return bare
    published = [r for r in receipts if not stored_method(r).way.is_skipped]
    tail, rows = stored.record.layout.tail, stored.seen_rows
    return replace(
        bare,
        exact_at=dict(stored.watermark),
        rows=rows if tail is None or rows is None else tail.left(rows),
        kept=recorded_as(stored.record),
        beside=stored.record.beside,
        last_refresh=published[0] if published else None,
        fresh_as_of=receipts[0]["timestamp"] if receipts else None,
    )
