"""Whether a refresh has nothing to do, or must be full: known before the view's text is read."""

from __future__ import annotations

from everview.facts.refreshes import RefreshFacts
from everview.plan.strategies import Choice, Skip


def unchanged(facts: RefreshFacts, *, full: bool) -> Choice | None:
    """The choice where no source has a new version, whatever the view's shape; else None."""
    if must_be_full(facts, full=full) or any(s.old != s.new for s in facts.sources):
        return None
    return Choice(Skip("nothing changed"), "no source has a new version")


def must_be_full(facts: RefreshFacts, *, full: bool) -> str:
    """Why only a full recompute will do, whatever the policy says; "" if it need not be."""
    if not facts.stored.built:
        return "first build"
    if full:
        return "asked for"
    if facts.stored.record.outside:
        return facts.stored.record.full_only
    return facts.stored.distrust
