"""Cards of a warehouse, its views and its tables, from their logs alone: no Spark job is run."""

from __future__ import annotations

from everview.errors import EverviewError
from everview.facts.failures import unforeseen
from everview.facts.wording import size_text
from everview.lake.catalog import Entry
from everview.views.broken import broken_status
from everview.views.gather import stored_facts
from everview.views.outlook import outlook
from everview.views.status import Status, status_of, status_row, status_table
from everview.views.status_card import (
    definition_parts,
    plain_card,
    self_maintenance_part,
    status_card,
    table_card,
    warehouse_card,
)
from everview.views.world import KINDS, World, receipts_of, record_of

_COMMITS_SHOWN = 5
_COMMITS_SEARCHED = 20


def view_html(world: World, entry: Entry) -> str:
    """A view: how it stands, its columns and its text."""
    try:
        status, record = _status(world, entry), record_of(world.open(entry))
    except EverviewError as error:
        return plain_card(entry.name, error.title, error.what)
    beside = (self_maintenance_part(status.beside),) if record.sources else ()
    parts = (*beside, *definition_parts(record.sql, record.columns))
    return status_card(status, status_row(status, status.asked_at), parts)


def table_html(world: World, entry: Entry) -> str:
    """A table: its size, its columns, its latest commits."""
    try:
        table = world.open(entry)
        snapshot = table.snapshot(table.head().version)
        commits = table.history(_COMMITS_SHOWN)
    except EverviewError as error:
        return plain_card(entry.name, error.title, error.what)
    return table_card(entry.name, KINDS[entry.kind], snapshot, commits, world.now())


def warehouse_html(world: World | None) -> str:
    """All views with their freshness, and all tables."""
    if world is None:
        return plain_card("warehouse", "closed", "Open it again: ev.open(...).")
    entries = world.catalog.read().entries
    views = [_view_row(world, e) for e in entries if e.kind == "view"]
    tables = [_table_row(world, e) for e in entries if e.kind != "view"]
    header = status_table((), 0)
    return warehouse_card(world.catalog.uri, [*header, *views], tables)


def _status(world: World, entry: Entry) -> Status:
    table = world.open(entry)
    stored = stored_facts(table)
    receipts = receipts_of(table, _COMMITS_SEARCHED)
    return status_of(entry, stored, outlook(world, entry, stored), receipts, world.now())


def _view_row(world: World, entry: Entry) -> tuple[str, ...]:
    try:
        status = _status(world, entry)
    except Exception as error:
        status = broken_status(world, entry, unforeseen(error))
    return status_row(status, status.asked_at)


def _table_row(world: World, entry: Entry) -> tuple[str, ...]:
    kind = KINDS[entry.kind]
    if not entry.location:
        return entry.name, kind, "", "", ""
    try:
        table = world.open(entry)
        snapshot = table.snapshot(table.head().version)
    except EverviewError as error:
        return entry.name, kind, error.title, "", ""
    rows = "?" if snapshot.rows is None else f"{snapshot.rows:,}"
    return entry.name, kind, f"{snapshot.version}", rows, size_text(snapshot.bytes)
