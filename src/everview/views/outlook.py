"""What the next refresh of a view would meet, for status: nothing is raised, all is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everview.choose.unchanged import require_full_allowed
from everview.errors import EverviewError
from everview.facts.refreshes import RefreshFacts, StoredFacts
from everview.facts.tables import Lost
from everview.lake.catalog import Entry
from everview.views.gather import gather_from
from everview.views.replacement import rebuild_reason, reworded
from everview.views.standing import standing_of
from everview.views.world import World


@dataclass(frozen=True, slots=True)
class Outlook:
    """Per source the commits that the view has not seen, None if nobody can count them; why the
    next refresh is full, and `rebuilt` if it builds the view anew; the error that keeps one from
    being done.
    """

    behind: Mapping[str, int | None]
    next_full: str = ""
    rebuilt: bool = False
    error: EverviewError | None = None


def outlook(world: World, entry: Entry, stored: StoredFacts, layout: str = "") -> Outlook:
    """The outlook of a stored view; `layout` says why its rows are stored otherwise than they
    would be now.
    """
    standing = standing_of(world, entry.name, stored.record)
    behind = standing.behind(stored.watermark)
    text = reworded(world, stored.record)
    try:
        rebuilt = rebuild_reason(standing, entry.policy, (text, layout), full=False)
        if rebuilt:
            return Outlook(behind, rebuilt, rebuilt=True)
        full = why_full(gather_from(world, entry, stored, {}))
        if full:
            require_full_allowed(entry.name, entry.policy, full)
    except EverviewError as error:
        return Outlook(behind, error=error)
    return Outlook(behind, full)


def why_full(facts: RefreshFacts) -> str:
    """Why the stored rows cannot be built on; a view that is always full says so itself, but of
    a source without versions nobody knows whether it changed.
    """
    if facts.stored.record.outside:
        return facts.stored.record.full_only
    if facts.stored.record.full_only or not facts.stored.built:
        return ""
    lost = [f"{s.name}: {s.changes.reason}" for s in facts.sources if isinstance(s.changes, Lost)]
    return facts.stored.distrust or next(iter(lost), "")
