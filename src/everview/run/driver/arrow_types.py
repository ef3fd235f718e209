"""Spark's types as Arrow's, as far as the driver handles their values by itself."""

from __future__ import annotations

from typing import assert_never

import pyarrow as pa

from everview.algebra.types import (
    ArrayOf,
    Characters,
    Collated,
    DecimalOf,
    Foreign,
    MapOf,
    Plain,
    StructOf,
    Type,
)
from everview.facts.schema import Schema

_PLAIN = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


def arrow_type(type_: Type) -> pa.DataType | None:
    """The Arrow type that holds the same values, None if the driver leaves them to Spark."""
    match type_:
        case Plain(name):
            return _PLAIN.get(name)
        case DecimalOf(precision, scale):
            return pa.decimal128(precision, scale)
        case Characters():
            return pa.string()
        case ArrayOf(element):
            inner = arrow_type(element)
            return None if inner is None else pa.list_(inner)
        case StructOf(fields):
            inner_types = [(name, arrow_type(inner)) for name, inner in fields]
            known = [(name, inner) for name, inner in inner_types if inner is not None]
            return pa.struct(known) if len(known) == len(inner_types) else None
        case MapOf() | Collated() | Foreign():  # equality of maps is Spark's business
            return None
        case _:
            assert_never(type_)


def arrow_schema(schema: Schema) -> pa.Schema | None:
    """The Arrow schema of these columns, None if one of them is left to Spark."""
    types = [(f.name, arrow_type(f.parsed)) for f in schema.fields]
    known = [(name, type_) for name, type_ in types if type_ is not None]
    return pa.schema(known) if len(known) == len(types) else None
