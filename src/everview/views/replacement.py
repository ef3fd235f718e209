"""When a stored view no longer fits its sources or its layout, and must be built anew."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from everview.choose.unchanged import require_full_allowed
from everview.errors import EverviewError
from everview.facts.standing import Standing
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entries, Entry
from everview.lake.port import LakeTable
from everview.views.standing import standing_of
from everview.views.world import World, record_of

if TYPE_CHECKING:
    from everview.run.understand.define import Defined
    from everview.sql.read.inline import Inlined


def why_rebuild(world: World, entry: Entry, table: LakeTable, *, full: bool) -> str:
    """Why a refresh would build the view anew, "" if it goes on from what is stored.

    What keeps it from both is raised: a source that cannot be read, a column that is gone, or,
    unless a full refresh is asked for, the policy.
    """
    record = record_of(table)
    standing = standing_of(world, entry.name, record)
    layout = outdated_layout(record, world.defined(table, record))
    text = reworded(world, record)
    return rebuild_reason(standing, entry.policy, (text, layout), full=full)


def rebuild_reason(standing: Standing, policy: str, own: tuple[str, str], *, full: bool) -> str:
    """The same from how the view stands to its sources, why its text is another one and why its
    layout is outdated. Over what the recorded text reads a new text has no trouble.
    """
    text, layout = own
    if standing.trouble is not None and not text:
        raise standing.trouble
    reason = text or standing.rebuild or layout
    if reason and not full:
        require_full_allowed(standing.view, policy, reason)
    return reason


def reworded(world: World, record: ViewRecord) -> str:
    """Why the text is another one with the virtual views of today in it, "" if it is not."""
    if not record.written:
        return ""
    entries = world.catalog.read()
    if text_now(entries, record).parsed.text == record.sql:
        return ""
    names = ", ".join(f"`{name}`" for name in record.inlined)
    several = "one of the views" if len(record.inlined) > 1 else "the view"
    return f"{several} {names} was replaced"


def names_read_now(world: World, record: ViewRecord) -> tuple[str, ...]:
    """The names of the warehouse that a view reads, with the virtual views of today in its text."""
    if not record.written:
        return tuple(s.name for s in record.sources)
    entries = world.catalog.read()
    known = {e.name.lower() for e in entries.entries}
    return tuple(name for name in text_now(entries, record).tables if name in known)


def views_that_read(world: World, name: str) -> tuple[str, ...]:
    """The materialized views that read a name themselves; one that cannot be opened reads none."""
    found = []
    for entry in world.catalog.read().entries:
        if entry.kind == "view":
            with contextlib.suppress(EverviewError):
                if name.lower() in names_read_now(world, record_of(world.open(entry))):
                    found.append(entry.name)
    return tuple(found)


def text_now(entries: Entries, record: ViewRecord) -> Inlined:
    """A definition with the virtual views of today in it."""
    from everview.sql.read.inline import inlined
    from everview.sql.read.parse import parse_query
    from everview.views.resolve import virtual_views

    return inlined(parse_query(record.given), virtual_views(entries))


def outdated_layout(record: ViewRecord, defined: Defined) -> str:
    """Why the rows are not stored as this version of Everview stores them, "" if they are."""
    from everview.shape.bag import Bag

    shape = defined.shape
    layout = (shape.kept_as(record.layout) if isinstance(shape, Bag) else shape).layout
    same = (
        layout.kind == record.layout.kind
        and layout.key == record.layout.key
        and layout.stored.same_columns(record.layout.stored)
        and layout.tail == record.layout.tail
    )
    return "" if same or record.full_only else "rows are stored in another layout now"
