"""Which columns a Delta table can hold; every other type is refused by its name and column."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from everview.errors import InvalidArgument, UnsupportedType
from everview.facts.schema import Schema

_NUMBERS = ("byte", "short", "integer", "long", "float", "double")
_STORED = frozenset(
    {*_NUMBERS, "string", "boolean", "binary", "date", "timestamp", "timestamp_ntz"}
)
_DECIMAL = re.compile(r"decimal\(\d+,\d+\)$")
# In folder names a timestamp depends on the session's time zone, and a float need not come back.
_NOT_IN_FOLDERS = frozenset({"float", "double", "binary", "timestamp"})
_REMEDY = "CAST the column to a type that a table can hold, to STRING for example."


def check_types(schema: Schema) -> None:
    """Raise UnsupportedType for the first column, or part of one, that cannot be stored."""
    for field in schema.fields:
        type_ = json.loads(field.type) if field.is_nested else field.type
        for where, leaf in _leaves(field.name, type_):
            if leaf not in _STORED and not _DECIMAL.match(leaf):
                raise UnsupportedType(
                    f"the column {where} is of type {leaf}, which Delta tables do not have",
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


def _leaves(where: str, type_: Any) -> Iterator[tuple[str, str]]:
    if isinstance(type_, str):
        yield where, type_
        return
    match type_["type"]:
        case "struct":
            for field in type_["fields"]:
                yield from _leaves(f"{where}.{field['name']}", field["type"])
        case "array":
            yield from _leaves(f"{where}[]", type_["elementType"])
        case "map":
            yield from _leaves(f"{where} (key)", type_["keyType"])
            yield from _leaves(f"{where} (value)", type_["valueType"])
        case other:
            yield where, str(other)
