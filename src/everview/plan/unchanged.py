"""Whether a refresh has nothing to do, or must be full: known before the view's text is read."""

from __future__ import annotations

from everview.facts.refreshes import RefreshFacts
from everview.facts.views import Moment
from everview.plan.strategies import Choice, Skip


def unchanged(facts: RefreshFacts, moment: Moment | None, *, full: bool) -> Choice | None:
    """The choice where no source has a new version, whatever the view's
    shape; else None. `moment` is what makes the view depend on the clock.
    """
    if must_be_full(facts, moment, full=full) or any(s.old != s.new for s in facts.sources):
        return None
    return Choice(Skip("nothing changed"), "no source has a new version")


def must_be_full(facts: RefreshFacts, moment: Moment | None, *, full: bool) -> str:
    """Why only a full recompute will do, whatever the policy says; "" if it need not be."""
    if not facts.stored.built:
        return "first build"
    if full:
        return "asked for"
    if facts.stored.record.outside:
        return facts.stored.record.full_only
    if moment is not None:
        return f"it depends on the clock: {moment}"
    return facts.stored.distrust
