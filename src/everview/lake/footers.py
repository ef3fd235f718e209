"""What the Parquet footers of freshly written files say: sizes, row counts, bounds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq
from pyarrow.fs import FileInfo

from everview.algebra.types import DecimalOf, type_of
from everview.errors import WriteVerification
from everview.facts.files import Bounds, DataFile
from everview.facts.schema import Schema
from everview.lake.epoch import date_of, timestamp_of
from everview.lake.storage import Storage, encoded, in_threads

_WHOLE = frozenset({"byte", "short", "integer", "long"})
_FLOATS = frozenset({"float", "double"})
_SHOWS_NAN = "parquet-mr"  # the writer of Spark; others keep NaN out of their statistics
_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_LONGEST = 4096  # bytes of a string bound; writers cut or drop longer ones


def read_written(
    storage: Storage, folder: str, schema: Schema, partition_by: tuple[str, ...]
) -> tuple[DataFile, ...]:
    """The Parquet files below a folder of the table, as files to commit, sorted by path."""
    found = [info for info in storage.list(folder, recursive=True) if _is_data(info.path, folder)]
    return tuple(
        in_threads(lambda info: _data_file(storage, info, (folder, schema, partition_by)), found)
    )


def _is_data(path: str, folder: str) -> bool:
    """As Spark sees it: names that begin with a dot or an underscore are not data."""
    names = path.removeprefix(folder).strip("/").split("/")
    hidden = any(n.startswith(".") or (n.startswith("_") and "=" not in n) for n in names)
    return path.endswith(".parquet") and not hidden


def _data_file(
    storage: Storage, info: FileInfo, written: tuple[str, Schema, tuple[str, ...]]
) -> DataFile:
    folder, schema, partition_by = written
    values = partition_of_path(info.path, folder)
    if set(values) != set(partition_by):
        raise WriteVerification(
            f"the file {info.path} lies in folders of {sorted(values)}, "
            f"the table is partitioned by {sorted(partition_by)}"
        )
    with storage.open(info.path) as stream:
        footer = pq.read_metadata(stream)
    return DataFile(
        path=encoded(info.path),
        size=info.size,
        rows=footer.num_rows,
        partition=tuple((name, values[name]) for name in partition_by),
        bounds=_file_bounds(footer, schema),
    )


def partition_of_path(path: str, below: str) -> Mapping[str, str | None]:
    """The values in the folder names Spark made below a folder; Hive escapes characters as %XX."""
    folders = path.removeprefix(below).strip("/").split("/")[:-1]
    pairs = (folder.split("=", 1) for folder in folders)
    return {unquote(name): None if value == _HIVE_NULL else unquote(value) for name, value in pairs}


def _file_bounds(footer: pq.FileMetaData, schema: Schema) -> tuple[tuple[str, Bounds], ...]:
    """Bounds of the columns that are not nested: for those a leaf's path is its name."""
    found = []
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    for index in range(footer.num_columns):
        leaf = footer.schema.column(index)
        if leaf.path != leaf.name or leaf.name not in schema or schema[leaf.name].is_nested:
            continue
        type_ = schema[leaf.name].type
        chunks = [group.column(index) for group in groups]
        bounds = _column_bounds(chunks, leaf, type_)
        if type_ in _FLOATS and _SHOWS_NAN not in footer.created_by:
            bounds = Bounds(nulls=bounds.nulls)
        if bounds != Bounds():
            found.append((leaf.name, bounds))
    return tuple(found)


def _column_bounds(
    chunks: list[pq.ColumnChunkMetaData], leaf: pq.ColumnSchema, type_: str
) -> Bounds:
    nulls = [_nulls(chunk) for chunk in chunks]
    total = None if any(n is None for n in nulls) else sum(n for n in nulls if n is not None)
    filled = [c for c, n in zip(chunks, nulls, strict=True) if n is None or n < c.num_values]
    ends = [_ends(chunk.statistics, leaf, type_) for chunk in filled]
    known = [end for end in ends if end is not None]
    if not known or len(known) < len(ends):
        return Bounds(nulls=total)
    return Bounds(min(low for low, _ in known), max(high for _, high in known), total)


def _nulls(chunk: pq.ColumnChunkMetaData) -> int | None:
    statistics = chunk.statistics
    return statistics.null_count if statistics is not None and statistics.has_null_count else None


def _ends(
    statistics: pq.Statistics | None, leaf: pq.ColumnSchema, type_: str
) -> tuple[Any, Any] | None:
    """Smallest and largest value of a chunk, None unless both are there."""
    if statistics is None or not statistics.has_min_max:
        return None
    values = _values(statistics, leaf, type_)
    return None if values is None or any(v is None for v in values) else values


def _values(statistics: pq.Statistics, leaf: pq.ColumnSchema, type_: str) -> tuple[Any, Any] | None:
    raw = (statistics.min_raw, statistics.max_raw)
    if type_ in _WHOLE and leaf.physical_type in ("INT32", "INT64"):
        return raw
    if type_ == "boolean":
        return raw
    if type_ == "date" and leaf.physical_type == "INT32":
        return date_of(raw[0]), date_of(raw[1])
    if type_ in ("timestamp", "timestamp_ntz"):
        return _timestamps(raw, leaf, zoned=type_ == "timestamp")
    if type_ in _FLOATS:
        return _floats(raw)
    if isinstance(type_of(type_), DecimalOf):
        return statistics.min, statistics.max
    if type_ == "string":
        return _strings(raw)
    return None


def _timestamps(
    raw: tuple[Any, Any], leaf: pq.ColumnSchema, *, zoned: bool
) -> tuple[Any, Any] | None:
    kind = json.loads(leaf.logical_type.to_json())
    if kind.get("timeUnit") != "microseconds" or kind.get("isAdjustedToUTC") is not zoned:
        return None
    return timestamp_of(raw[0], zoned=zoned), timestamp_of(raw[1], zoned=zoned)


def _floats(raw: Iterable[float]) -> tuple[float, float] | None:
    """Spark's writer shows a NaN as the maximum; then there are no bounds."""
    low, high = raw
    if math.isnan(low) or math.isnan(high):
        return None
    return (-0.0 if low == 0 else low), (0.0 if high == 0 else high)


def _strings(raw: tuple[bytes, bytes]) -> tuple[str, str] | None:
    if any(len(value) >= _LONGEST for value in raw):
        return None
    try:
        return raw[0].decode("utf-8"), raw[1].decode("utf-8")
    except UnicodeDecodeError:
        return None
