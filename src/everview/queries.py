"""Reading: a query over the warehouse's names, and the public rows of one name."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from everview.errors import SqlInvalid
from everview.lake.catalog import Entry
from everview.run.define import spark_message
from everview.run.engine import sql_over
from everview.run.session_tables import session_frame
from everview.run.tails import shown_frame
from everview.sql.names import quoted
from everview.sql.parse import parse_query, with_placeholders
from everview.views.resolve import resolve, virtual_view
from everview.views.world import World, public_schema, tail_of


def query_frame(
    world: World, spark: SparkSession, text: str, given: Mapping[str, DataFrame] | None = None
) -> DataFrame:
    """The rows of a query in a session, over tables and views by their names, public columns
    only; `given` are further frames by name.
    """
    given = given or {}
    is_caller = spark is world.engine.caller
    resolved = resolve(world, parse_query(text), given=frozenset(given), temporary=is_caller)
    frames = {n: public_frame(world, spark, e) for n, e in resolved.entries.items()}
    for name, outside in resolved.outside.items():
        full = outside.table.name
        frames[name] = spark.table(full) if is_caller else session_frame(spark, full)
    frames |= given
    names = {name: f"source{i}" for i, name in enumerate(frames)}
    text = with_placeholders(resolved.parsed, names)
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
    frame = shown_frame(spark, snapshot, tail_of(table.head()))
    return frame.select(*map(quoted, public_schema(table, at).names))
