"""Which columns a table can hold in any format; other types are refused by name and column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

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
from everview.errors import InvalidArgument, UnsupportedType
from everview.facts.schema import Schema

_STORED = frozenset(
    map(
        Plain,
        (
            *("byte", "short", "integer", "long", "float", "double", "string", "boolean"),
            *("binary", "date", "timestamp", "timestamp_ntz"),
        ),
    )
)
# In folder names a timestamp depends on the session's time zone, and a float need not come back.
_NOT_IN_FOLDERS = frozenset({"float", "double", "binary", "timestamp"})
_REMEDY = "CAST the column to a type that a table can hold, to STRING for example."


def check_types(schema: Schema) -> None:
    """Raise UnsupportedType for the first column, or part of one, that cannot be stored."""
    for field in schema.fields:
        for where, leaf in _unstored(field.name, field.parsed):
            raise UnsupportedType(
                f"the column {where} is of type {leaf}, which tables do not have",
                remedy=_REMEDY,
            )


def check_partition_columns(schema: Schema, partition_by: tuple[str, ...]) -> None:
    """Raise InvalidArgument for a column that cannot be told from folder names."""
    for name in partition_by:
        if name not in schema:
            raise InvalidArgument(f"there is no column {name} to partition by")
        field = schema[name]
        if field.is_nested or field.type in _NOT_IN_FOLDERS:
            raise InvalidArgument(
                f"a table cannot be partitioned by {name}: its type is {field.type}",
                remedy="Partition by a column of a whole number, string, date or boolean.",
            )


def _unstored(where: str, type_: Type) -> Iterator[tuple[str, str]]:
    """The parts of a column that cannot be stored: where each is, and what its type is called."""
    match type_:
        case StructOf(fields):
            for name, inner in fields:
                yield from _unstored(f"{where}.{name}", inner)
        case ArrayOf(element):
            yield from _unstored(f"{where}[]", element)
        case MapOf(key, value):
            yield from _unstored(f"{where} (key)", key)
            yield from _unstored(f"{where} (value)", value)
        case DecimalOf(precision, scale):
            if scale < 0:
                yield where, f"decimal({precision},{scale})"
        case Characters(name, length):
            yield where, f"{name}({length})"
        case Collated(collation):
            yield where, f"string collate {collation}"
        case Plain(name) | Foreign(name):
            if type_ not in _STORED:
                yield where, name
        case _:
            assert_never(type_)
