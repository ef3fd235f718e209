"""A query lowered to a plan and written back must give what Spark gives for the original text."""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import VariantVal

from everview.algebra.relations import Scan
from everview.run.rows.read import schema_of
from everview.run.understand.define import spark_message, user_frame
from everview.run.understand.lower import lower
from everview.spark.engine import Engine
from everview.sql.bind.query import NotLowered
from everview.sql.read.parse import parse_query
from everview.sql.write.door import SourceLeaf, write

Status = Literal["lowered", "refused", "wrong", "left out"]


@dataclass(frozen=True)
class Outcome:
    """What became of one query: `rows` of the original, `seconds` of Python to lower it.

    A corpus leaves out what Spark itself cannot run.
    """

    status: Status
    reason: str = ""
    rows: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Pair:
    """A query as Spark reads it, and as it was written back after lowering."""

    theirs: DataFrame
    ours: DataFrame
    seconds: float


def round_trip(engine: Engine, text: str, tables: Mapping[str, DataFrame]) -> Outcome:
    """Lower the text over these tables (frames of `engine.own`, by lower-case name), write it
    back, run both, compare names, types and counted bags.
    """
    with engine.settings():
        pair = written_back(engine, text, tables)
        if isinstance(pair, Outcome):
            return pair
        expected = collectable(pair.theirs).collect()
        try:
            found = collectable(pair.ours).collect()
        except PySparkException as error:
            return failed(error, pair.seconds)
    return compared(pair, found, expected)


def written_back(engine: Engine, text: str, tables: Mapping[str, DataFrame]) -> Pair | Outcome:
    """Both readings of the text, analysed only; call inside `engine.settings`."""
    schemas = {name: schema_of(frame) for name, frame in tables.items()}
    parsed = parse_query(text)
    theirs = user_frame(engine, parsed, tables)
    names = schema_of(theirs).names
    begun = time.perf_counter()
    found = lower(engine, parsed, schemas)
    seconds = time.perf_counter() - begun
    if isinstance(found, NotLowered):
        return Outcome("refused", found.reason, seconds=seconds)
    if len(found.rel.columns) != len(names):
        widths = f"we read {len(found.rel.columns)} columns, Spark {len(names)}"
        return Outcome("wrong", widths, seconds=seconds)
    query = write(found.rel, {}, names)
    scans: dict[SourceLeaf, DataFrame] = {
        leaf: tables[leaf.table] for leaf in query.leaves.values() if isinstance(leaf, Scan)
    }
    try:
        ours = engine.sql(query, scans)
    except PySparkException as error:
        return failed(error, seconds)
    wrong = schema_difference(ours, theirs)
    return Outcome("wrong", wrong, seconds=seconds) if wrong else Pair(theirs, ours, seconds)


def compared(pair: Pair, found: list[Row], expected: list[Row]) -> Outcome:
    """The outcome of a pair of which these rows were collected."""
    wrong = bag_difference(found, expected)
    return Outcome("wrong" if wrong else "lowered", wrong, len(expected), pair.seconds)


def failed(error: PySparkException, seconds: float) -> Outcome:
    return Outcome("wrong", f"what we write fails: {spark_message(error)}", seconds=seconds)


def collectable(frame: DataFrame) -> DataFrame:
    """The frame with columns as text where Python has no value for their type."""
    types = [field.type for field in schema_of(frame).fields]
    if not any(_FOREIGN.search(type_) for type_ in types):
        return frame
    named = frame.toDF(*(f"c{i}" for i, _ in enumerate(types)))
    return named.select(
        *(
            F.col(f"c{i}").cast("string") if _FOREIGN.search(t) else F.col(f"c{i}")
            for i, t in enumerate(types)
        )
    )


_FOREIGN = re.compile(r"\binterval\b(?! (?:day|hour|minute|second))")


def schema_difference(ours: DataFrame, theirs: DataFrame) -> str:
    """In words how names or types differ, "" if they do not."""
    one, two = schema_of(ours), schema_of(theirs)
    if one.same_columns(two):
        return ""
    shown = [", ".join(f"{f.name} {f.type}" for f in s.fields) for s in (one, two)]
    return f"we read its columns as {shown[0]}, Spark as {shown[1]}"


def bag_difference(ours: list[Row], theirs: list[Row]) -> str:
    """In words how two bags of rows differ, "" if they do not; floats within 1e-9."""
    left, right = (Counter(plain(row) for row in some) for some in (ours, theirs))
    more, less = list((left - right).elements()), list((right - left).elements())
    for row in list(more):
        twin = next((other for other in less if near(row, other)), None)
        if twin is not None:
            more.remove(row)
            less.remove(twin)
    if not more and not less:
        return ""
    return f"we give {more[:3]} (of {len(more)}) where Spark gives {less[:3]} (of {len(less)})"


def plain(value: Any) -> Any:
    """A value that can be hashed: lists and maps by their items, NaN as a word."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case tuple() | list():
            return tuple(plain(v) for v in value)
        case dict():
            return frozenset((plain(k), plain(v)) for k, v in value.items())
        case bytearray():
            return bytes(value)
        case VariantVal():
            return bytes(value.value), bytes(value.metadata)
        case _ if value.__hash__ is None:
            return str(value)
        case _:
            return value


def near(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(near, left, right))
    return bool(left == right)
