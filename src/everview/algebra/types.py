"""Spark's types as values, read from the JSON form in which schemas write them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, assert_never


@dataclass(frozen=True, slots=True)
class Plain:
    """A type that its name says in full: `long`, `string`, `variant`, `interval day to second`."""

    name: str


@dataclass(frozen=True, slots=True)
class DecimalOf:
    """Numbers of so many digits, so many of them behind the point."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class Characters:
    """CHAR or VARCHAR of a length."""

    name: str
    length: int


@dataclass(frozen=True, slots=True)
class Collated:
    """Strings that are compared by a collation."""

    collation: str


@dataclass(frozen=True, slots=True)
class ArrayOf:
    element: Type


@dataclass(frozen=True, slots=True)
class MapOf:
    key: Type
    value: Type


@dataclass(frozen=True, slots=True)
class StructOf:
    """Named fields in order; names may repeat."""

    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Foreign:
    """A type of which only the word is known that its JSON begins with: a user's own, say."""

    name: str


Type = Plain | DecimalOf | Characters | Collated | ArrayOf | MapOf | StructOf | Foreign

VARIANT = Plain("variant")
FLOATS = frozenset({Plain("float"), Plain("double")})

_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_CHARACTERS = re.compile(r"(char|varchar)\((\d+)\)")
_COLLATED = re.compile(r"string collate (\S+)", re.IGNORECASE)


@lru_cache(maxsize=4096)
def type_of(text: str) -> Type:
    """The type that Spark's JSON form says: `long`, `decimal(10,2)`, or JSON text for a nested
    one; whether a part may be NULL is left out.
    """
    return _read(json.loads(text) if text.startswith("{") else text)


def _read(raw: Any) -> Type:
    if isinstance(raw, str):
        return _simple(raw)
    match raw["type"]:
        case "array":
            return ArrayOf(_read(raw["elementType"]))
        case "map":
            return MapOf(_read(raw["keyType"]), _read(raw["valueType"]))
        case "struct":
            return StructOf(tuple((f["name"], _read(f["type"])) for f in raw["fields"]))
        case other:
            return Foreign(str(other))


def _simple(name: str) -> Type:
    if found := _DECIMAL.fullmatch(name):
        return DecimalOf(int(found[1]), int(found[2]))
    if found := _CHARACTERS.fullmatch(name):
        return Characters(found[1], int(found[2]))
    if found := _COLLATED.fullmatch(name):
        return Collated(found[1])
    return Plain(name)


def is_nested(type_: Type) -> bool:
    """Whether values have parts, or nobody knows whether they have."""
    return isinstance(type_, ArrayOf | MapOf | StructOf | Foreign)


def parts(type_: Type) -> tuple[Type, ...]:
    """The types that this one is made of."""
    match type_:
        case ArrayOf(element):
            return (element,)
        case MapOf(key, value):
            return (key, value)
        case StructOf(fields):
            return tuple(inner for _, inner in fields)
        case Plain() | DecimalOf() | Characters() | Collated() | Foreign():
            return ()
        case _:
            assert_never(type_)


def within(type_: Type) -> Iterator[Type]:
    """The type and all that it is made of."""
    yield type_
    for part in parts(type_):
        yield from within(part)


def is_equal_only_to_itself(type_: Type) -> bool:
    """Whether values that GROUP BY takes as one are the same to every expression: not 0.0 and -0.0,
    nor what may hold them, nor strings with a collation.
    """
    return (
        not isinstance(type_, Collated) and type_ not in FLOATS | {VARIANT} and not is_nested(type_)
    )


def can_be_compared(type_: Type) -> bool:
    """Whether two values can be compared at all; VARIANT cannot."""
    return VARIANT not in within(type_)


def can_be_grouped(type_: Type) -> bool:
    """Whether rows can be grouped by values: not by a MAP or VARIANT, at any depth."""
    return can_be_compared(type_) and not any(isinstance(t, MapOf) for t in within(type_))
