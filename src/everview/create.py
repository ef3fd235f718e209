"""Creating a view: understand it, build it in a folder of its own, check it, publish its name."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from everview.errors import (
    InvalidName,
    NotATable,
    NotIncremental,
    SqlNotAllowed,
    UnknownName,
)
from everview.facts.receipts import Receipt
from everview.facts.schema import Schema
from everview.facts.views import RESERVED_PREFIX, SourceRecord, ViewRecord
from everview.lake.catalog import Entry
from everview.lake.delta.table import EmbeddedTable
from everview.plan.shape import FullOnly, full_only
from everview.refresh import refresh
from everview.run.define import Defined, define, user_frame
from everview.run.engine import Actions, whole
from everview.run.fingerprint import compared_columns, fingerprint
from everview.run.read import packed_schema, snapshot_frame
from everview.sql.parse import forbid_outside_state, parse_query, table_name, table_references
from everview.version import VERSION
from everview.views.catalog_changes import sources_of_views
from everview.views.gather import Pins
from everview.views.graph import find_circle
from everview.views.loose import loose_columns
from everview.views.world import VIEW_PROPERTY, World, find_entry, public_schema

# Above this many bytes of sources the two ways to the result are not compared at creation.
MOST_COMPARED_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Definition:
    """What the user gave: the text, the settings it is read under, and the wishes."""

    name: str
    sql: str
    settings: Mapping[str, str]
    policy: str = "AUTO"
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Built:
    """A view built in a folder that no name points to yet."""

    entry: Entry
    receipt: Receipt
    sources: tuple[str, ...] = ()


def build(world: World, definition: Definition, pins: Pins) -> Built:
    """Build the view's rows; publishing its name is the caller's next step."""
    sources = find_sources(world, definition)
    try:
        return _build_from(world, definition, sources, pins)
    except NotATable as error:
        raise UnknownName(
            f"A source of `{definition.name}` went away while it was built: {', '.join(sources)}.",
            remedy="Nothing was published; create the view again.",
        ) from error


def _build_from(
    world: World, definition: Definition, sources: dict[str, EmbeddedTable], pins: Pins
) -> Built:
    _check_circle(world, definition.name.lower(), tuple(sources))
    schemas = {name: public_schema(t, t.head().version) for name, t in sources.items()}
    defined = define(world.engine, definition.sql, schemas, definition.settings)
    _check_columns(defined.columns)
    _check_policy(definition, defined)
    built = _build(world, definition, defined, (sources, pins))
    wrong = _compared(world, built, (sources, pins))
    if not wrong:
        return built
    defined = replace(defined, shape=full_only(wrong, None, defined.columns))
    _check_policy(definition, defined)
    return _build(world, definition, defined, (sources, pins))


def find_sources(world: World, definition: Definition) -> dict[str, EmbeddedTable]:
    """The tables and views that the text reads, by lower-case name."""
    parsed = parse_query(definition.sql)
    forbid_outside_state(parsed)
    entries = world.catalog.read()
    found: dict[str, EmbeddedTable] = {}
    for reference in table_references(parsed):
        name = table_name(reference)
        entry = find_entry(entries, name)
        if entry is None or name.lower() == definition.name.lower():
            itself = " (a view cannot read itself)" if entry else ""
            raise UnknownName(
                f"There is no table or view `{name}` to read{itself}.",
                where=parsed.place(reference),
                remedy="Create it with wh.create_table, or attach it with wh.attach.",
            )
        found[name.lower()] = world.open(entry)
    return found


def _check_circle(world: World, name: str, sources: tuple[str, ...]) -> None:
    """A view that is replaced must not come to read itself by way of other views."""
    known = {**sources_of_views(world), name: sources}
    circle = find_circle(name, known)
    if circle:
        raise SqlNotAllowed(
            f"`{name}` would read itself: {' -> '.join(circle)}.",
            remedy="Let it read tables, or views that do not read it.",
        )


def _check_columns(columns: Schema) -> None:
    seen: set[str] = set()
    for field in columns.fields:
        if field.name.lower().startswith(RESERVED_PREFIX):
            raise InvalidName(
                f"The column `{field.name}` begins with {RESERVED_PREFIX}, which is reserved.",
                remedy="Give it another name with AS.",
            )
        if field.name.lower() in seen:
            raise InvalidName(
                f"Two columns are named `{field.name}`.",
                remedy="Give each column its own name with AS.",
            )
        seen.add(field.name.lower())


def _check_policy(definition: Definition, defined: Defined) -> None:
    """INCREMENTAL and STRICT refuse at creation what cannot be incremental."""
    shape = defined.shape
    if isinstance(shape, FullOnly) and definition.policy.startswith("INCREMENTAL"):
        raise NotIncremental(
            f"Only a full recompute is possible: {shape.reason}.",
            where=shape.place,
            remedy="Use policy AUTO or FULL to have it recomputed in full at every refresh.",
        )


Sources = tuple[dict[str, EmbeddedTable], Pins]


def _build(world: World, definition: Definition, defined: Defined, sources: Sources) -> Built:
    shape = defined.shape
    record = ViewRecord(
        sql=definition.sql,
        settings=dict(definition.settings),
        columns=defined.columns,
        sources=tuple(
            SourceRecord(n, t.head().id, public_schema(t, t.head().version), defined.used[n])
            for n, t in sources[0].items()
        ),
        layout=shape.layout,
        full_only=shape.reason if isinstance(shape, FullOnly) else "",
        created_with=VERSION,
    )
    location = f"views/{uuid.uuid4().hex}"
    table = world.lake.create(
        world.uri(location),
        packed_schema(shape.layout.stored),
        (),
        {VIEW_PROPERTY: record.to_json()},
    )
    entry = Entry(definition.name, "view", location, definition.comment, definition.policy)
    return Built(entry, refresh(world, entry, table, sources[1]), tuple(sources[0]))


def _compared(world: World, built: Built, sources: Sources) -> str:
    """Why the rows built are not those of the user's own text, "" if they are or it was not
    asked.
    """
    table = world.open(built.entry)
    record = ViewRecord.from_json(table.head().properties[VIEW_PROPERTY])
    tables, pins = sources
    snapshots = {n: t.snapshot(pins[t.head().id]) for n, t in tables.items()}
    size = sum(s.bytes for s in snapshots.values())
    if record.full_only or size > MOST_COMPARED_BYTES:
        return ""
    loose = loose_columns(world.defined(table, record))
    compared, _ = compared_columns(record.columns, loose)
    actions = Actions()
    with world.engine.settings(whole(size), record.settings) as spark:
        frames = {
            n: snapshot_frame(spark, s).select(*_names(record.source(n).schema))
            for n, s in snapshots.items()
        }
        text = user_frame(world.engine, parse_query(record.sql), frames)
        theirs = fingerprint(text, compared, "compare", actions)
        stored = snapshot_frame(spark, table.snapshot(table.head().version))
        ours = fingerprint(stored, compared, "compare", actions)
    if ours == theirs:
        return ""
    return "our reading of the text gives other rows than Spark's (found at creation)"


def _names(schema: Schema) -> list[str]:
    return ["`" + n.replace("`", "``") + "`" for n in schema.names]
