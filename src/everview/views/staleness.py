"""Since when a view lacks something that its sources have."""

from __future__ import annotations

import contextlib

from everview.errors import EverviewError
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.lake.port import LakeTable
from everview.views.gather import gather
from everview.views.schedules import is_suspended
from everview.views.world import World

# Of what is no longer in the log it is not known when it happened.
_LONG_AGO = 0


def behind_since(world: World, facts: RefreshFacts) -> int | None:
    """When the oldest commit was made, in milliseconds since the epoch, that the view has not seen
    or that a view below it has not; None if there is none. A suspended view below is as it is.
    """
    if not facts.stored.built:
        return _LONG_AGO
    found = []
    for source in facts.sources:
        entry = world.entry(source.name)
        table = world.open(entry)
        if source.old != source.new:
            found.append(_first_unseen(table, source))
        if entry.kind == "view" and not is_suspended(entry):
            with contextlib.suppress(EverviewError):  # which says it in a row of its own
                below = behind_since(world, gather(world, entry, table, {}))
                found += [] if below is None else [below]
    return min(found, default=None)


def _first_unseen(table: LakeTable, source: SourceFacts) -> int:
    if source.old is None or source.old > source.new:
        return _LONG_AGO
    commits = table.history(table.head().version - source.old)
    times = [c.timestamp for c in commits if c.version == source.old + 1]
    return times[0] if times else _LONG_AGO
