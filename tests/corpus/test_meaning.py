"""The specification is checked against the engine: a plan means the rows that Spark answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from everview.algebra.meaning.plans import State, rows
from everview.algebra.meaning.scalars import NoMeaning
from everview.algebra.relations import At
from everview.errors import SqlSyntax
from everview.run.rows.read import schema_of
from everview.run.understand.define import user_frame
from everview.run.understand.lower import lower
from everview.sql.bind.query import NotLowered
from everview.sql.read.parse import parse_query
from tests.corpus.random_cases import Cases, cases, quick_engine, random_cases
from tests.corpus.random_sql import Generated, queries
from tests.corpus.round_trip import bag_difference
from tests.corpus.small_tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from everview.spark.engine import Engine

    Quick = tuple[Engine, dict[str, DataFrame]]

WANTED = cases(100)
SEEN = Cases(WANTED)
STATE = State({(name, At.NEW): table.rows for name, table in TABLES.items()})

LEAST_UNDERSTOOD = 0.6  # share of the lowered queries whose plan has a meaning without Spark
LEAST_WITH_ROWS = 0.6


@pytest.fixture(scope="module")
def quick(spark: SparkSession) -> Iterator[Quick]:
    yield from quick_engine(spark)


@pytest.mark.fuzz
@pytest.mark.slow
@random_cases(100, start=2)
@given(query=queries(plain=True))
def test_a_plan_means_what_spark_answers(quick: Quick, query: Generated) -> None:
    if not SEEN.takes(query):
        return
    status, wrong = difference(quick, query.text)
    SEEN.counts[status] += 1
    SEEN.failed = SEEN.failed or bool(wrong)
    assert not wrong, f"{wrong}\n{query.text}"


@pytest.mark.fuzz
@pytest.mark.slow
def test_the_meaning_of_enough_plans_was_compared(quick: Quick) -> None:
    assert SEEN.run >= 0.9 * WANTED, "run it with the test before it"
    compared = SEEN.counts["with rows"] + SEEN.counts["empty"]
    lowered = compared + SEEN.counts["no meaning"]
    assert compared >= LEAST_UNDERSTOOD * max(1, lowered), SEEN.counts
    assert SEEN.share("with rows", compared) >= LEAST_WITH_ROWS, SEEN.counts


def difference(quick: Quick, text: str) -> tuple[str, str]:
    """What became of the query, and how the plan's rows differ from Spark's, "" if they do not."""
    engine, tables = quick
    schemas = {name: schema_of(frame) for name, frame in tables.items()}
    try:
        parsed = parse_query(text)
    except SqlSyntax:
        return "refused", ""
    with engine.settings():
        try:
            expected = user_frame(engine, parsed, tables).collect()
        except (PySparkException, Py4JJavaError):
            return "left out", ""
        found = lower(engine, parsed, schemas)
    if isinstance(found, NotLowered):
        return "refused", ""
    try:
        ours = list(rows(found.rel, STATE).elements())
    except NoMeaning:
        return "no meaning", ""
    return "with rows" if expected else "empty", bag_difference(ours, expected)
