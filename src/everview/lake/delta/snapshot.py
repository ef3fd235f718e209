"""A table at one version: its files with partition values, bounds and deletion vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from everview.errors import LostHistory
from everview.facts.files import NO_ROWS, Bounds, DataFile, Positions
from everview.facts.schema import Schema
from everview.facts.tables import Snapshot
from everview.lake.delta.load import arrow_table, open_log
from everview.lake.delta.log import Metadata
from everview.lake.delta.partitions import partition_text
from everview.lake.delta.protocol import has_vectors
from everview.lake.delta.stats import bounds_from_log
from everview.lake.differences import without_rows
from everview.lake.epoch import date_of, timestamp_of
from everview.lake.storage import Storage, decoded


def read_snapshot(storage: Storage, version: int) -> Snapshot:
    """The table at a version; LostHistory if the log for it is gone."""
    log = open_log(storage, version)
    if log.snapshot is None:
        log.snapshot = _snapshot(storage, log.table)
    return log.snapshot


def _snapshot(storage: Storage, table: DeltaTable) -> Snapshot:
    shape = metadata_of(table)
    return Snapshot(
        table_id=shape.id,
        uri=storage.uri,
        version=table.version(),
        schema=shape.schema,
        partition_by=shape.partition_by,
        files=read_files(table),
        properties=shape.configuration,
    )


def metadata_of(table: DeltaTable) -> Metadata:
    """Id, schema, partition columns and properties of an opened table."""
    metadata = table.metadata()
    return Metadata(
        id=str(metadata.id),
        schema=Schema.from_json(table.schema().to_json()),
        partition_by=tuple(metadata.partition_columns),
        configuration=dict(metadata.configuration),
    )


def read_files(table: DeltaTable, only: frozenset[str] | None = None) -> tuple[DataFile, ...]:
    """The files of an opened table, or those of them whose path is asked for, sorted by path."""
    return _without_deleted(table, stored_files(table, only), complete=only is None)


def stored_files(table: DeltaTable, only: frozenset[str] | None = None) -> tuple[DataFile, ...]:
    """The same with all rows that the files hold, whatever their vectors say."""
    shape = metadata_of(table)
    adds = arrow_table(table.get_add_actions(flatten=False)).sort_by("path").combine_chunks()
    if only is not None:
        adds = adds.filter(pc.is_in(adds["path"], pa.array(sorted(only), pa.string())))
    partitions = _partitions(adds, shape)
    bounds = _bounds(adds, shape.schema)
    counts = adds["num_records"].to_pylist() if "num_records" in adds.column_names else None
    return tuple(
        DataFile(
            path=path,
            size=size,
            rows=counts[i] if counts else None,
            partition=partitions[i],
            bounds=bounds[i],
        )
        for i, (path, size) in enumerate(
            zip(adds["path"].to_pylist(), adds["size_bytes"].to_pylist(), strict=True)
        )
    )


def _partitions(adds: pa.Table, shape: Metadata) -> list[tuple[tuple[str, str | None], ...]]:
    if not shape.partition_by or not adds.num_rows:
        return [()] * adds.num_rows
    values = _fields(adds, "partition")
    columns = [
        [partition_text(value, shape.schema[name].type) for value in _python(values[name])]
        for name in shape.partition_by
    ]
    return [tuple(zip(shape.partition_by, row, strict=True)) for row in zip(*columns, strict=True)]


def _bounds(adds: pa.Table, schema: Schema) -> list[tuple[tuple[str, Bounds], ...]]:
    """Bounds of the columns that are not nested; names may hold dots, so nothing is flattened."""
    lows, highs, nulls = (_fields(adds, part) for part in ("min", "max", "null_count"))
    rows: list[list[tuple[str, Bounds]]] = [[] for _ in range(adds.num_rows)]
    for field in schema.fields:
        if field.is_nested or not any(field.name in part for part in (lows, highs, nulls)):
            continue
        columns = (_python(part.get(field.name), adds.num_rows) for part in (lows, highs, nulls))
        for row, (low, high, count) in zip(rows, zip(*columns, strict=True), strict=True):
            bounds = bounds_from_log(low, high, count, field.type)
            if bounds is not None:
                row.append((field.name, bounds))
    return [tuple(row) for row in rows]


def _fields(adds: pa.Table, column: str) -> Mapping[str, pa.Array]:
    if column not in adds.column_names or not adds.num_rows:
        return {}
    values = adds[column].combine_chunks()
    return dict(zip((f.name for f in values.type), values.flatten(), strict=True))


def _python(values: pa.Array | None, length: int = 0) -> list[Any]:
    """Python values; times beyond Python's years are None, not an error for the whole table."""
    if values is None:
        return [None] * length
    if pa.types.is_timestamp(values.type):
        zoned = values.type.tz is not None
        micros = values.cast(pa.timestamp("us", values.type.tz)).cast(pa.int64())
        return [timestamp_of(v, zoned=zoned) for v in micros.to_pylist()]
    if pa.types.is_date32(values.type):
        return [date_of(v) for v in values.cast(pa.int32()).to_pylist()]
    return list(values.to_pylist())


def _without_deleted(
    table: DeltaTable, files: tuple[DataFile, ...], *, complete: bool
) -> tuple[DataFile, ...]:
    if not has_vectors(table):
        return files
    deleted = _deleted_rows(table)
    found = tuple(without_rows(file, deleted.pop(decoded(file.path), NO_ROWS)) for file in files)
    if complete and deleted:
        raise LostHistory(
            f"deletion vectors of files that version {table.version()} does not list: "
            + ", ".join(sorted(deleted))
        )
    return found


def _deleted_rows(table: DeltaTable) -> dict[str, Positions]:
    root = decoded(table.table_uri)
    try:
        vectors = arrow_table(table.deletion_vectors())
    except DeltaError as error:
        if "not found" not in str(error):
            raise
        raise LostHistory(
            f"deletion vectors of version {table.version()} of {table.table_uri} were vacuumed",
            remedy="Read a newer version.",
        ) from error
    deleted = {}
    for uri, keep in zip(vectors["filepath"], vectors["selection_vector"], strict=True):
        mask = pc.invert(keep.values)
        path = decoded(uri.as_py()).removeprefix(root)
        deleted[path] = Positions(pc.indices_nonzero(mask).to_numpy())
    return deleted
