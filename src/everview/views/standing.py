"""Asking how a view stands to its sources now; refresh, explain, status and verify read this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from everview.errors import EverviewError, SqlInvalid, UnknownName
from everview.facts.schema import Schema
from everview.facts.standing import (
    Retyped,
    Seen,
    SourceStanding,
    Standing,
    compared,
    compared_unversioned,
    with_change,
)
from everview.facts.views import SourceRecord, ViewRecord
from everview.lake.catalog import Entries
from everview.views.world import World, find_entry, is_limited, public_schema


def standing_of(world: World, view: str, record: ViewRecord) -> Standing:
    """How the view stands to each of its sources, by what is found under their names now."""
    entries = world.catalog.read()
    found = [compared(s, _seen(world, view, entries, s)) for s in record.sources]
    found += [compared_unversioned(s, _outside(world, view, s)) for s in record.outside]
    if record.full_only:
        found = [_felt(world, record, s) for s in found]
    return Standing(view, tuple(found))


def _seen(world: World, view: str, entries: Entries, source: SourceRecord) -> Seen | EverviewError:
    entry = find_entry(entries, source.name)
    if entry is None:
        return UnknownName(
            f"`{view}` reads `{source.name}`, which is gone.",
            remedy=f"Create or attach `{source.name}` again, or drop the view.",
        )
    try:
        table = world.open(entry)
        head = table.head()
        schema = public_schema(table, head.version)
        return Seen(head.id, head.version, schema, is_limited(table, head.version))
    except EverviewError as error:
        return _named(view, source, error)


# What runs Spark and reads SQL is loaded where it is asked: of most views the log tells all.


def _outside(world: World, view: str, source: SourceRecord) -> Schema | EverviewError:
    from everview.run.rows.session_tables import outside_schema

    try:
        return outside_schema(world.engine.own, source)
    except EverviewError as error:
        return _named(view, source, error)


def _named(view: str, source: SourceRecord, error: EverviewError) -> EverviewError:
    """The same error, with the names of the view and the source."""
    what = f"`{view}` reads `{source.name}`, which cannot be read now: {error.what}"
    return type(error)(what, where=error.where, remedy=error.remedy)


def _felt(world: World, record: ViewRecord, source: SourceStanding) -> SourceStanding:
    """Of a view that is recomputed by its text, the changes that the text notices: those without
    which Spark would give it other columns. A text that was not understood may use any column.
    """
    if not source.dropped and not source.retyped:
        return source
    schemas = {s.name: s.schema for s in (*record.sources, *record.outside)}

    def is_felt(*changes: str | Retyped) -> bool:
        changed = reduce(with_change, changes, schemas[source.name])
        return not _gives(world, record, {**schemas, source.name: changed})

    if is_felt(*source.dropped, *source.retyped):
        dropped = tuple(filter(is_felt, source.dropped))
        retyped = tuple(filter(is_felt, source.retyped))
        return replace(source, dropped=dropped, retyped=retyped) if dropped + retyped else source
    return replace(source, dropped=(), retyped=())


def _gives(world: World, record: ViewRecord, schemas: Mapping[str, Schema]) -> bool:
    """Whether the text gives the recorded columns over sources of these columns."""
    from everview.run.understand.define import user_columns
    from everview.sql.statements.spark_text import query_of

    with world.engine.settings(record.settings):
        try:
            found = user_columns(world.engine, query_of(record), schemas)
        except SqlInvalid:
            return False
    return found.same_columns(record.columns)
