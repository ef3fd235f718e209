"""Attached tables: made known by a name, and pointed to where they lie now."""

from __future__ import annotations

from dataclasses import replace as changed

from everview.errors import CopiedTable, InvalidArgument, NotATable
from everview.facts.tables import CommitInfo
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.lake.storage import location
from everview.views.catalog_changes import add_entry, alter_entry, check_name, refuse_copy
from everview.views.world import World, find_entry, record_of


def attach_table(world: World, name: str, path: str, *, replace: bool) -> None:
    """Make a table known by a name; with `replace` the name may be that of an attached table,
    which then lies there.
    """
    entries = world.catalog.read()
    check_name(entries, name, "attached" if replace else "")
    entry = find_entry(entries, name)
    if entry is None:
        place = location(path)
        refuse_copy(world, place)
        add_entry(world, Entry(name, "attached", place))
    else:
        _point(world, entry, location(path))


def set_location(world: World, entry: Entry, path: str) -> None:
    """Point an attached table to where it was moved; InvalidArgument if another table lies
    there.
    """
    if entry.kind != "attached":
        raise InvalidArgument(
            f"`{entry.name}` is a table of the warehouse, which keeps it in its own folder.",
            remedy="Only an attached table has a location of its own.",
        )
    place = location(path)
    known = _known_ids(world, entry)
    found = world.lake.open(place).head().id
    if known and found not in known:
        raise InvalidArgument(
            f"The table at {place} is another one than `{entry.name}`: it has the id {found}, not "
            f"{' or '.join(sorted(known))}.",
            remedy=f"To read it as `{entry.name}` from now on: wh.attach({entry.name!r}, path, "
            "replace=True) or ATTACH OR REPLACE; views of it are then built anew.",
        )
    _point(world, entry, place)


def _point(world: World, entry: Entry, place: str) -> None:
    refuse_copy(world, place, moved=entry.name)
    if place == entry.location:
        return
    _require_same_past(world, entry, world.lake.open(place))
    alter_entry(world, entry, changed(entry, location=place))


def _known_ids(world: World, entry: Entry) -> set[str]:
    """The id of the table as it lay until now; if that is gone, what views recorded of it."""
    before = _before(world, entry)
    if before is not None:
        return {before.head().id}
    found = set()
    for view in world.catalog.read().entries:
        if view.kind != "view":
            continue
        try:
            sources = record_of(world.open(view)).sources
        except NotATable:
            continue
        found |= {s.id for s in sources if s.name == entry.name.lower()}
    return found


def _before(world: World, entry: Entry) -> LakeTable | None:
    """The table where it lay until now; None if it cannot be opened there, for whatever reason."""
    try:
        return world.open(entry)
    except Exception:
        return None


def _require_same_past(world: World, entry: Entry, table: LakeTable) -> None:
    """A copy of a folder has the id of the original: once the two were written apart, a version
    of one is not that version of the other, and views must not go on from it.
    """
    before = _before(world, entry)
    if before is None or before.head().id != table.head().id:
        return
    common = min(before.head().version, table.head().version)
    one, other = _commit(before, common), _commit(table, common)
    if one is not None and other is not None and one != other:
        raise CopiedTable(
            f"The table at {table.uri} is a copy of `{entry.name}` that was written on its own: "
            f"their versions {common} differ.",
            remedy="Write it anew as a table of its own.",
        )


def _commit(table: LakeTable, version: int) -> CommitInfo | None:
    return next((c for c in table.history() if c.version == version), None)
