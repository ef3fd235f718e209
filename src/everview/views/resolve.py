"""What the names in a query stand for: the warehouse's own names first, then the session's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from everview.errors import (
    EverviewError,
    NotATable,
    Place,
    SqlNotAllowed,
    UnknownName,
    UnsupportedFeature,
)
from everview.lake.catalog import Entries, Entry
from everview.lake.delta.storage import location
from everview.run.session_tables import SessionTable, find_session_table
from everview.sql.inline import Inlined, VirtualView, inlined
from everview.sql.parse import Parsed, table_name, table_references
from everview.views.world import World, find_entry


@dataclass(frozen=True, slots=True)
class Outside:
    """A table of the session's catalog that Everview cannot follow by versions, and why."""

    table: SessionTable
    why: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Resolved:
    """A query over tables alone; all names in lower case."""

    query: Inlined
    entries: Mapping[str, Entry]
    outside: Mapping[str, Outside] = field(default_factory=dict)

    @property
    def parsed(self) -> Parsed:
        return self.query.parsed

    @property
    def inlined(self) -> tuple[str, ...]:
        """The virtual views that were in it."""
        return self.query.used

    def place(self, name: str) -> Place | None:
        """Where a table is named first in the original text."""
        named = (r for r in table_references(self.parsed) if table_name(r).lower() == name)
        return next((self.query.in_original(self.parsed.place(r)) for r in named), None)


def resolve(
    world: World,
    parsed: Parsed,
    *,
    known: Entries | None = None,
    given: frozenset[str] = frozenset(),
    temporary: bool = False,
) -> Resolved:
    """Find every name that is not a given one; UnknownName, at its place, for one that nobody
    knows.

    A Delta table of the session's catalog comes as an entry that is not in the catalog yet. A
    temporary view of the session is refused unless `temporary` allows it.
    """
    known = world.catalog.read() if known is None else known
    query = inlined(parsed, virtual_views(known))
    entries: dict[str, Entry] = {}
    outside: dict[str, Outside] = {}
    for reference in table_references(query.parsed):
        name = table_name(reference)
        if name in given:
            continue
        place = query.in_original(query.parsed.place(reference))
        entry = find_entry(known, name)
        if entry is not None:
            entries[name.lower()] = entry
            continue
        found = _in_session(world, tuple(p.name for p in reference.parts), place)
        if isinstance(found, Entry):
            entries[name.lower()] = found
        elif found is not None and found.table.kind == "TEMPORARY" and not temporary:
            raise SqlNotAllowed(
                f"`{name}` is a temporary view of the Spark session.",
                where=place,
                remedy="It ends with the session, and only a query can read it: write its rows "
                "to a table first.",
            )
        elif found is not None:
            outside[name.lower()] = found
        else:
            raise _unknown(known, name, place)
    return Resolved(query, entries, outside)


def virtual_views(entries: Entries) -> dict[str, VirtualView]:
    """The virtual views of the warehouse by lower-case name."""
    return {e.name.lower(): virtual_view(e) for e in entries.entries if e.kind == "virtual"}


def virtual_view(entry: Entry) -> VirtualView:
    raw = json.loads(entry.definition)
    return VirtualView(entry.name, raw["sql"], tuple(raw["columns"]), raw.get("comments", {}))


def virtual_entry(view: VirtualView, comment: str) -> Entry:
    definition = {"sql": view.sql, "columns": view.columns, "comments": dict(view.comments)}
    return Entry(view.name, "virtual", "", comment, "", json.dumps(definition))


def _in_session(
    world: World, parts: tuple[str, ...], place: Place | None
) -> Entry | Outside | None:
    name = ".".join(parts)
    if len(parts) == 2 and parts[0].lower() == "delta" and "/" in parts[1]:
        return Entry(name, "attached", _delta_place(world, location(parts[1]), place))
    table = find_session_table(world.engine.caller, parts)
    if table is None:
        return None
    if not table.is_delta:
        kind = "a view" if table.kind == "VIEW" else f"a {table.provider or 'foreign'} table"
        return Outside(table, f"`{name}` is {kind} of the Spark session, without versions", place)
    try:
        place_of = location(table.location)
        world.lake.open(place_of).head()
    except (NotATable, UnsupportedFeature) as error:
        return Outside(table, f"`{name}` cannot be read as a Delta table: {error.what}", place)
    return Entry(name, "attached", place_of)


def _delta_place(world: World, uri: str, place: Place | None) -> str:
    """The location of a table that the text gives by its path; it must be one."""
    try:
        world.lake.open(uri).head()
    except (NotATable, UnsupportedFeature) as error:
        remedy = error.remedy or "Give the folder of a Delta table, the one with _delta_log in it."
        raise type(error)(error.what, where=place, remedy=remedy) from error
    return uri


def _unknown(known: Entries, name: str, place: Place | None) -> EverviewError:
    names = ", ".join(e.name for e in known.entries) or "none yet"
    return UnknownName(
        f"There is no table or view `{name}`, neither here nor in the Spark session's catalog.",
        where=place,
        remedy=f"Known names: {names}. Create it with wh.create_table, or attach it with "
        "wh.attach.",
    )
