"""A query lowered to a plan and written back must give what Spark gives for the original text."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row

from everview.algebra.relations import Scan
from everview.run.define import spark_message, user_frame
from everview.run.engine import Engine
from everview.run.lower import lower
from everview.run.read import schema_of
from everview.sql.bind import NotLowered
from everview.sql.parse import parse_query
from everview.sql.write import write

Status = Literal["lowered", "refused", "wrong"]


@dataclass(frozen=True)
class Outcome:
    """What became of one query: `rows` of the original, `seconds` of Python to lower it."""

    status: Status
    reason: str = ""
    rows: int = 0
    seconds: float = 0.0


def round_trip(engine: Engine, text: str, tables: Mapping[str, DataFrame]) -> Outcome:
    """Lower the text over these tables (frames of `engine.own`, by lower-case name), write it
    back, run both, compare names, types and counted bags.
    """
    schemas = {name: schema_of(frame) for name, frame in tables.items()}
    parsed = parse_query(text)
    with engine.settings():
        theirs = user_frame(engine, parsed, tables)
        names = schema_of(theirs).names
        begun = time.perf_counter()
        found = lower(engine, parsed, schemas)
        seconds = time.perf_counter() - begun
        if isinstance(found, NotLowered):
            return Outcome("refused", found.reason, seconds=seconds)
        query = write(found.rel, {}, names)
        scans = {leaf: tables[leaf.table] for leaf in query.leaves.values() if isinstance(leaf, Scan)}
        try:
            ours = engine.sql(query, scans)
            wrong = schema_difference(ours, theirs)
            expected = theirs.collect()
            wrong = wrong or bag_difference(ours.collect(), expected)
        except PySparkException as error:
            return Outcome("wrong", f"what we write fails: {spark_message(error)}", seconds=seconds)
    return Outcome("wrong" if wrong else "lowered", wrong, len(expected), seconds)


def schema_difference(ours: DataFrame, theirs: DataFrame) -> str:
    """In words how names or types differ, "" if they do not."""
    one, two = schema_of(ours), schema_of(theirs)
    if one.same_columns(two):
        return ""
    shown = [", ".join(f"{f.name} {f.type}" for f in s.fields) for s in (one, two)]
    return f"we read its columns as {shown[0]}, Spark as {shown[1]}"


def bag_difference(ours: list[Row], theirs: list[Row]) -> str:
    """In words how two bags of rows differ, "" if they do not; floats within 1e-9."""
    left, right = (Counter(_plain(row) for row in some) for some in (ours, theirs))
    more, less = list((left - right).elements()), list((right - left).elements())
    for row in list(more):
        near = next((other for other in less if _near(row, other)), None)
        if near is not None:
            more.remove(row)
            less.remove(near)
    if not more and not less:
        return ""
    return f"we give {more[:3]} (of {len(more)}) where Spark gives {less[:3]} (of {len(less)})"


def _plain(value: Any) -> Any:
    """A value that can be hashed: lists and maps by their items, NaN as a word."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case tuple() | list():
            return tuple(_plain(v) for v in value)
        case dict():
            return frozenset((_plain(k), _plain(v)) for k, v in value.items())
        case bytearray():
            return bytes(value)
        case _ if value.__hash__ is None:
            return str(value)
        case _:
            return value


def _near(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_near, left, right))
    return bool(left == right)
