"""The receipt of a refresh as far as it is planned, before anything is run."""

from __future__ import annotations

from everview.choose.strategies import Choice, Move, Skip
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.facts.wording import passes_off_text


def planned_receipt(facts: RefreshFacts, choice: Choice) -> Receipt:
    """What is known before the first step; of a refresh that is skipped that is all."""
    is_full = choice.strategy.name == "full"
    return Receipt(
        view=facts.view,
        strategy=_title(choice),
        reason=choice.reason + _without(facts, choice),
        watermark_before=dict(facts.stored.watermark),
        watermark_after={s.name: s.new for s in facts.sources},
        estimates=choice.estimates(),
        rows=facts.stored.snapshot.rows,
        recompute_seconds=None if is_full else facts.stored.recompute_seconds,
    )


def _without(facts: RefreshFacts, choice: Choice) -> str:
    """That passes were off, of a refresh that planned changes."""
    is_planned = choice.strategy.name.startswith("incremental")
    return f"; {passes_off_text(facts.passes_off)}" if is_planned and facts.passes_off else ""


def _title(choice: Choice) -> str:
    strategy = choice.strategy
    if isinstance(strategy, Skip | Move):
        return f"{strategy.name}: {strategy.reason}"
    return strategy.name
