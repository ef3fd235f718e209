"""The form in which stored values are compared: equal there means equal as stored."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.types import (
    FLOATS,
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
    within,
)
from everview.sql.names import quoted


def comparable_text(text: str, type_: str) -> str:
    """SQL for the comparable form of an expression of a type given in Spark's JSON form."""
    return _form(text, type_of(type_), 0)


def _form(text: str, type_: Type, depth: int) -> str:
    """Floats by their text (0.0 and -0.0 differ, NaN is itself), collated strings by their bytes,
    maps by their sorted entries, nested types by their parts."""
    if not any(_is_special(t) for t in within(type_)):
        return text
    variable = f"__ev_x{depth}"
    match type_:
        case Plain():
            return f"CAST({text} AS STRING)"
        case Collated():
            return f"({text}) COLLATE UTF8_BINARY"
        case ArrayOf(element):
            inner = _form(variable, element, depth + 1)
            return f"transform({text}, {variable} -> {inner})"
        case MapOf(key, value):
            entry = StructOf((("key", key), ("value", value)))
            inner = _form(variable, entry, depth + 1)
            return f"array_sort(transform(map_entries({text}), {variable} -> {inner}))"
        case StructOf(fields):
            forms = (_form(f"({text}).{quoted(n)}", inner, depth + 1) for n, inner in fields)
            named = ", ".join(f"'f{i}', {form}" for i, form in enumerate(forms))
            struct = f"named_struct({named})"
            return f"CASE WHEN ({text}) IS NULL THEN NULL ELSE {struct} END"
        case DecimalOf() | Characters() | Foreign():
            return text
        case _:
            assert_never(type_)


def _is_special(type_: Type) -> bool:
    """Whether Spark's equality does not tell all values of the type apart, parts aside."""
    return type_ in FLOATS or isinstance(type_, Collated | MapOf)
