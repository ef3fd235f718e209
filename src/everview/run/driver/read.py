"""The rows of a small snapshot, read by the driver itself."""

from __future__ import annotations

import pyarrow as pa

from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.facts.tables import Snapshot
from everview.lake.port import LakeTable
from everview.lake.storage import is_absolute
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.stored_files import StoredFiles

MOST_READ = 64_000_000  # bytes of files; beyond it Spark reads them in parallel


def rows_by_driver(table: LakeTable, snapshot: Snapshot, columns: Schema) -> pa.Table | None:
    """These columns of all rows, of the types that Spark's toArrow gives; None if that is left to
    Spark: more bytes than MOST_READ, nested columns and others that Arrow holds in another way,
    partitions, files elsewhere.
    """
    types = arrow_schema(columns)
    if types is None or snapshot.partition_by or snapshot.bytes > MOST_READ:
        return None
    if any(f.is_nested for f in columns.fields):
        return None
    files = [f for f in snapshot.files if isinstance(f, DataFile) and not is_absolute(f.path)]
    if len(files) < len(snapshot.files):
        return None
    if not files:  # Spark says NOT NULL of no rows, and of no others
        held = {f.name: f.nullable for f in snapshot.schema.fields}
        fields = [f.with_nullable(held.get(f.name, True)) for f in types]
        return pa.schema(fields).empty_table()
    stored = StoredFiles(types, table.open_file, table.uri)
    found = stored.of_each(lambda file: stored.live_rows(file, columns.names), files)
    return pa.concat_tables(found)
