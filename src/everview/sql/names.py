"""Names in SQL text: quoting, and the SQL names of Spark's JSON types."""

from __future__ import annotations

import json
import re
from typing import Any

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
    return _sql_type(json.loads(type_) if type_.startswith("{") else type_)


def _sql_type(type_: Any) -> str:
    if isinstance(type_, str):
        return _SIMPLE.get(type_, type_.upper())
    match type_["type"]:
        case "array":
            return f"ARRAY<{_sql_type(type_['elementType'])}>"
        case "map":
            return f"MAP<{_sql_type(type_['keyType'])}, {_sql_type(type_['valueType'])}>"
        case "struct":
            fields = (f"{quoted(f['name'])}: {_sql_type(f['type'])}" for f in type_["fields"])
            return f"STRUCT<{', '.join(fields)}>"
        case other:
            raise ValueError(f"no SQL name for the type {other}")
