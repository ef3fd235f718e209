"""Refreshing several views: sources first, all at one set of source versions."""

from __future__ import annotations

from dataclasses import replace

from everview.create import rebuild_view
from everview.facts.receipts import Receipt
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entries
from everview.refresh import refresh
from everview.views.gather import Pins
from everview.views.graph import refresh_order
from everview.views.replacement import text_now, why_rebuild
from everview.views.world import World, record_of


def refresh_views(world: World, names: list[str], *, full: bool) -> list[Receipt]:
    """Refresh these views and those below them; `full` recomputes the named ones.

    Gives a receipt per named view, or per view refreshed where several were named.
    """
    entries = world.catalog.read()
    views = [e for e in entries.entries if e.kind == "view"]
    records = {e.name.lower(): record_of(world.open(e)) for e in views}
    sources = {name: _read_now(entries, record) for name, record in records.items()}
    wanted = [n.lower() for n in names]
    order = refresh_order(wanted, sources)
    pins = _pins(world, [s for n in order for s in sources[n] if s not in sources])
    done: dict[str, Receipt] = {}
    for name in order:
        receipt = _refresh_one(world, name, pins, full=full and name in wanted)
        below = refresh_order([name], sources)[:-1]
        done[name] = replace(receipt, below=tuple(done[b] for b in below))
    return [done[n] for n in (wanted if full or len(wanted) == 1 else done)]


def _read_now(entries: Entries, record: ViewRecord) -> tuple[str, ...]:
    """The names of the warehouse that a view reads, with the virtual views of today in its text."""
    if not record.inlined:
        return tuple(s.name for s in record.sources)
    known = {e.name.lower() for e in entries.entries}
    return tuple(name for name in text_now(entries, record).tables if name in known)


def _pins(world: World, names: list[str]) -> Pins:
    """The versions of all tables at the start: every view of the run reads these."""
    heads = [world.open(world.entry(n)).head() for n in dict.fromkeys(names)]
    return {head.id: head.version for head in heads}


def _refresh_one(world: World, name: str, pins: Pins, *, full: bool) -> Receipt:
    """Refresh a view whose sources are done; one that no longer fits is built anew."""
    entry = world.entry(name, "view")
    table = world.open(entry)
    base = table.snapshot(table.head().version)
    reason = why_rebuild(world, entry.name, table)
    if reason:
        return rebuild_view(world, entry, base, reason, pins)
    return refresh(world, entry, table, pins, full=full)
