"""Spark's own answer to a view's text, in a session beside, and the comparison of counted bags."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

Line = tuple[Any, ...]
FLOATS = ("float", "double")
TOLERANCE = 1e-9


class Oracle:
    """Answers queries over copies of the tables, knowing nothing of how views are kept."""

    def __init__(self, spark: SparkSession, settings: Mapping[str, str] | None = None) -> None:
        self.session = spark.newSession()
        for key, value in (settings or {}).items():
            self.session.conf.set(key, value)

    def table(self, name: str, frame: DataFrame) -> None:
        """The rows of a frame of another session, copied, under a name."""
        schema = frame.schema
        copy = self.session.createDataFrame(frame.toArrow(), schema=schema)
        copy.createOrReplaceTempView(name)

    def view(self, name: str, sql: str) -> None:
        """A definition under a name, so that definitions above can read it."""
        self.session.sql(sql).createOrReplaceTempView(name)

    def answer(self, sql: str) -> Result:
        return result(self.session.sql(sql))


Result = tuple["StructType", list[Any]]


def result(frame: DataFrame) -> Result:
    """The columns and rows of a frame, fetched once."""
    return frame.schema, frame.collect()


def compare(found: Result, expected: Result, *, loose: bool) -> list[str]:
    """What differs between two results as counted bags, both ways; [] if nothing does.

    With `loose`, columns of floats may differ by rounding; all else is compared by its bits.
    """
    types = [_types(found[0]), _types(expected[0])]
    if types[0] != types[1]:
        return [f"columns {types[0]}, expected {types[1]}"]
    return differences(found[1], expected[1], float_columns(found[0], loose=loose))


def float_columns(schema: StructType, *, loose: bool) -> tuple[int, ...]:
    if not loose:
        return ()
    return tuple(i for i, f in enumerate(schema.fields) if f.dataType.typeName() in FLOATS)


def _types(schema: StructType) -> list[tuple[str, str]]:
    return [(f.name, f.dataType.simpleString()) for f in schema.fields]


def differences(
    found: Iterable[Line], expected: Iterable[Line], floats: tuple[int, ...] = ()
) -> list[str]:
    """A line of text per row with too many or too few copies."""
    some, other = _by_exact(found, floats), _by_exact(expected, floats)
    lines = []
    for key in sorted(some.keys() | other.keys(), key=repr):
        unexpected, missing = _unmatched(some[key], other[key])
        lines += [f"unexpected {_shown(key, row)}" for row in unexpected]
        lines += [f"missing    {_shown(key, row)}" for row in missing]
    return lines


def bag(rows: Iterable[Line]) -> Counter[Line]:
    """Rows as they can be counted: every value by its bits."""
    return Counter(tuple(_exact(v) for v in row) for row in rows)


def _by_exact(rows: Iterable[Line], floats: tuple[int, ...]) -> defaultdict[Line, list[Line]]:
    parts: defaultdict[Line, list[Line]] = defaultdict(list)
    for row in rows:
        key = tuple(_exact(v) for i, v in enumerate(row) if i not in floats)
        parts[key].append(tuple(row[i] for i in floats))
    return parts


def _unmatched(found: list[Line], expected: list[Line]) -> tuple[list[Line], list[Line]]:
    left, missing = list(found), []
    for row in expected:
        match = next((i for i, other in enumerate(left) if all(map(close, row, other))), None)
        if match is None:
            missing.append(row)
        else:
            del left[match]
    return left, missing


def close(left: float | None, right: float | None) -> bool:
    """Equal up to rounding; NaN is itself, NULL is itself."""
    if left is None or right is None:
        return left is right
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right or abs(left - right) <= TOLERANCE * max(1.0, abs(left), abs(right))


def _exact(value: Any) -> Any:
    """A hashable form in which values are equal only if their bits are."""
    match value:
        case bool() | None | str() | bytes():
            return value
        case float() | Decimal():
            return f"{value!r}"
        case bytearray():
            return bytes(value)
        case dict():
            return frozenset((_exact(k), _exact(v)) for k, v in value.items())
        case list() | tuple():
            return tuple(_exact(v) for v in value)
        case _:
            return value


def _shown(key: Line, row: Line) -> str:
    return repr((*key, *row))
