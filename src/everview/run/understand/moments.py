"""Asking Spark whether a function of the user's own depends on the moment of a query."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import PySparkException

from everview.algebra.relations import Join, Values
from everview.algebra.scalars import Column, IsNull, Opaque, integer
from everview.errors import EverviewError
from everview.facts.schema import Schema
from everview.facts.views import Moment
from everview.spark.engine import Engine
from everview.sql.bind.moments import OwnCall, function_bodies, known_moment, own_calls
from everview.sql.names import describe_function
from everview.sql.read.parse import Parsed, parse_query
from everview.sql.statements.spark_text import AnyQuery, SparkText, moment_of_words
from everview.sql.write.door import write

NOT_DETERMINISTIC = "NON_DETERMINISTIC"  # part of the name of Spark's error


def find_moment(engine: Engine, query: AnyQuery, sources: Mapping[str, Schema]) -> Moment | None:
    """The expression of a query because of which its rows depend on when they are computed, None
    if there is none; call inside `engine.settings`.
    """
    if isinstance(query, SparkText):
        return moment_of_words(query)
    return known_moment(query, sources) or _of_own(engine, query, frozenset())


def _of_own(engine: Engine, parsed: Parsed, met: frozenset[str]) -> Moment | None:
    """The first call of a function of the user's own that does; `met` are being looked into."""
    for call in own_calls(parsed):
        if call.name not in met and _is_moment(engine, call, met | {call.name}):
            return call.moment
    return None


def _is_moment(engine: Engine, call: OwnCall, met: frozenset[str]) -> bool:
    """By analysis, and by the text of a function that is written in SQL: Spark takes the clock
    for deterministic.
    """
    if _is_not_deterministic(engine, call):
        return True
    for text in _bodies(engine, call):
        try:
            body = parse_query(text)
        except EverviewError:
            continue
        if known_moment(body, {}) is not None or _of_own(engine, body, met) is not None:
            return True
    return False


def _is_not_deterministic(engine: Engine, call: OwnCall) -> bool:
    """Spark refuses what is not deterministic in a join condition."""
    one, other = (Values(((integer(1),),), (Column(i, "one"),)) for i in (1, 2))
    nulls = ", ".join(["NULL"] * call.arguments)
    called = Opaque((f"{call.name}({nulls})",))
    query = write(Join("inner", one, other, IsNull(called)), {}, ("a", "b"))
    try:
        engine.sql(query, {}).schema  # noqa: B018  (analysis is what is asked for)
    except PySparkException as error:
        return NOT_DETERMINISTIC in (error.getCondition() or "")
    return False


def _bodies(engine: Engine, call: OwnCall) -> list[str]:
    try:
        described = engine.own.sql(describe_function(call.name)).collect()
    except PySparkException:
        return []
    return list(function_bodies(row[0] for row in described))
