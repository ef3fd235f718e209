"""Rows as a caller gives them: a DataFrame of Spark, of pandas, or any frame that speaks Arrow."""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType, TimestampNTZType, TimestampType

from everview.errors import InvalidArgument, SchemaMismatch
from everview.facts.schema import Schema


class ArrowFrame(Protocol):
    """A frame that gives its rows as an Arrow stream: pandas', polars', pyarrow's and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame = DataFrame | ArrowFrame

_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.date64(): pa.date32(),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
}


def is_frame(given: object) -> bool:
    """Whether rows can be read from it: Spark's, pandas' and Arrow's frames, and those of others
    that have the Arrow interface (polars, say).
    """
    return isinstance(given, DataFrame) or _is_pandas(given) or hasattr(given, "__arrow_c_stream__")


def given_frame(spark: SparkSession, given: object, schema: Schema | None = None) -> DataFrame:
    """The rows as a DataFrame of the session. Times without a zone are those of the session's zone,
    or as they are where the column of the table has none either.
    """
    if isinstance(given, DataFrame):
        return given
    if not is_frame(given):
        raise InvalidArgument(
            f"A DataFrame is wanted, not {type(given).__name__}.",
            remedy="Give one of Spark, pandas or polars, or an Arrow table.",
        )
    table = _arrow(given)
    try:
        rows = spark.createDataFrame(table)
        zoneless = _zoneless(table, schema)
        if zoneless:
            rows = spark.createDataFrame(table, _with_ntz(rows.schema, zoneless))
    except PySparkException as error:
        raise _unfit(error) from error
    return rows


def _is_pandas(given: object) -> bool:
    kind = type(given)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] == "pandas"


def _arrow(given: Any) -> pa.Table:
    """The rows as an Arrow table of types that Spark has too; no value is changed."""
    try:
        if _is_pandas(given):
            table = pa.Table.from_pandas(given, preserve_index=False)
        else:
            table = pa.RecordBatchReader.from_stream(given).read_all()
        plain = [pa.field(f.name, _plain(f.type), f.nullable) for f in table.schema]
        return table.cast(pa.schema(plain))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _unfit(error) from error


def _unfit(error: Exception) -> SchemaMismatch:
    said = str(error).strip().splitlines()
    return SchemaMismatch(
        f"The rows cannot be read: {said[0] if said else type(error).__name__}",
        remedy="Cast the column in the frame; nothing was written.",
    )


def _plain(type_: pa.DataType) -> pa.DataType:
    """The type of Spark's that holds all values of an Arrow type."""
    if pa.types.is_dictionary(type_):
        return _plain(type_.value_type)
    if pa.types.is_timestamp(type_):
        return pa.timestamp("us", type_.tz)
    if pa.types.is_struct(type_):
        return pa.struct([pa.field(f.name, _plain(f.type), f.nullable) for f in type_])
    if pa.types.is_map(type_):
        return pa.map_(_plain(type_.key_type), _plain(type_.item_type))
    if pa.types.is_list(type_) or pa.types.is_large_list(type_) or _is_other_list(type_):
        return pa.list_(_plain(type_.value_type))
    return _WIDER.get(type_, type_)


def _is_other_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_fixed_size_list(type_) or pa.types.is_list_view(type_))


def _zoneless(table: pa.Table, schema: Schema | None) -> set[str]:
    """The columns whose times have no zone, neither here nor in the table they go to."""
    if schema is None:
        return set()
    wanted = {f.name.lower() for f in schema.fields if f.type == "timestamp_ntz"}
    return {
        f.name
        for f in table.schema
        if f.name.lower() in wanted and pa.types.is_timestamp(f.type) and f.type.tz is None
    }


def _with_ntz(schema: StructType, names: set[str]) -> StructType:
    return StructType(
        [
            StructField(f.name, TimestampNTZType(), f.nullable)
            if f.name in names and isinstance(f.dataType, TimestampType)
            else f
            for f in schema.fields
        ]
    )
