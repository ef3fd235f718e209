"""The form in which stored values are compared: equal there means equal as stored (DESIGN 4)."""

from __future__ import annotations

import json
from typing import Any

from everview.sql.names import quoted


def comparable_text(text: str, type_: str) -> str:
    """SQL for the comparable form of an expression of a type given in Spark's JSON form."""
    return _form(text, json.loads(type_) if type_.startswith("{") else type_, 0)


def is_comparable(type_: str) -> bool:
    """Whether values of the type can be compared at all; VARIANT cannot."""
    return "variant" not in type_


def _form(text: str, type_: Any, depth: int) -> str:
    """Floats by their text (0.0 and -0.0 differ, NaN is itself), collated strings by their bytes,
    maps by their sorted entries, nested types by their parts."""
    if not _special(type_):
        return text
    if isinstance(type_, str):
        if type_ in ("float", "double"):
            return f"CAST({text} AS STRING)"
        return f"({text}) COLLATE UTF8_BINARY"
    variable = f"__ev_x{depth}"
    match type_["type"]:
        case "array":
            inner = _form(variable, type_["elementType"], depth + 1)
            return f"transform({text}, {variable} -> {inner})"
        case "map":
            entry = {
                "type": "struct",
                "fields": [
                    {"name": "key", "type": type_["keyType"]},
                    {"name": "value", "type": type_["valueType"]},
                ],
            }
            inner = _form(variable, entry, depth + 1)
            return f"array_sort(transform(map_entries({text}), {variable} -> {inner}))"
        case _:
            paths = (f"({text}).{quoted(f['name'])}" for f in type_["fields"])
            parts = (
                f"'f{i}', {_form(path, f['type'], depth + 1)}"
                for i, (path, f) in enumerate(zip(paths, type_["fields"], strict=True))
            )
            struct = f"named_struct({', '.join(parts)})"
            return f"CASE WHEN ({text}) IS NULL THEN NULL ELSE {struct} END"


def _special(type_: Any) -> bool:
    """Whether the type holds, at any depth, something that Spark's equality does not tell apart."""
    if isinstance(type_, str):
        return type_ in ("float", "double") or type_.startswith("string collate")
    match type_["type"]:
        case "array":
            return _special(type_["elementType"])
        case "map":
            return True
        case _:
            return any(_special(f["type"]) for f in type_["fields"])
