"""The receipt of a refresh, from what its steps left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from everview.choose.receipt import planned_receipt
from everview.choose.strategies import Choice
from everview.facts.methods import Way
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.run.rows.frames import Frames
from everview.run.rows.write import Written
from everview.spark.engine import Actions


@dataclass(frozen=True, slots=True)
class Done:
    """What the steps of a refresh did so far."""

    written: Written | None
    removed_rows: int
    actions: Actions
    frames: Frames


def receipt_of(facts: RefreshFacts, choice: Choice, done: Done) -> Receipt:
    """The receipt; rows were counted while they were written."""
    changed = dict(done.written.changed or {}) if done.written else {}
    if choice.strategy.method.way is Way.FULL and done.written:
        changed["delete"] = done.removed_rows
    return replace(
        planned_receipt(facts, choice),
        rows_inserted=changed.get("insert", 0),
        rows_updated=changed.get("update", 0),
        rows_deleted=changed.get("delete", 0),
        read=dict(done.frames.read),
        actions=len(done.actions.names),
        seconds={step: round(s, 4) for step, s in done.actions.seconds.items()},
        rows=_rows_after(facts, changed),
    )


def _rows_after(facts: RefreshFacts, changed: dict[str, int]) -> int | None:
    before = facts.stored.snapshot.rows
    more = changed.get("insert", 0) - changed.get("delete", 0)
    return None if before is None else before + more
