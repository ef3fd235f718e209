"""Planning a refresh of one view: its facts, its shape, the choice and the steps."""

from __future__ import annotations

from dataclasses import replace

from everview.choose.choose import choose
from everview.facts.refreshes import Wish
from everview.facts.refusals import RefusalKind
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.program.planned import Planned, with_steps
from everview.shape.bag import Bag
from everview.shape.shape import Shape, full_only
from everview.views.gather import Pins, gather
from everview.views.netted import netted
from everview.views.world import World


def planned(world: World, entry: Entry, table: LakeTable, pins: Pins, wish: Wish) -> Planned:
    """What a refresh to the pinned versions of the sources would do; nothing is run."""
    facts = replace(gather(world, entry, table, pins), read_by=wish.read_by)
    shape = shape_of_view(world, table, facts.stored.record)
    facts = netted(world, facts, shape, full=wish.full)
    return with_steps(facts, shape, choose(facts, shape, full=wish.full, asked=wish.strategy))


def shape_of_view(world: World, table: LakeTable, record: ViewRecord) -> Shape:
    """The view's shape: by its text, unless it was found at creation to be full only."""
    defined = world.defined(table, record)
    if record.full_only:
        place = getattr(defined.shape, "place", None)
        kind = record.full_kind or RefusalKind.UNKNOWN
        shape = full_only(kind, record.full_only, place, record.columns)
        return replace(shape, moment=record.moment or defined.moment)
    found = defined.shape
    return found.kept_as(record.layout) if isinstance(found, Bag) else found
