"""The receipt of a refresh as far as it is planned, before anything is run."""

from __future__ import annotations

from everview.choose.strategies import Choice
from everview.facts.methods import Way
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.facts.wording import passes_off_text


def planned_receipt(facts: RefreshFacts, choice: Choice) -> Receipt:
    """What is known before the first step; of a refresh that is skipped that is all."""
    method = choice.strategy.method
    return Receipt(
        view=facts.view,
        method=method,
        reason=choice.reason + _without(facts, method.way),
        watermark_before=dict(facts.stored.watermark),
        watermark_after={s.name: s.new for s in facts.sources},
        estimates=choice.estimates(),
        rows=facts.stored.snapshot.rows,
        recompute_seconds=None if method.way is Way.FULL else facts.stored.recompute_seconds,
    )


def _without(facts: RefreshFacts, way: Way) -> str:
    """That passes were off, of a refresh that planned changes."""
    is_told = way is Way.INCREMENTAL and facts.passes_off
    return f"; {passes_off_text(facts.passes_off)}" if is_told else ""
