"""From the text of a query to its plan, asking Spark what the text alone does not say."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from everview.algebra.relations import Scan
from everview.facts.schema import Schema
from everview.run.rows.read import empty_frame, schema_of
from everview.spark.engine import Engine
from everview.sql.bind.query import Asks, Lowered, NotLowered, bind
from everview.sql.read.parse import Parsed
from everview.sql.write.door import SourceLeaf, Sql


def lower(
    engine: Engine,
    parsed: Parsed,
    sources: Mapping[str, Schema],
    *,
    case_sensitive: bool = False,
) -> Lowered | NotLowered:
    """The plan of a query over sources given by lower-case name; call inside `engine.settings`."""
    answers: tuple[Schema, ...] = ()
    while True:
        found = bind(parsed, sources, answers, case_sensitive=case_sensitive)
        if not isinstance(found, Asks):
            return found
        answers += (_answer(engine, found.question, sources),)


def _answer(engine: Engine, question: Sql, sources: Mapping[str, Schema]) -> Schema:
    """The names and types that Spark gives a query, by analysis alone."""
    frames: dict[SourceLeaf, DataFrame] = {}
    for leaf in question.leaves.values():
        assert isinstance(leaf, Scan)
        frames[leaf] = empty_frame(engine.own, sources[leaf.table])
    return schema_of(engine.sql(question, frames))
