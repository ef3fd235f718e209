"""Snapshots, changes and rows at hand as DataFrames."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from functools import reduce
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from everview.facts.checks import CHANGE_UNKNOWN
from everview.facts.files import NO_ROWS, DataFile, InlineFile, Sign, TableFile
from everview.facts.schema import Field, Schema
from everview.facts.tables import Snapshot, TableChanges
from everview.facts.views import HIDDEN
from everview.lake.storage import spark_path
from everview.run.driver.inline import inline_rows
from everview.run.rows.selected import FILE, row_index, selected_rows, selection_table
from everview.sql.names import quoted
from everview.sql.write.changing import PATH, ROW
from everview.sql.write.select import WEIGHT

_LOCAL = re.compile("^file:/+")  # Spark spells a local path with one slash here, with three there
_FEW_PARTITIONS = 8
_FEED_SIGNS = {"insert": 1, "update_postimage": 1, "delete": -1, "update_preimage": -1}


def spark_schema(schema: Schema) -> StructType:
    return StructType.fromJson(json.loads(schema.to_json()))


def schema_of(frame: DataFrame) -> Schema:
    """Names and types as Spark sees them (analysis only)."""
    return Schema.from_json(frame.schema.json())


def collated_columns(frame: DataFrame) -> list[str]:
    """The columns that hold strings with a collation, which stored rows do not keep."""
    fields = json.loads(frame.schema.json())["fields"]
    return [f["name"] for f in fields if "__COLLATIONS" in f.get("metadata", {})]


def empty_frame(spark: SparkSession, schema: Schema) -> DataFrame:
    return spark.createDataFrame([], spark_schema(schema))


def snapshot_frame(
    spark: SparkSession, snapshot: Snapshot, files: tuple[TableFile, ...] | None = None
) -> DataFrame:
    """The rows of a snapshot, or of some of its files."""
    chosen = snapshot.files if files is None else files
    return _reader(spark, snapshot).rows(chosen)


def placed_frame(
    spark: SparkSession, snapshot: Snapshot, files: tuple[TableFile, ...] | None = None
) -> DataFrame:
    """The same with the path of each row's file, as Spark spells it, in `__ev_path`, and the index
    of the row in that file in `__ev_row`.
    """
    reader = _Reader(spark, snapshot.uri, snapshot.schema, snapshot.partition_by, with_path=True)
    return reader.rows(snapshot.files if files is None else files)


def _reader(spark: SparkSession, snapshot: Snapshot) -> _Reader:
    return _Reader(spark, snapshot.uri, snapshot.schema, snapshot.partition_by)


def changes_frame(
    spark: SparkSession, changes: TableChanges, partition_by: tuple[str, ...]
) -> DataFrame:
    """The weighted rows of the changes, the weight last."""
    parts = []
    for sign in Sign:
        files = tuple(f.file for f in changes.files if f.sign is sign)
        if files:
            parts.append(_signed(spark, changes, partition_by, (files, sign)))
    if not parts:
        return empty_frame(spark, changes.schema).withColumn(WEIGHT, F.lit(1).cast("bigint"))
    return reduce(DataFrame.unionAll, parts)


def _signed(
    spark: SparkSession,
    changes: TableChanges,
    partition_by: tuple[str, ...],
    part: tuple[tuple[TableFile, ...], Sign],
) -> DataFrame:
    files, sign = part
    schema = changes.schema
    if sign is Sign.FEED:
        schema = Schema((*schema.fields, Field(sign.value, "string")))
    rows = _Reader(spark, changes.uri, schema, partition_by).rows(files)
    if sign is Sign.FEED:
        cases = [F.when(F.col(sign.value) == k, F.lit(v)) for k, v in _FEED_SIGNS.items()]
        weight = F.coalesce(*cases, F.raise_error(F.lit(CHANGE_UNKNOWN.raised)))
        weighted = rows.withColumn(WEIGHT, weight.cast("bigint"))
        return weighted.select(*map(quoted, changes.schema.names), WEIGHT)
    value = 1 if sign is Sign.PLUS else -1
    return rows.withColumn(WEIGHT, F.lit(value).cast("bigint"))


class _Reader:
    """Reads files of one table; partition values come from the log, never from paths."""

    def __init__(
        self,
        spark: SparkSession,
        uri: str,
        schema: Schema,
        partition_by: tuple[str, ...],
        *,
        with_path: bool = False,
    ) -> None:
        self._spark = spark
        self._with_path = with_path
        self._uri = uri
        self._schema = schema
        self._partition_by = partition_by
        inside = tuple(n for n in schema.names if n not in partition_by)
        self._file_schema = schema.only(inside)

    def rows(self, files: tuple[TableFile, ...]) -> DataFrame:
        """The rows of all files: the table's columns and, if wanted, the place of each row."""
        inline = [f for f in files if isinstance(f, InlineFile)]
        data = [f for f in files if isinstance(f, DataFile)]
        whole = [f for f in data if f.selection is None]
        parts = [self._inline(inline)] if inline else []
        parts += [self._whole(whole)] if whole else []
        for kind in ("only", "without"):
            some = [f for f in data if f.selection is not None and f.selection.kind == kind]
            parts += [self._selected(some, kind)] if some else []
        if not parts:
            return self._final(self._placeless(empty_frame(self._spark, self._schema)))
        return reduce(DataFrame.unionAll, parts)

    def _inline(self, files: list[InlineFile]) -> DataFrame:
        rows = inline_rows(files, self._schema)
        frame = self._spark.createDataFrame(rows, spark_schema(self._schema))
        return self._final(self._placeless(frame))

    def _placeless(self, rows: DataFrame) -> DataFrame:
        """With places where these are wanted: a number that is none of a file's rows would keep
        Spark from reading the rows inside a lateral subquery.
        """
        if not self._with_path:
            return rows
        return rows.withColumns({PATH: F.lit(""), ROW: F.monotonically_increasing_id()})

    def _whole(self, files: list[DataFile]) -> DataFrame:
        groups: dict[tuple[tuple[str, str | None], ...], list[DataFile]] = defaultdict(list)
        for file in files:
            groups[file.partition].append(file)
        if len(groups) > _FEW_PARTITIONS:
            return self._by_path(files)
        return reduce(DataFrame.unionAll, (self._group(p, f) for p, f in groups.items()))

    def _group(
        self, partition: tuple[tuple[str, str | None], ...], files: list[DataFile]
    ) -> DataFrame:
        rows = self._parquet(files)
        if self._with_path:
            rows = rows.withColumns({PATH: _file_path(), ROW: row_index()})
        for name, value in partition:
            rows = rows.withColumn(name, self._partition_value(name, F.lit(value)))
        return self._final(rows)

    def _final(self, rows: DataFrame) -> DataFrame:
        """The columns in the table's order; a projection only where they are not yet."""
        wanted = [*self._schema.names, *([PATH, ROW] if self._with_path else [])]
        return rows if rows.columns == wanted else rows.select(*map(quoted, wanted))

    def _partition_value(self, name: str, text: Column) -> Column:
        return text.cast(spark_schema(self._schema.only((name,)))[0].dataType)

    def _by_path(self, files: list[DataFile]) -> DataFrame:
        """Many partitions: one read, and the values of each file by its path."""
        rows = self._parquet(files).withColumns({PATH: _file_path(), ROW: row_index()})
        names = self._seen_names(rows, files)
        values = [
            (names[self._path(f)], *(dict(f.partition).get(n) for n in self._partition_by))
            for f in files
        ]
        columns = [PATH, *(f"__ev_p{i}" for i, _ in enumerate(self._partition_by))]
        known = self._spark.createDataFrame(values, ", ".join(f"`{c}` string" for c in columns))
        joined = rows.join(F.broadcast(known), PATH)
        for i, name in enumerate(self._partition_by):
            joined = joined.withColumn(name, self._partition_value(name, F.col(f"__ev_p{i}")))
        return self._final(joined)

    def _selected(self, files: list[DataFile], kind: str) -> DataFrame:
        """Files of which only some rows count, told by their row index (deletion vectors).

        A file is told by its size, which is much cheaper to compare than its path, where no other
        file has that size.
        """
        sizes = Counter(f.size for f in files)
        unique = [f for f in files if sizes[f.size] == 1]
        others = [f for f in files if sizes[f.size] > 1]
        parts = []
        if unique:
            rows = self._parquet(unique).withColumn(FILE, F.col("_metadata.file_size"))
            keys = pa.array([f.size for f in unique], pa.int64())
            parts.append(self._by_position(rows, unique, keys, kind))
        if others:
            rows = self._parquet(others).withColumn(FILE, _file_path())
            names = self._seen_names(rows, others)
            keys = pa.array([names[self._path(f)] for f in others], pa.string())
            parts.append(self._by_position(rows, others, keys, kind))
        return reduce(DataFrame.unionAll, parts)

    def _by_position(
        self, rows: DataFrame, files: list[DataFile], keys: pa.Array, kind: str
    ) -> DataFrame:
        """Rows of files with a key that count, with the partition values of their files."""
        values = {
            f"__ev_p{i}": pa.array([dict(f.partition).get(name) for f in files], pa.string())
            for i, name in enumerate(self._partition_by)
        }
        chosen = [NO_ROWS if f.selection is None else f.selection.rows for f in files]
        known = self._spark.createDataFrame(selection_table(keys, chosen, values))
        placed = rows.withColumn(PATH, _file_path()) if self._with_path else rows
        kept = selected_rows(placed, known, kind)
        for i, name in enumerate(self._partition_by):
            kept = kept.withColumn(name, self._partition_value(name, F.col(f"__ev_p{i}")))
        return self._final(kept)

    def _parquet(self, files: list[DataFile]) -> DataFrame:
        paths = [self._path(f) for f in files]
        reader = self._spark.read.schema(spark_schema(self._file_schema))
        for key in ("ignoreMissingFiles", "ignoreCorruptFiles", "__globPaths__"):
            reader = reader.option(key, "false")
        return reader.parquet(*paths)

    def _path(self, file: DataFile) -> str:
        return spark_path(self._uri, file.path)

    def _seen_names(self, rows: DataFrame, files: list[DataFile]) -> dict[str, str]:
        """How Spark's `_metadata.file_path` spells each of our paths."""
        seen = {plain_path(name): _LOCAL.sub("file:/", name) for name in rows.inputFiles()}
        return {path: seen[plain_path(path, encoded=False)] for path in map(self._path, files)}


def _file_path() -> Column:
    return F.regexp_replace(F.col("_metadata.file_path"), _LOCAL.pattern, "file:/")


def plain_path(path: str, *, encoded: bool = True) -> str:
    text = unquote(path) if encoded else path
    scheme, _, rest = text.partition(":")
    return rest.lstrip("/") if scheme == "file" else text


def flattened(rows: DataFrame, stored: Schema, *others: str) -> DataFrame:
    """Stored rows with the fields of the hidden struct as columns `__ev.x`; `others` stay in
    front.
    """
    wanted = [*others, *stored.names]
    return rows if rows.columns == wanted else rows.selectExpr(*map(stored_column, wanted))


def stored_column(name: str) -> str:
    """The SQL for a column of stored rows by its name in the layout."""
    if name.startswith(f"{HIDDEN}."):
        return f"{HIDDEN}.{quoted(name.removeprefix(f'{HIDDEN}.'))} AS {quoted(name)}"
    return quoted(name)


def packed(rows: DataFrame, stored: Schema, *others: str) -> DataFrame:
    """Flat rows as they are stored: public columns, then the hidden struct; `others` stay in
    front.
    """
    public = [n for n in stored.names if not n.startswith(f"{HIDDEN}.")]
    hidden = [n for n in stored.names if n.startswith(f"{HIDDEN}.")]
    columns = list(map(quoted, (*others, *public)))
    if not hidden:
        return rows if rows.columns == [*others, *public] else rows.select(*columns)
    fields = ", ".join(f"{quoted(n)} AS {quoted(n.removeprefix(f'{HIDDEN}.'))}" for n in hidden)
    return rows.select(*columns, F.expr(f"struct({fields}) AS {HIDDEN}"))


def packed_schema(stored: Schema) -> Schema:
    """The schema of the table that stores these columns."""
    public = tuple(f for f in stored.fields if not f.name.startswith(f"{HIDDEN}."))
    hidden = tuple(f for f in stored.fields if f.name.startswith(f"{HIDDEN}."))
    if not hidden:
        return Schema(public)
    inner = Schema(
        tuple(Field(f.name.removeprefix(f"{HIDDEN}."), f.type, f.nullable) for f in hidden)
    )
    return Schema((*public, Field(HIDDEN, inner.to_json(), nullable=False)))
