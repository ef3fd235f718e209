"""Tables of the Spark session's own catalog: what they are and where they lie."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from everview.facts.schema import Schema
from everview.facts.views import ViewRecord
from everview.run.read import schema_of
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
    if table.isTemporary:
        return SessionTable(quoted(table.name), "TEMPORARY", "", "")
    path = [table.catalog, *(table.namespace or []), table.name]
    full = ".".join(quoted(part) for part in path if part)
    said = _described(spark, full)
    return SessionTable(full, table.tableType, said.get("provider", ""), said.get("location", ""))


def outside_frames(spark: SparkSession, record: ViewRecord) -> dict[str, DataFrame]:
    """The tables of the session's catalog that a view reads, as they are now.

    A session remembers the files of a table that it has read; another may have written since.
    """
    for source in record.outside:
        spark.catalog.refreshTable(source.id)
    return {
        source.name: spark.table(source.id).select(*map(quoted, source.schema.names))
        for source in record.outside
    }


def session_schema(spark: SparkSession, table: SessionTable) -> Schema:
    return schema_of(spark.table(table.name))


def _described(spark: SparkSession, name: str) -> dict[str, str]:
    try:
        rows = spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
    except PySparkException:
        return {}
    return {str(r[0]).strip().lower(): str(r[1]).strip() for r in rows if r[0]}
