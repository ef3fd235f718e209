"""The receipt of a refresh, from what its steps left."""

from __future__ import annotations

from dataclasses import dataclass

from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.plan.strategies import Choice, Move, Skip
from everview.run.engine import Actions
from everview.run.frames import Frames
from everview.run.write import Written


@dataclass(frozen=True, slots=True)
class Done:
    """What the steps of a refresh did so far."""

    written: Written | None
    removed_rows: int
    actions: Actions
    frames: Frames


def receipt_of(facts: RefreshFacts, choice: Choice, done: Done) -> Receipt:
    """The receipt; rows were counted while they were written."""
    strategy = choice.strategy
    changed = dict(done.written.changed or {}) if done.written else {}
    if strategy.name == "full" and done.written:
        changed["delete"] = done.removed_rows
    return Receipt(
        view=facts.view,
        strategy=_title(choice),
        reason=choice.reason,
        watermark_before=dict(facts.stored.watermark),
        watermark_after={s.name: s.new for s in facts.sources},
        rows_inserted=changed.get("insert", 0),
        rows_updated=changed.get("update", 0),
        rows_deleted=changed.get("delete", 0),
        read=dict(done.frames.read),
        actions=len(done.actions.names),
        seconds={step: round(s, 4) for step, s in done.actions.seconds.items()},
        estimates=choice.estimates(),
        rows=_rows_after(facts, changed),
        recompute_seconds=facts.stored.recompute_seconds if strategy.name != "full" else None,
    )


def _rows_after(facts: RefreshFacts, changed: dict[str, int]) -> int | None:
    before = facts.stored.snapshot.rows
    more = changed.get("insert", 0) - changed.get("delete", 0)
    return None if before is None else before + more


def _title(choice: Choice) -> str:
    strategy = choice.strategy
    if isinstance(strategy, Skip | Move):
        return f"{strategy.name}: {strategy.reason}"
    return strategy.name
