"""Names in SQL text: quoting, and the SQL names of Spark's JSON types."""

from __future__ import annotations

import re
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
    type_of,
)

_SIMPLE = {
    "byte": "TINYINT",
    "short": "SMALLINT",
    "integer": "INT",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "binary": "BINARY",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP_NTZ",
    "variant": "VARIANT",
}

_NAME = re.compile(r"`([^`]|``)*`")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def describe_function(name: str) -> str:
    """The statement that asks Spark about a function by its quoted name."""
    return f"DESCRIBE FUNCTION EXTENDED {name}"


def is_name(text: str) -> bool:
    """Whether the text is one quoted name."""
    return _NAME.fullmatch(text) is not None


def escaped(text: str) -> str:
    """Text for a query in which leaves stand as `{name}`: braces of its own are doubled."""
    return text.replace("{", "{{").replace("}", "}}")


def sql_type(type_: str) -> str:
    """The SQL name of a type given in Spark's JSON form."""
    return _sql_type(type_of(type_))


def _sql_type(type_: Type) -> str:
    match type_:
        case Plain(name):
            return _SIMPLE.get(name, name.upper())
        case DecimalOf(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Characters(name, length):
            return f"{name.upper()}({length})"
        case Collated(collation):
            return f"STRING COLLATE {collation}"
        case ArrayOf(element):
            return f"ARRAY<{_sql_type(element)}>"
        case MapOf(key, value):
            return f"MAP<{_sql_type(key)}, {_sql_type(value)}>"
        case StructOf(fields):
            inner = (f"{quoted(name)}: {_sql_type(each)}" for name, each in fields)
            return f"STRUCT<{', '.join(inner)}>"
        case Foreign(name):
            raise ValueError(f"no SQL name for the type {name}")
        case _:
            assert_never(type_)
