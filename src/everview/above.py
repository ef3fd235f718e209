"""Whether the views above one that is replaced can follow it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from everview.build import Understood
from everview.errors import EverviewError, NotATable, SqlInvalid, StillUsed
from everview.facts.schema import Schema
from everview.facts.views import SourceRecord, ViewRecord
from everview.lake.catalog import Entries, Entry
from everview.run.understand.define import user_columns
from everview.spark.pinned import pinned_settings
from everview.sql.read.inline import inlined
from everview.sql.read.parse import parse_query
from everview.sql.statements.spark_text import query_of
from everview.understand import (
    Definition,
    SourceNow,
    definition_of,
    find_sources,
    sources_now,
    understand,
)
from everview.views.resolve import virtual_view, virtual_views
from everview.views.world import World, record_of

_REMEDY = "Replace or drop those views first; nothing was changed."


def check_views_above(world: World, name: str, plan: Understood) -> None:
    """StillUsed if a view above could not be computed from what the materialized view becomes."""
    below = name.lower()
    entries = world.catalog.read()
    columns = plan.defined.columns
    found = {}
    for entry, record in _views(world, entries):
        source = next((s for s in record.sources if s.name == below), None)
        if source is not None:
            found[entry.name] = _why_not(world, record, source, columns) or _why_not_limited(
                entry, source, limited=plan.limited
            )
    now = SourceNow("", columns, plan.limited)
    for view in _virtual_above(entries, below):
        found[view.name] = _why_not_virtual(world, entries, view, {below: now})
    _refuse(name, found)


def check_virtual_above(world: World, entries: Entries, entry: Entry) -> None:
    """StillUsed if a view above could not be computed with the new text of a virtual view."""
    name = entry.name.lower()
    others = tuple(e for e in entries.entries if e.name.lower() != name)
    later = replace(entries, entries=(*others, entry))
    found = {v.name: _why_not_virtual(world, later, v, {}) for v in _virtual_above(later, name)}
    for above, record in _views(world, entries):
        if name in record.inlined:
            found[above.name] = _why_not_inlined(world, later, above, record)
    _refuse(entry.name, found)


def _views(world: World, entries: Entries) -> Iterator[tuple[Entry, ViewRecord]]:
    """The materialized views; one whose folder is gone reads nothing."""
    for entry in entries.entries:
        if entry.kind == "view":
            try:
                record = record_of(world.open(entry))
            except NotATable:
                continue
            yield entry, record


def _refuse(name: str, found: Mapping[str, str]) -> None:
    reasons = {view: why for view, why in found.items() if why}
    if reasons:
        said = "; ".join(f"`{view}` {why}" for view, why in reasons.items())
        raise StillUsed(f"`{name}` cannot be replaced so: {said}.", remedy=_REMEDY)


def _why_not(world: World, record: ViewRecord, source: SourceRecord, columns: Schema) -> str:
    """Why a materialized view cannot read these columns in place of the recorded ones."""
    if not record.full_only or source.used != source.schema.names:
        for name in source.used:
            if name not in columns:
                return f"uses its column `{name}`, which would be gone"
            before, after = source.schema[name].type, columns[name].type
            if before != after:
                return f"uses its column `{name}`, which would be {after} and is {before}"
    kept = tuple(columns[n] for n in source.schema.names if n in columns)
    schemas = {s.name: s.schema for s in (*record.sources, *record.outside)}
    schemas[source.name] = Schema(kept)
    try:
        with world.engine.settings(record.settings):
            after_all = user_columns(world.engine, query_of(record), schemas)
    except SqlInvalid as error:
        return f"would not be valid any more: {error.what}"
    return _lost_column(record.columns, after_all)


def _lost_column(before: Schema, after: Schema) -> str:
    for column in before.fields:
        if column.name not in after:
            return f"would lose its own column `{column.name}`"
        if after[column.name].type != column.type:
            now = after[column.name].type
            return f"would have {now} in its own column `{column.name}`, which is {column.type}"
    return ""


def _why_not_limited(entry: Entry, source: SourceRecord, *, limited: bool) -> str:
    """A view over rows with a LIMIT is only recomputed, which its policy may forbid."""
    if limited and not source.limited and entry.policy.startswith("INCREMENTAL"):
        return f"has the policy {entry.policy}, and over a view with LIMIT it is recomputed in full"
    return ""


def _virtual_above(entries: Entries, name: str) -> Iterator[Entry]:
    """The virtual views that read a name, directly or through others of their kind."""
    known = virtual_views(entries)
    for entry in entries.entries:
        if entry.kind == "virtual" and entry.name.lower() != name:
            query = inlined(parse_query(virtual_view(entry).query), known)
            if name in query.used or name in query.tables:
                yield entry


def _why_not_virtual(
    world: World, entries: Entries, entry: Entry, now: Mapping[str, SourceNow]
) -> str:
    """Why a virtual view would not be valid over the names as they will be."""
    settings = pinned_settings(world.engine.caller)
    definition = Definition(entry.name, virtual_view(entry).query, settings)
    try:
        sources = find_sources(world, definition, entries)
        understand(world, definition, sources, {**sources_now(world, sources, {}), **now})
    except EverviewError as error:
        return f"would not be valid any more: {error.what}"
    return ""


def _why_not_inlined(world: World, later: Entries, above: Entry, record: ViewRecord) -> str:
    """Why a materialized view could not be built with the new text of the virtual views in it."""
    definition = definition_of(above, record)
    if definition.inlined:
        return "was created by an earlier version, which did not keep its text as it was written"
    try:
        defined = understand(world, definition, find_sources(world, definition, later))
    except EverviewError as error:
        return f"would not be valid any more: {error.what}"
    return _lost_column(record.columns, defined.columns)
