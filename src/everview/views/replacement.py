"""When a stored view no longer fits its sources or its layout, and must be built anew."""

from __future__ import annotations

from everview.errors import UnknownName
from everview.facts.schema import Schema
from everview.facts.views import SourceRecord, ViewRecord
from everview.lake.catalog import Entries
from everview.lake.delta.table import EmbeddedTable
from everview.run.define import Defined
from everview.sql.inline import Inlined, inlined
from everview.sql.parse import parse_query
from everview.views.resolve import virtual_views
from everview.views.world import World, find_entry, public_schema, record_of, tail_at


def why_rebuild(world: World, view: str, table: EmbeddedTable) -> str:
    """Why a refresh would build the view anew, "" if it can go on from what is stored."""
    record = record_of(table)
    reason = why_replace(world, view, record)
    return reason or outdated_layout(record, world.defined(table, record))


def why_replace(world: World, view: str, record: ViewRecord) -> str:
    """Why the recorded sources are not those of today, "" if they are. Ids decide, never names."""
    entries = world.catalog.read()
    for source in record.sources:
        entry = find_entry(entries, source.name)
        if entry is None:
            raise UnknownName(
                f"`{view}` reads `{source.name}`, which is gone.",
                remedy=f"Create or attach `{source.name}` again, or drop the view.",
            )
        table = world.open(entry)
        head = table.head()
        if head.id != source.id:
            return f"`{source.name}` is another table than before (dropped and created again)"
        reason = _reshaped(source, public_schema(table, head.version))
        if reason:
            return reason
        limited = tail_at(table, head.version) is not None
        if limited != source.limited:
            return f"`{source.name}` has {'a' if limited else 'no'} LIMIT now"
    return _reworded(entries, record)


def _reworded(entries: Entries, record: ViewRecord) -> str:
    """Why the text is another one with the virtual views of today in it; one without any never
    is.
    """
    if not record.written or text_now(entries, record).parsed.text == record.sql:
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


def text_now(entries: Entries, record: ViewRecord) -> Inlined:
    """A definition with the virtual views of today in it."""
    return inlined(parse_query(record.given), virtual_views(entries))


def _reshaped(source: SourceRecord, now: Schema) -> str:
    for name in source.used:
        if name not in now:
            return f"`{source.name}` has no column `{name}` any more"
        if now[name].type != source.schema[name].type:
            before, after = source.schema[name].type, now[name].type
            return f"`{source.name}`.`{name}` was {before} and is {after}"
    return ""


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
