"""The receipt of a refresh, from what its steps left."""

from __future__ import annotations

from dataclasses import replace

from everview.choose.receipt import planned_receipt
from everview.facts.methods import Way
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.work import Work


def receipt_of(work: Work, replaced: Replaced) -> Receipt:
    """The receipt; rows were counted while they were written."""
    planned = planned_receipt(work.facts, work.planned.choice)
    changed = dict(replaced.written.changed or {})
    is_whole = planned.way is Way.FULL and not replaced.compared
    if is_whole:
        changed["delete"] = _rows_gone(work.facts, replaced)
    seconds = work.actions.seconds
    estimated = work.planned.choice.strategy.cost.plain_seconds
    return replace(
        planned,
        rows_inserted=changed.get("insert", 0),
        rows_updated=changed.get("update", 0),
        rows_deleted=changed.get("delete", 0),
        read=dict(work.frames.read),
        actions=len(work.actions.names),
        seconds={step: round(s, 4) for step, s in seconds.items()},
        rows=changed.get("insert", 0) if is_whole else _rows_after(work.facts, changed),
        compared=replaced.compared,
        replaced=replaced.how,
        pace=work.facts.pace.after(planned.way, estimated, sum(seconds.values())),
        shared=tuple(work.shared.values()),
    )


def _rows_gone(facts: RefreshFacts, replaced: Replaced) -> int:
    """The rows that a reader saw of the files that go."""
    is_all_seen = facts.stored.seen_rows in (None, facts.stored.snapshot.rows)
    return replaced.removed_rows if is_all_seen else facts.stored.seen_rows or 0


def _rows_after(facts: RefreshFacts, changed: dict[str, int]) -> int | None:
    before = facts.stored.seen_rows
    more = changed.get("insert", 0) - changed.get("delete", 0)
    return None if before is None else before + more
