"""From what the user gave to what is recorded of a view: nothing is written here."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from everview.choose.self_maintenance import self_maintenance
from everview.errors import (
    ColumnGone,
    ComputationFailed,
    InvalidArgument,
    InvalidName,
    NotIncremental,
    SqlInvalid,
    SqlNotAllowed,
    UnsupportedType,
)
from everview.facts.merge_on_read import MergeOnRead
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Schema
from everview.facts.views import POLICIES, RESERVED_PREFIX, SourceRecord, ViewRecord
from everview.lake.catalog import Entries, Entry
from everview.run.rows.session_tables import session_schema
from everview.run.understand.define import Defined, define
from everview.shape.bag import Bag
from everview.shape.shape import FullOnly, Shape, full_only
from everview.version import VERSION
from everview.views.catalog_changes import sources_of_views
from everview.views.gather import Pins
from everview.views.graph import find_circle
from everview.views.kept import how_kept
from everview.views.resolve import Resolved
from everview.views.sources import sources_of
from everview.views.world import World, is_limited, public_schema


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
    cluster_by: tuple[str, ...] = ()
    merge_on_read: MergeOnRead | None = None  # None leaves it as it is
    recorded: ViewRecord | None = None  # of a view that is built anew, as it was built before
    when: str = ""  # it is refreshed, as the catalog says it; "" is ON DEMAND

    def visible(self, source: str, schema: Schema) -> Schema:
        """The columns of a source that the text is read over: all, or of a view that is built
        anew those that it was built over, as far as they are still there.
        """
        if self.recorded is None:
            return schema
        known = {s.name: s.schema for s in (*self.recorded.sources, *self.recorded.outside)}
        before = known.get(source, schema)
        return schema.only(tuple(n for n in before.names if n in schema))

    def require_columns(self, columns: Schema) -> None:
        """A view that is built anew keeps its columns; the fields that `s.*` stands for may have
        become other ones.
        """
        if self.recorded is None or self.recorded.columns.names == columns.names:
            return
        before, now = ", ".join(self.recorded.columns.names), ", ".join(columns.names)
        raise ColumnGone(f"its columns are {before}, and its text would give {now}.")


@dataclass(frozen=True, slots=True)
class SourceNow:
    """A table or view that a definition reads, at the version it is read at."""

    id: str
    schema: Schema
    limited: bool  # whether it is a view with a LIMIT
    rows: int | None = None  # None if the log does not count them


def definition_of(entry: Entry, record: ViewRecord) -> Definition:
    """The definition of a view as it was given, to build it anew."""
    return Definition(
        entry.name,
        record.given,
        record.settings,
        entry.policy,
        entry.comment,
        record.comments,
        () if record.written else record.inlined,
        record.cluster_by,
        recorded=None
        if record.written
        else record,  # what virtual views of today read is not recorded
    )


@contextlib.contextmanager
def built_anew(view: str, reason: str) -> Iterator[None]:
    """What keeps a view from being built anew is raised with its name and the reason."""
    try:
        yield
    except _UNFIT as error:
        raise type(error)(
            f"`{view}` would be built anew, since {reason}. That cannot be done: {error.what}",
            where=error.where,
            remedy=f"The rows of `{view}` stay as they are. Replace the view by a definition that "
            "fits: CREATE OR REPLACE MATERIALIZED VIEW.",
        ) from error


_UNFIT = (ColumnGone, ComputationFailed, NotIncremental, SqlInvalid, UnsupportedType)


def policy_of(text: object) -> str:
    """The policy that a text names, whatever its case."""
    wanted = str(text).strip().upper()
    if wanted not in POLICIES:
        raise InvalidArgument(
            f"There is no policy {text!r}.", remedy=f"Choose one of {', '.join(POLICIES)}."
        )
    return wanted


def find_sources(world: World, definition: Definition, known: Entries | None = None) -> Resolved:
    """The tables and views that the text reads, virtual views replaced by what they read; `known`
    are the warehouse's names, if not those of now.
    """
    return sources_of(world, definition.name, definition.sql, definition.settings, known)


def sources_now(world: World, sources: Resolved, pins: Pins) -> dict[str, SourceNow]:
    """Each source at its pinned version, or as it is now."""
    found = {}
    for name, entry in sources.entries.items():
        table = world.open(entry)
        head = table.head()
        version = pins.get(head.id, head.version)
        limited = is_limited(table, version)
        rows = table.snapshot(version).rows
        found[name] = SourceNow(head.id, public_schema(table, version), limited, rows)
    return found


def understand(
    world: World,
    definition: Definition,
    sources: Resolved,
    now: Mapping[str, SourceNow] | None = None,
) -> Defined:
    """What the definition means and how it can be maintained."""
    now = sources_now(world, sources, {}) if now is None else now
    schemas = {name: source.schema for name, source in now.items()}
    schemas |= {n: session_schema(world.engine.own, o.table) for n, o in sources.outside.items()}
    seen = {name: definition.visible(name, schema) for name, schema in schemas.items()}
    defined = define(world.engine, sources.query, seen, definition.settings)
    _check_columns(defined.columns)
    definition.require_columns(defined.columns)
    _clustered_by(definition, defined.columns)
    shape = defined.shape
    if isinstance(shape, Bag):
        shape = shape.worth({name: s.rows for name, s in now.items() if s.rows is not None})
    if isinstance(shape, FullOnly):  # its place is one in the text with virtual views inlined
        shape = dataclasses.replace(shape, place=sources.in_original(shape.place))
    moment = defined.moment
    if moment is not None:
        moment = dataclasses.replace(moment, place=sources.in_original(moment.place))
    for name in (n for n, source in now.items() if source.limited):
        reason = f"`{name}` has a LIMIT, its rows are not changed row by row"
        shape = full_only(RefusalKind.CUT_SOURCE, reason, sources.place(name), defined.columns)
    for name, place in sources.functions.items():
        reason = f"{name}() is a function of the Spark session's catalog, which may change"
        shape = full_only(RefusalKind.FUNCTION, reason, place, defined.columns)
    for outside in sources.outside.values():
        shape = full_only(RefusalKind.OUTSIDE, outside.why, outside.place, defined.columns)
    require_policy(shape, definition.policy)
    return dataclasses.replace(defined, shape=shape, moment=moment)


def record_for(
    world: World,
    definition: Definition,
    defined: Defined,
    sources: Resolved,
    now: Mapping[str, SourceNow],
) -> ViewRecord:
    """What is recorded of the view."""
    shape = defined.shape
    return ViewRecord(
        sql=sources.query.text,
        settings=dict(definition.settings),
        columns=defined.columns,
        sources=tuple(
            SourceRecord(n, s.id, definition.visible(n, s.schema), defined.used[n], s.limited)
            for n, s in now.items()
        ),
        layout=shape.layout,
        full_only=shape.reason if isinstance(shape, FullOnly) else "",
        mentions=sources.mentions,
        full_kind=shape.kind if isinstance(shape, FullOnly) else None,
        created_with=VERSION,
        inlined=tuple(dict.fromkeys((*definition.inlined, *sources.inlined))),
        comments=dict(definition.comments),
        kept=how_kept(shape),
        moment=defined.moment,
        outside=tuple(
            SourceRecord(
                n,
                o.table.name,
                definition.visible(n, session_schema(world.engine.own, o.table)),
                (),
            )
            for n, o in sources.outside.items()
        ),
        cluster_by=_clustered_by(definition, defined.columns),
        written=definition.sql if sources.inlined else "",
        beside=self_maintenance(shape, {name: s.rows for name, s in now.items()}),
    )


def require_policy(shape: Shape, policy: str) -> None:
    """INCREMENTAL and STRICT refuse at creation what cannot be incremental."""
    if isinstance(shape, FullOnly) and policy.startswith("INCREMENTAL"):
        raise NotIncremental(
            f"Only a full recompute is possible: {shape.reason}.",
            where=shape.place,
            remedy="Use policy AUTO or FULL to have it recomputed in full at every refresh.",
        )


def check_circle(world: World, name: str, sources: tuple[str, ...]) -> None:
    """A view that is replaced must not come to read itself by way of other views."""
    known = {**sources_of_views(world), name: sources}
    circle = find_circle(name, known)
    if circle:
        raise SqlNotAllowed(
            f"`{name}` would read itself: {' -> '.join(circle)}.",
            remedy="Let it read tables, or views that do not read it.",
        )


def _clustered_by(definition: Definition, columns: Schema) -> tuple[str, ...]:
    """The columns to cluster by as the view spells them; InvalidArgument for one that cannot be."""
    found = []
    for name in definition.cluster_by:
        known = columns.find(name)
        if known is None or columns[known].is_nested:
            what = "has no column" if known is None else "cannot be clustered by the nested column"
            raise InvalidArgument(
                f"`{definition.name}` {what} `{name}`.",
                remedy=f"Its columns are {', '.join(columns.names)}.",
            )
        found.append(known)
    return tuple(found)


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
