"""Facts of a refresh in which changes that cancel are left out, where the driver can tell."""

from __future__ import annotations

from dataclasses import replace

from everview.choose.netting import is_netted_by_driver, may_be_equal, netted_columns
from everview.facts.refreshes import Gross, RefreshFacts, SourceFacts
from everview.facts.tables import Lost, TableChanges
from everview.shape.shape import FullOnly, Shape
from everview.views.world import World


def netted(world: World, facts: RefreshFacts, shape: Shape, *, full: bool) -> RefreshFacts:
    """The facts with the changes of sources netted where that pays.

    Where the view can only be recomputed, only whether nothing changed at all is worth knowing.
    """
    stored = facts.stored
    if full or not stored.built or stored.distrust or stored.record.outside:
        return facts
    lost = any(isinstance(s.changes, Lost) for s in facts.sources)
    recomputed = lost or isinstance(shape, FullOnly) or facts.policy == "FULL"
    moved = [s for s in facts.sources if s.changed]
    if lost or (recomputed and not all(map(_may_be_equal, moved))):
        return facts
    sources = tuple(_netted(world, facts, s) if s.changed else s for s in facts.sources)
    return replace(facts, sources=sources)


def _may_be_equal(source: SourceFacts) -> bool:
    return isinstance(source.changes, TableChanges) and may_be_equal(source.changes)


def _netted(world: World, facts: RefreshFacts, source: SourceFacts) -> SourceFacts:
    # Only now: Arrow's readers take long to load.
    from everview.run.driver.net_changes import net_changes

    changes = source.changes
    if not isinstance(changes, TableChanges) or not is_netted_by_driver(changes):
        return source
    if source.tail is not None:  # a row that is stored but not shown is no row
        return source
    names = netted_columns(facts, source)
    if names is None:
        return source
    table = world.open(world.entry(source.name))
    found = net_changes(changes, names, table.open_file)
    if found is None or found.rows == changes.rows:
        return source
    return replace(source, changes=found, gross=Gross(changes.rows or 0, changes.bytes))
