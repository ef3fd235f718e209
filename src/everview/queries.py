"""Reading: a query over the warehouse's names, and the public rows of one name."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from everview.errors import SqlInvalid, SqlSyntax
from everview.lake.catalog import Entry
from everview.run.engine import sql_over
from everview.run.read import schema_of
from everview.run.session_tables import session_frame
from everview.run.spark_words import spark_message
from everview.run.tails import shown_frame
from everview.sql.names import quoted
from everview.sql.parse import parse_query
from everview.sql.spark_text import over_placeholders
from everview.views.resolve import resolve, resolve_by_spark, virtual_view
from everview.views.world import World, public_schema, tail_of


def query_frame(
    world: World, spark: SparkSession, text: str, given: Mapping[str, DataFrame] | None = None
) -> DataFrame:
    """The rows of a query in a session, over tables and views by their names, public columns
    only; `given` are further frames by name.
    """
    given = given or {}
    is_caller = spark is world.engine.caller
    try:
        parsed = parse_query(text)
    except SqlSyntax as stop:
        schemas = {name: schema_of(frame) for name, frame in given.items()}
        with contextlib.nullcontext() if is_caller else world.engine.settings():
            resolved = resolve_by_spark(world, text, stop, schemas, temporary=is_caller)
    else:
        resolved = resolve(world, parsed, given=frozenset(given), temporary=is_caller)
    frames = {n: public_frame(world, spark, e) for n, e in resolved.entries.items()}
    for name, outside in resolved.outside.items():
        full = outside.table.name
        frames[name] = spark.table(full) if is_caller else session_frame(spark, full)
    frames |= given
    names = {name: f"source{i}" for i, name in enumerate(frames)}
    text = over_placeholders(resolved.query, names)
    try:
        return sql_over(spark, text, {names[n]: frame for n, frame in frames.items()})
    except (AnalysisException, ParseException) as error:
        raise SqlInvalid(spark_message(error), remedy="Correct the query.") from error


def public_frame(
    world: World, spark: SparkSession, entry: Entry, version: int | None = None
) -> DataFrame:
    """The rows that a reader of a name sees, at the newest or an older version."""
    if entry.kind == "virtual":
        return query_frame(world, spark, virtual_view(entry).query)
    table = world.open(entry)
    at = table.head().version if version is None else version
    snapshot = table.snapshot(at) if version is None else table.readable_snapshot(at)
    frame = shown_frame(spark, snapshot, tail_of(table))
    return frame.select(*map(quoted, public_schema(table, at).names))
