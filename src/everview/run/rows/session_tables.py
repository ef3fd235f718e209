"""Tables of the Spark session's own catalog: what they are and where they lie."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from everview.errors import UnknownName
from everview.facts.schema import Schema
from everview.facts.views import SourceRecord, ViewRecord
from everview.run.rows.read import schema_of
from everview.sql.names import quoted


@dataclass(frozen=True, slots=True)
class SessionTable:
    """A table or view that the session knows; `location` is "" where nobody says one."""

    name: str  # all parts, quoted
    kind: str  # MANAGED, EXTERNAL, VIEW, TEMPORARY
    provider: str
    location: str

    @property
    def is_delta(self) -> bool:
        return self.provider.lower() == "delta" and bool(self.location)


def find_session_table(spark: SparkSession, parts: tuple[str, ...]) -> SessionTable | None:
    """What the session's catalog says of a name; None if it is unknown there."""
    written = ".".join(map(quoted, parts))
    try:
        if not spark.catalog.tableExists(written):
            return None
        table = spark.catalog.getTable(written)
    except PySparkException:
        return None
    place = [] if table.isTemporary else [table.catalog]  # a global one has a namespace alone
    path = [*place, *(table.namespace or []), table.name]
    full = ".".join(quoted(part) for part in path if part)
    if table.isTemporary:
        return SessionTable(full, "TEMPORARY", "", "")
    said = _described(spark, full)
    return SessionTable(full, table.tableType, said.get("provider", ""), said.get("location", ""))


def outside_frames(spark: SparkSession, record: ViewRecord) -> dict[str, DataFrame]:
    """The tables of the session's catalog that a view reads, as they are now."""
    found = {}
    for source in record.outside:
        frame = session_frame(spark, source.id)
        there = schema_of(frame)
        found[source.name] = frame.select(*(quoted(n) for n in source.schema.names if n in there))
    return found


def session_frame(spark: SparkSession, name: str) -> DataFrame:
    """A table by its full name, as it is now.

    A session remembers columns and files of a table that it has read; another may have written
    since.
    """
    spark.catalog.refreshTable(name)
    return spark.table(name)


def session_schema(spark: SparkSession, table: SessionTable) -> Schema:
    return schema_of(session_frame(spark, table.name))


def outside_schema(spark: SparkSession, source: SourceRecord) -> Schema:
    """The columns of a recorded table as they are now; UnknownName if the session cannot read
    it.
    """
    try:
        return schema_of(session_frame(spark, source.id))
    except PySparkException as error:
        raise UnknownName(
            f"the Spark session cannot read {source.id}",
            remedy="Create it there again, or drop the view.",
        ) from error


def _described(spark: SparkSession, name: str) -> dict[str, str]:
    try:
        rows = spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
    except PySparkException:
        return {}
    return {str(r[0]).strip().lower(): str(r[1]).strip() for r in rows if r[0]}
