"""When a stored view no longer fits its sources or its layout, and must be built anew."""

from __future__ import annotations

from everview.facts.standing import Standing
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entry
from everview.lake.delta.table import EmbeddedTable
from everview.plan.choose import require_full_allowed
from everview.run.define import Defined
from everview.views.standing import standing_of
from everview.views.world import World, record_of


def why_rebuild(world: World, entry: Entry, table: EmbeddedTable, *, full: bool) -> str:
    """Why a refresh would build the view anew, "" if it goes on from what is stored.

    What keeps it from both is raised: a source that cannot be read, a column that is gone, or,
    unless a full refresh is asked for, the policy.
    """
    record = record_of(table)
    standing = standing_of(world, entry.name, record)
    layout = outdated_layout(record, world.defined(table, record))
    return rebuild_reason(standing, entry.policy, layout, full=full)


def rebuild_reason(standing: Standing, policy: str, layout: str, *, full: bool) -> str:
    """The same from how the view stands to its sources, and why its layout is outdated."""
    if standing.trouble is not None:
        raise standing.trouble
    reason = standing.rebuild or layout
    if reason and not full:
        require_full_allowed(standing.view, policy, reason)
    return reason


def outdated_layout(record: ViewRecord, defined: Defined) -> str:
    """Why the rows are not stored as this version of Everview stores them, "" if they are."""
    layout = defined.shape.layout
    same = (
        layout.kind == record.layout.kind
        and layout.key == record.layout.key
        and layout.stored.same_columns(record.layout.stored)
        and layout.tail == record.layout.tail
    )
    return "" if same or record.full_only else "rows are stored in another layout now"
