"""Reading: a query over the warehouse's names, and the public rows of one name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from everview.errors import (
    InvalidArgument,
    LostHistory,
    SqlInvalid,
    SqlNotAllowed,
    SqlSyntax,
)
from everview.lake.catalog import Entry
from everview.run.rows.read import schema_of
from everview.run.rows.session_tables import session_frame
from everview.run.rows.tails import shown_frame
from everview.spark.engine import sql_over
from everview.spark.errors import spark_message
from everview.spark.quiet import quiet_errors
from everview.sql.names import quoted
from everview.sql.read.parse import Parsed, parse_query, place_of_table
from everview.sql.read.past import Past, Source, past_sources, with_sources
from everview.sql.statements.spark_text import SparkText, over_placeholders
from everview.views.resolve import Resolved, resolve, resolve_by_spark, virtual_view
from everview.views.world import World, find_entry, seen_of

BeforeRead = Callable[[Iterable[Entry]], None]


def query_frame(
    world: World,
    spark: SparkSession,
    text: str,
    given: Mapping[str, DataFrame] | None = None,
    before: BeforeRead | None = None,
) -> DataFrame:
    """The rows of a query in a session, over tables and views by their names, public columns
    only; `given` are further frames by name. `before` is told first which tables and views are
    read as they are now.
    """
    given = given or {}
    is_caller = spark is world.engine.caller
    resolved = _resolved(world, text, given, is_caller=is_caller)
    read = _Reading(world, spark, resolved, given)
    query = resolved.query
    if isinstance(query, SparkText):
        sources = tuple(dict.fromkeys(Source(m.name) for m in query.mentions))
    else:
        sources = past_sources(query)
    if before is not None:
        now = (resolved.entries.get(s.name) for s in sources if s.past is None)
        before([entry for entry in now if entry is not None])
    frames = {source: read.frame(source) for source in sources}
    names = {source: f"source{i}" for i, source in enumerate(frames)}
    if isinstance(query, SparkText):
        text = over_placeholders(query, {source.name: n for source, n in names.items()})
    else:
        text = with_sources(query, names)
    try:
        with quiet_errors():
            return sql_over(spark, text, {names[s]: frame for s, frame in frames.items()})
    except (AnalysisException, ParseException) as error:
        raise SqlInvalid(spark_message(error), remedy="Correct the query.") from None


def _resolved(
    world: World, text: str, given: Mapping[str, DataFrame], *, is_caller: bool
) -> Resolved:
    try:
        parsed = parse_query(text)
    except SqlSyntax as stop:
        schemas = {name: schema_of(frame) for name, frame in given.items()}
        with contextlib.nullcontext() if is_caller else world.engine.settings():
            return resolve_by_spark(world, text, stop, schemas, temporary=is_caller)
    _refuse_past_views(world, parsed)
    return resolve(world, parsed, given=frozenset(given), temporary=is_caller)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The frames of a query's sources in a session."""

    world: World
    spark: SparkSession
    resolved: Resolved
    given: Mapping[str, DataFrame]

    def frame(self, source: Source) -> DataFrame:
        entry = self.resolved.entries.get(source.name)
        if source.past is not None and entry is None:
            raise SqlNotAllowed(
                f"`{source.name}` has no versions.",
                where=self.resolved.place(source.name),
                remedy="Read it as it is now.",
            )
        if source.name in self.given:
            return self.given[source.name]
        if entry is not None:
            return public_frame(self.world, self.spark, entry, self._version(entry, source.past))
        full = self.resolved.outside[source.name].table.name
        is_caller = self.spark is self.world.engine.caller
        return self.spark.table(full) if is_caller else session_frame(self.spark, full)

    def _version(self, entry: Entry, past: Past | None) -> int | None:
        if past is None or past.kind == "VERSION":
            return None if past is None else int(past.value)
        moment = F.unix_millis(F.try_to_timestamp(F.lit(past.value)))
        at = self.spark.range(1).select(moment).collect()[0][0]
        if at is None:
            raise InvalidArgument(
                f"{past.value!r} is not a timestamp.", remedy="For example '2024-01-31 12:00:00'."
            )
        commits = self.world.open(entry).history()
        found = next((c.version for c in commits if c.timestamp <= at), None)
        if found is None:
            raise LostHistory(
                f"The log of `{entry.name}` has no version as old as {past.value}.",
                remedy="DESCRIBE HISTORY lists the versions that are still there.",
            )
        return found


def _refuse_past_views(world: World, parsed: Parsed) -> None:
    """A virtual view stands for its query and has no versions of its own."""
    known = world.catalog.read()
    for source in past_sources(parsed):
        entry = find_entry(known, source.name)
        if source.past is not None and entry is not None and entry.kind == "virtual":
            raise SqlNotAllowed(
                f"`{entry.name}` is a view without stored rows, and has no versions.",
                where=place_of_table(parsed, source.name),
                remedy="Name the version of the tables that it reads, in a query of its own.",
            )


def public_frame(
    world: World, spark: SparkSession, entry: Entry, version: int | None = None
) -> DataFrame:
    """The rows that a reader of a name sees, at the newest or an older version."""
    if entry.kind == "virtual":
        return query_frame(world, spark, virtual_view(entry).query)
    table = world.open(entry)
    at = table.head().version if version is None else version
    snapshot = table.snapshot(at) if version is None else table.readable_snapshot(at)
    columns, tail = seen_of(snapshot)
    return shown_frame(spark, snapshot, tail).select(*map(quoted, columns.names))
