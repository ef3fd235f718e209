"""The receipt of a refresh as far as it is planned, before anything is run."""

from __future__ import annotations

from everview.choose.strategies import Choice, Move, Skip
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts


def planned_receipt(facts: RefreshFacts, choice: Choice) -> Receipt:
    """What is known before the first step; of a refresh that is skipped that is all."""
    is_full = choice.strategy.name == "full"
    return Receipt(
        view=facts.view,
        strategy=_title(choice),
        reason=choice.reason,
        watermark_before=dict(facts.stored.watermark),
        watermark_after={s.name: s.new for s in facts.sources},
        estimates=choice.estimates(),
        rows=facts.stored.snapshot.rows,
        recompute_seconds=None if is_full else facts.stored.recompute_seconds,
    )


def _title(choice: Choice) -> str:
    strategy = choice.strategy
    if isinstance(strategy, Skip | Move):
        return f"{strategy.name}: {strategy.reason}"
    return strategy.name
