"""Creating and replacing views, and building anew those that no longer fit what they read."""

from __future__ import annotations

import uuid
from dataclasses import replace

from everview.above import check_views_above, check_virtual_above
from everview.build import BuildPlace, build, shape_for, understood
from everview.errors import NotATable, SqlNotAllowed, UnknownName
from everview.facts.merge_on_read import PROPERTY
from everview.facts.receipts import Receipt
from everview.facts.tables import Snapshot
from everview.lake.catalog import Entries, Entry
from everview.lake.port import LakeTable
from everview.spark.pinned import pinned_settings
from everview.sql.read.inline import VirtualView
from everview.sql.statements.spark_text import SparkText
from everview.understand import (
    Definition,
    built_anew,
    check_circle,
    definition_of,
    find_sources,
    understand,
)
from everview.views.catalog_changes import add_entry, check_name, no_folder_left
from everview.views.gather import Pins
from everview.views.resolve import virtual_entry
from everview.views.table_properties import set_merge_on_read
from everview.views.world import World, find_entry, record_in

_FIRST = "first build"
_REPLACED = "its definition was replaced"


def create_view(world: World, definition: Definition, *, replace: bool = False) -> Receipt:
    """Create a materialized view, or give the one of that name another definition."""
    entries = world.catalog.read()
    check_name(entries, definition.name, replaced="view" if replace else "")
    known = find_entry(entries, definition.name)
    table = None if known is None else _opened(world, known)
    if known is None or table is None:
        return _create(world, definition, replaced=known is not None)
    return _replace(world, known, table, definition)


def create_virtual_view(
    world: World, view: VirtualView, comment: str, *, replace: bool = False
) -> None:
    """Give a query a name; what reads the name reads the query."""
    entries = world.catalog.read()
    check_name(entries, view.name, replaced="virtual" if replace else "")
    settings = pinned_settings(world.engine.caller)
    definition = Definition(view.name, view.query, settings)
    sources = find_sources(world, definition)
    if isinstance(sources.query, SparkText):
        raise SqlNotAllowed(
            "Only Spark parses this text, so it cannot become a part of other queries.",
            where=sources.query.stop,
            remedy="Say it in another way at this place, or create a materialized view.",
        )
    check_circle(world, view.name.lower(), (*sources.entries, *sources.inlined))
    understand(world, definition, sources)
    entry = virtual_entry(view, comment)
    if replace:
        check_virtual_above(world, entries, entry)
    add_entry(world, entry, replaced=replace)


def rebuild_view(world: World, entry: Entry, base: Snapshot, reason: str, pins: Pins) -> Receipt:
    """Build a view anew by its own definition, on top of the version that no longer fits."""
    table = world.open(entry)
    record = record_in(base)
    place = BuildPlace(entry, table, base, f"built anew: {reason}")
    definition = definition_of(entry, record)
    with built_anew(entry.name, reason), understood(world, definition, pins) as plan:
        return build(world, plan, place, pins)


def _opened(world: World, entry: Entry) -> LakeTable | None:
    """The table of a view, None if its folder is gone."""
    try:
        return world.open(entry)
    except NotATable:
        return None


def _create(world: World, definition: Definition, *, replaced: bool) -> Receipt:
    """Build the view in a folder that no name points to, then publish its name, with `replaced`
    in place of a view whose folder is gone. If that fails the folder is removed.
    """
    location = f"views/{uuid.uuid4().hex}"
    wishes = {"policy": definition.policy, "when": definition.when}
    entry = Entry(definition.name, "view", location, definition.comment, **wishes)
    pins: Pins = {}
    with no_folder_left(world, location), understood(world, definition, pins) as plan:
        if replaced:
            check_views_above(world, entry.name, plan)
        shape = shape_for(plan.record(world))
        properties = dict(shape.properties)
        if definition.merge_on_read is not None:
            properties[PROPERTY] = definition.merge_on_read
        table = world.lake.create(world.uri(location), shape.schema, shape.partition_by, properties)
        receipt = build(world, plan, BuildPlace(entry, table, table.snapshot(0), _FIRST), pins)
        add_entry(world, entry, replaced=replaced, sources=tuple(plan.sources.entries))
    return receipt


def _replace(world: World, entry: Entry, table: LakeTable, definition: Definition) -> Receipt:
    """Another definition for a view: its table gets a version with that record and those rows;
    after it the catalog says the new comment and policy, and when it is refreshed.
    """
    base = table.snapshot(table.head().version)
    pins: Pins = {}
    with understood(world, definition, pins) as plan:
        check_views_above(world, entry.name, plan)
        receipt = build(world, plan, BuildPlace(entry, table, base, _REPLACED), pins)
    if definition.merge_on_read is not None:
        set_merge_on_read(world, table, definition.merge_on_read)
    _set_wishes(world, entry, definition)
    return receipt


def _set_wishes(world: World, entry: Entry, definition: Definition) -> None:
    """The comment and the policy of a view that was replaced, and when it is refreshed."""

    def decide(entries: Entries) -> tuple[Entry, ...]:
        known = find_entry(entries, entry.name)
        if known is None or known.location != entry.location:
            raise UnknownName(
                f"`{entry.name}` was dropped while it was replaced.",
                remedy="Create it again.",
            )
        wanted = replace(
            known,
            name=definition.name,
            comment=definition.comment,
            policy=definition.policy,
            when=definition.when,
            suspended="",
        )
        return (*(e for e in entries.entries if e != known), wanted)

    world.catalog.change(decide)
