"""Creating a view: understand it, build it in a folder of its own, check it, publish its name."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from everview.errors import (
    InvalidArgument,
    InvalidName,
    NotATable,
    NotIncremental,
    SqlNotAllowed,
    StillUsed,
    UnknownName,
)
from everview.facts.receipts import Receipt
from everview.facts.schema import Schema
from everview.facts.views import POLICIES, RESERVED_PREFIX, SourceRecord, ViewRecord
from everview.lake.catalog import Entry
from everview.plan.loose import loose_columns
from everview.plan.shape import FullOnly, Shape, full_only
from everview.refresh import refresh
from everview.run.compare import is_same
from everview.run.define import Defined, define
from everview.run.engine import whole
from everview.run.log import logged
from everview.run.pinned import pinned_settings
from everview.run.read import packed_schema, snapshot_frame
from everview.run.session_tables import session_schema
from everview.run.spark_errors import spark_failures
from everview.sql.inline import VirtualView
from everview.sql.parse import forbid_outside_state, parse_query, table_name, table_references
from everview.version import VERSION
from everview.views.catalog_changes import (
    add_entry,
    attach_found,
    check_name,
    drop_entry,
    no_folder_left,
    remove_folder,
    sources_of_views,
)
from everview.views.gather import Pins
from everview.views.graph import find_circle, readers
from everview.views.resolve import Resolved, resolve, virtual_entry
from everview.views.world import VIEW_PROPERTY, World, public_schema, tail_of


@dataclass(frozen=True, slots=True)
class Definition:
    """What the user gave: the text, the settings it is read under, and the wishes."""

    name: str
    sql: str
    settings: Mapping[str, str]
    policy: str = "AUTO"
    comment: str = ""
    comments: Mapping[str, str] = field(default_factory=dict)  # by column
    inlined: tuple[str, ...] = ()  # virtual views whose queries are in the text already


@dataclass(frozen=True, slots=True)
class Built:
    """A view built in a folder that no name points to yet."""

    entry: Entry
    receipt: Receipt
    sources: tuple[str, ...] = ()


def create_view(world: World, definition: Definition, *, replace: bool = False) -> Receipt:
    """Create a materialized view, or put it in the place of the one of that name."""
    check_name(world.catalog.read(), definition.name, replaced="view" if replace else "")
    built = build(world, definition, {})
    with no_folder_left(world, built.entry.location):
        add_entry(world, built.entry, replaced=replace, sources=built.sources)
    return built.receipt


def policy_of(text: object) -> str:
    """The policy that a text names, whatever its case."""
    wanted = str(text).strip().upper()
    if wanted not in POLICIES:
        raise InvalidArgument(
            f"There is no policy {text!r}.", remedy=f"Choose one of {', '.join(POLICIES)}."
        )
    return wanted


def create_virtual_view(
    world: World, view: VirtualView, comment: str, *, replace: bool = False
) -> None:
    """Give a query a name; what reads the name reads the query."""
    check_name(world.catalog.read(), view.name, replaced="virtual" if replace else "")
    used = readers(view.name.lower(), sources_of_views(world))
    if used:
        raise StillUsed(
            f"`{view.name}` is part of {', '.join(used)}.", remedy="Drop those views first."
        )
    settings = pinned_settings(world.engine.caller)
    definition = Definition(view.name, view.query, settings)
    sources = find_sources(world, definition)
    _check_circle(world, view.name.lower(), (*sources.entries, *sources.inlined))
    understand(world, definition, sources)
    add_entry(world, virtual_entry(view, comment), replaced=replace)


def build(world: World, definition: Definition, pins: Pins) -> Built:
    """Build the view's rows; publishing its name is the caller's next step."""
    sources = find_sources(world, definition)
    attached = attach_found(world, sources.entries.values())
    try:
        return _build_from(world, definition, sources, pins)
    except BaseException as error:
        for name in attached:
            drop_entry(world, name)
        if not isinstance(error, NotATable):
            raise
        names = ", ".join(sources.entries)
        raise UnknownName(
            f"A source of `{definition.name}` went away while it was built: {names}.",
            remedy="Nothing was published; create the view again.",
        ) from error


def understand(world: World, definition: Definition, sources: Resolved) -> Defined:
    """What the definition means and how it can be maintained; nothing is written."""
    tables = {n: world.open(e) for n, e in sources.entries.items()}
    schemas = {name: public_schema(t, t.head().version) for name, t in tables.items()}
    schemas |= {n: session_schema(world.engine.own, o.table) for n, o in sources.outside.items()}
    defined = define(world.engine, sources.parsed.text, schemas, definition.settings)
    _check_columns(defined.columns)
    shape = defined.shape
    if isinstance(shape, FullOnly):  # its place is one in the text with virtual views inlined
        shape = dataclasses.replace(shape, place=sources.query.in_original(shape.place))
    moment = defined.moment
    if moment is not None:
        place = sources.query.in_original(moment.place)
        moment = dataclasses.replace(moment, place=place)
    for name in (n for n, t in tables.items() if tail_of(t) is not None):
        reason = f"`{name}` has a LIMIT, its rows are not changed row by row"
        shape = full_only(reason, sources.place(name), defined.columns)
    for outside in sources.outside.values():
        shape = full_only(outside.why, outside.place, defined.columns)
    require_policy(shape, definition.policy)
    return dataclasses.replace(defined, shape=shape, moment=moment)


def _build_from(world: World, definition: Definition, sources: Resolved, pins: Pins) -> Built:
    _check_circle(world, definition.name.lower(), tuple(sources.entries))
    defined = understand(world, definition, sources)
    built = _build(world, definition, defined, (sources, pins))
    with no_folder_left(world, built.entry.location):
        wrong = _compared(world, built, (sources, pins))
    if not wrong:
        return built
    remove_folder(world, built.entry.location)
    defined = dataclasses.replace(defined, shape=full_only(wrong, None, defined.columns))
    require_policy(defined.shape, definition.policy)
    return _build(world, definition, defined, (sources, pins))


def find_sources(world: World, definition: Definition) -> Resolved:
    """The tables and views that the text reads, virtual views replaced by what they read."""
    parsed = parse_query(definition.sql)
    forbid_outside_state(parsed)
    for reference in table_references(parsed):
        name = table_name(reference)
        if name.lower() == definition.name.lower():
            raise UnknownName(
                f"There is no table or view `{name}` to read (a view cannot read itself).",
                where=parsed.place(reference),
                remedy="Create it with wh.create_table, or attach it with wh.attach.",
            )
    return resolve(world, parsed)


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
    for column in columns.fields:
        if column.name.lower().startswith(RESERVED_PREFIX):
            raise InvalidName(
                f"The column `{column.name}` begins with {RESERVED_PREFIX}, which is reserved.",
                remedy="Give it another name with AS.",
            )
        if column.name.lower() in seen:
            raise InvalidName(
                f"Two columns are named `{column.name}`.",
                remedy="Give each column its own name with AS.",
            )
        seen.add(column.name.lower())


def require_policy(shape: Shape, policy: str) -> None:
    """INCREMENTAL and STRICT refuse at creation what cannot be incremental."""
    if isinstance(shape, FullOnly) and policy.startswith("INCREMENTAL"):
        raise NotIncremental(
            f"Only a full recompute is possible: {shape.reason}.",
            where=shape.place,
            remedy="Use policy AUTO or FULL to have it recomputed in full at every refresh.",
        )


Sources = tuple[Resolved, Pins]


def _build(world: World, definition: Definition, defined: Defined, sources: Sources) -> Built:
    shape = defined.shape
    record = _record(world, definition, defined, sources[0])
    location = f"views/{uuid.uuid4().hex}"
    entry = Entry(definition.name, "view", location, definition.comment, definition.policy)
    with no_folder_left(world, location):
        table = world.lake.create(
            world.uri(location),
            packed_schema(shape.layout.stored),
            (),
            {VIEW_PROPERTY: record.to_json()},
        )
        return Built(entry, refresh(world, entry, table, sources[1]), tuple(sources[0].entries))


def _record(
    world: World, definition: Definition, defined: Defined, sources: Resolved
) -> ViewRecord:
    shape = defined.shape
    tables = {n: world.open(e) for n, e in sources.entries.items()}
    return ViewRecord(
        sql=sources.parsed.text,
        settings=dict(definition.settings),
        columns=defined.columns,
        sources=tuple(
            SourceRecord(n, t.head().id, public_schema(t, t.head().version), defined.used[n])
            for n, t in tables.items()
        ),
        layout=shape.layout,
        full_only=shape.reason if isinstance(shape, FullOnly) else "",
        created_with=VERSION,
        inlined=(*definition.inlined, *sources.inlined),
        comments=dict(definition.comments),
        moment=defined.moment,
        outside=tuple(
            SourceRecord(n, o.table.name, session_schema(world.engine.own, o.table), ())
            for n, o in sources.outside.items()
        ),
    )


def _compared(world: World, built: Built, sources: Sources) -> str:
    """Why the rows built are not those of the user's own text, "" if they are or it was not
    asked.
    """
    table = world.open(built.entry)
    record = ViewRecord.from_json(table.head().properties[VIEW_PROPERTY])
    resolved, pins = sources
    tables = {n: world.open(e) for n, e in resolved.entries.items()}
    snapshots = {n: t.snapshot(pins[t.head().id]) for n, t in tables.items()}
    size = sum(s.bytes for s in snapshots.values())
    if record.full_only or size > world.settings.compare_bytes:
        return ""
    loose = loose_columns(world.defined(table, record).shape).all
    settings = world.engine.settings(whole(size), record.settings)
    name, spared = built.entry.name, "Nothing was published."
    failures = spark_failures(f"`{name}`", f"first build of {name}, step compare", spared)
    with logged(name, "compare"), failures, settings as spark:
        frames = {
            n: snapshot_frame(spark, s).select(*_names(record.source(n).schema))
            for n, s in snapshots.items()
        }
        rows = table.snapshot(table.head().version)
        if is_same(world.engine, record, rows, frames, loose):
            return ""
    return "our reading of the text gives other rows than Spark's (found at creation)"


def _names(schema: Schema) -> list[str]:
    return ["`" + n.replace("`", "``") + "`" for n in schema.names]
