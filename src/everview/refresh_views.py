"""Refreshing several views: sources first, all at one set of source versions."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from everview.create import build
from everview.errors import EverviewError
from everview.facts.receipts import Receipt
from everview.refresh import refresh
from everview.views.catalog_changes import add_entry
from everview.views.definition import built_anew, definition_again
from everview.views.gather import Pins
from everview.views.graph import refresh_order
from everview.views.replacement import why_rebuild
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
    """The versions of all tables at the start: every view of the run reads these. One that cannot
    be read is told of by the views that read it.
    """
    pins = {}
    for name in dict.fromkeys(names):
        with contextlib.suppress(EverviewError):
            head = world.open(world.entry(name)).head()
            pins[head.id] = head.version
    return pins


def _refresh_one(world: World, name: str, pins: Pins, *, full: bool) -> Receipt:
    """Refresh a view whose sources are done; one that no longer fits is built anew."""
    entry = world.entry(name, "view")
    table = world.open(entry)
    reason = why_rebuild(world, entry, table, full=full)
    if not reason:
        return refresh(world, entry, table, pins, full=full)
    with built_anew(entry.name, reason):
        built = build(world, definition_again(entry, record_of(table)), pins)
    add_entry(world, built.entry, replaced=True, sources=built.sources)
    return replace(built.receipt, reason=f"built anew: {reason}")
