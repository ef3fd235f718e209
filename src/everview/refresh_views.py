"""Refreshing several views: sources first, all at one set of source versions."""

from __future__ import annotations

from dataclasses import replace

from everview.facts.receipts import Receipt
from everview.lake.catalog import Entry
from everview.lake.delta.table import EmbeddedTable
from everview.views.gather import Pins
from everview.views.graph import refresh_order
from everview.views.replacement import why_rebuild
from everview.views.skipped import skipped
from everview.views.world import World, record_of


def refresh_views(world: World, names: list[str], *, full: bool) -> list[Receipt]:
    """Refresh these views and those below them; `full` recomputes the named ones.

    Gives a receipt per named view, or per view refreshed where several were named.
    """
    views = [e.name for e in world.catalog.read().entries if e.kind == "view"]
    records = {n.lower(): record_of(world.open(world.entry(n))) for n in views}
    sources = {n: tuple(s.name for s in r.sources) for n, r in records.items()}
    wanted = [n.lower() for n in names]
    order = refresh_order(wanted, sources)
    pins = _pins(world, [s for n in order for s in sources[n] if s not in sources])
    done: dict[str, Receipt] = {}
    for name in order:
        receipt = _refresh_one(world, name, pins, full=full and name in wanted)
        below = refresh_order([name], sources)[:-1]
        done[name] = replace(receipt, below=tuple(done[b] for b in below))
    return [done[n] for n in (wanted if full or len(wanted) == 1 else done)]


def _pins(world: World, names: list[str]) -> Pins:
    """The versions of all tables at the start: every view of the run reads these."""
    heads = [world.open(world.entry(n)).head() for n in dict.fromkeys(names)]
    return {head.id: head.version for head in heads}


def _refresh_one(world: World, name: str, pins: Pins, *, full: bool) -> Receipt:
    """Refresh a view whose sources are done; one that no longer fits is built anew."""
    entry = world.entry(name, "view")
    table = world.open(entry)
    idle = skipped(world, entry, table, pins, full=full)
    return idle or _run_refresh(world, entry, table, pins, full=full)


def _run_refresh(
    world: World, entry: Entry, table: EmbeddedTable, pins: Pins, *, full: bool
) -> Receipt:
    """Refresh a view of which something may have changed, or build it anew."""
    # Only now: what runs Spark takes long to load.
    from everview.create import Definition, build
    from everview.refresh import refresh
    from everview.views.catalog_changes import add_entry

    record = record_of(table)
    reason = why_rebuild(world, entry.name, table)
    if not reason:
        return refresh(world, entry, table, pins, full=full)
    definition = Definition(
        entry.name,
        record.sql,
        record.settings,
        entry.policy,
        entry.comment,
        record.comments,
        record.inlined,
    )
    built = build(world, definition, pins)
    add_entry(world, built.entry, replaced=True, sources=built.sources)
    return replace(built.receipt, reason=f"built anew: {reason}")
