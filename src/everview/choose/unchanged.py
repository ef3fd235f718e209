"""Whether a refresh has nothing to do, or must be full: known before the view's text is read."""

from __future__ import annotations

from everview.choose.strategies import Choice, Skip
from everview.errors import RefreshRefused
from everview.facts.refreshes import RefreshFacts
from everview.facts.views import Moment


def unchanged(facts: RefreshFacts, moment: Moment | None, *, full: bool) -> Choice | None:
    """The choice where no source has a new version, whatever the view's
    shape; else None. `moment` is what makes the view depend on the clock.
    """
    if must_be_full(facts, moment, full=full) or any(s.old != s.new for s in facts.sources):
        return None
    return Choice(Skip(), "no source has a new version")


def must_be_full(facts: RefreshFacts, moment: Moment | None, *, full: bool) -> str:
    """Why only a full recompute will do, "" if it need not be; RefreshRefused where the policy
    does not allow that.
    """
    if not facts.stored.built:
        return "first build"
    if full:
        return "asked for"
    if facts.stored.record.outside:
        return facts.stored.record.full_only
    if moment is not None:
        return f"it depends on the clock: {moment}"
    if facts.stored.distrust:
        require_full_allowed(facts.view, facts.policy, facts.stored.distrust)
    return facts.stored.distrust


def require_full_allowed(view: str, policy: str, reason: str) -> None:
    """RefreshRefused if the policy does not allow a full refresh that nobody asked for."""
    if policy == "INCREMENTAL STRICT":
        raise RefreshRefused(
            f"`{view}` cannot be refreshed incrementally: {reason}.",
            remedy="refresh(full=True) recomputes it once; or choose another policy.",
        )
