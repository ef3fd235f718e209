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
    SqlSyntax,
    UnknownName,
    UnsupportedFeature,
)
from everview.facts.schema import Schema
from everview.facts.views import Mention
from everview.lake.catalog import Entries, Entry
from everview.lake.storage import location
from everview.run.rows.session_tables import SessionTable, find_session_table, session_schema
from everview.run.understand.find_tables import read_by_spark
from everview.sql.read.inline import Inlined, VirtualView, inlined
from everview.sql.read.parse import Parsed, table_name, table_references
from everview.sql.statements.spark_text import AnyQuery, SparkText
from everview.views.world import World, find_entry, public_schema


@dataclass(frozen=True, slots=True)
class Outside:
    """A table of the session's catalog that Everview cannot follow by versions, and why."""

    table: SessionTable
    why: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Resolved:
    """A query over tables alone; all names in lower case."""

    read: Inlined | SparkText
    entries: Mapping[str, Entry]
    outside: Mapping[str, Outside] = field(default_factory=dict)
    functions: Mapping[str, Place | None] = field(default_factory=dict)  # of the session's catalog

    @property
    def query(self) -> AnyQuery:
        return self.read.parsed if isinstance(self.read, Inlined) else self.read

    @property
    def inlined(self) -> tuple[str, ...]:
        """The virtual views that were in it."""
        return self.read.used if isinstance(self.read, Inlined) else ()

    @property
    def mentions(self) -> tuple[Mention, ...] | None:
        """Where a text that only Spark parses names its tables; None of another."""
        return self.read.mentions if isinstance(self.read, SparkText) else None

    def in_original(self, place: Place | None) -> Place | None:
        """A place of the query as one of the text that it was made of."""
        return self.read.in_original(place) if isinstance(self.read, Inlined) else place

    def place(self, name: str) -> Place | None:
        """Where a table is named first in the original text."""
        query = self.query
        if isinstance(query, SparkText):
            named = (m for m in query.mentions if m.name == name)
            return next((query.place_at(m.start, m.end - 1) for m in named), None)
        nodes = (r for r in table_references(query) if table_name(r).lower() == name)
        return next((self.in_original(query.place(node)) for node in nodes), None)


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
        parts = tuple(p.name for p in reference.parts)
        found = _named(world, known, parts, place, temporary=temporary)
        if isinstance(found, Entry):
            entries[name.lower()] = found
        else:
            outside[name.lower()] = found
    return Resolved(query, entries, outside)


def resolve_by_spark(
    world: World,
    text: str,
    stop: SqlSyntax,
    given: Mapping[str, Schema] | None = None,
    *,
    temporary: bool = False,
) -> Resolved:
    """The same of a text at which our own parser stopped; Spark says where its tables are.

    With `temporary` that is the caller's session, else ours; then call inside `engine.settings`.
    """
    known = world.catalog.read()
    entries: dict[str, Entry] = {}
    outside: dict[str, Outside] = {}
    spark = world.engine.caller if temporary else world.engine.own

    def find(parts: tuple[str, ...], place: Place) -> Schema:
        name = ".".join(parts)
        if given is not None and name in given:
            return given[name]
        found = _named(world, known, parts, place, temporary=temporary)
        if isinstance(found, Outside):
            outside[name.lower()] = found
            return session_schema(spark, found.table)
        if found.kind == "virtual":
            raise SqlNotAllowed(
                f"`{name}` is a view, and only Spark parses the text around it: the view's query "
                "cannot be put in its place.",
                where=place,
                remedy="Read the tables of the view, or a materialized view.",
            )
        entries[name.lower()] = found
        table = world.open(found)
        return public_schema(table, table.head().version)

    return Resolved(read_by_spark(spark, text, stop, find), entries, outside)


def _named(
    world: World,
    known: Entries,
    parts: tuple[str, ...],
    place: Place | None,
    *,
    temporary: bool,
) -> Entry | Outside:
    """What a name stands for; UnknownName for one that nobody knows."""
    name = ".".join(parts)
    found = find_entry(known, name) or _in_session(world, parts, place)
    if found is None:
        raise _unknown(known, name, place)
    if isinstance(found, Outside) and found.table.kind == "TEMPORARY" and not temporary:
        raise SqlNotAllowed(
            f"`{name}` is a temporary view of the Spark session.",
            where=place,
            remedy="It ends with the session, and only a query can read it: write its rows to a "
            "table first.",
        )
    return found


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
