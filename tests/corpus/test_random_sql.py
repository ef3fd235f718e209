"""Random queries, lowered and written back, give what Spark gives for the original text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from everview.errors import SqlSyntax
from tests.corpus.random_cases import Cases, cases, quick_engine, random_cases
from tests.corpus.random_sql import Generated, queries
from tests.corpus.round_trip import Outcome, round_trip

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from everview.spark.engine import Engine

    Quick = tuple[Engine, dict[str, DataFrame]]

FOUND = Path(__file__).with_name("found.sql")
WANTED = cases(200)
SEEN = Cases(WANTED)
REASONS: Counter[str] = Counter()

MOST_REJECTED = 0.05  # share of the queries that Spark itself may reject
MOST_REFUSED = 0.05  # share of the others that may not be lowered
LEAST_WITH_ROWS = 0.6

# Constructs of which each must occur in some of the queries.
LEAST_OF_EACH = 2
NEEDED = (
    "<=>", "aggregate distinct", "aggregate filter", "alias of an input column", "anti join", "avg",
    "case", "coalesce", "comma", "count", "count(*)", "cross join", "cte used", "distinct",
    "except", "except all", "exists with an inequality", "exists, correlated",
    "exists, not correlated", "expression over aggregates", "full join", "global aggregate",
    "group by alias", "group by all", "group by cube", "group by expression",
    "group by grouping sets", "group by ordinal", "group by rollup", "group by text",
    "group by with rollup", "having", "in (query) of two columns", "in (query), correlated",
    "in (query), not correlated", "in list", "inner join", "intersect", "intersect all", "is null",
    "lateral alias", "lateral view", "left join", "limit", "max", "min", "natural", "not",
    "not exists, correlated", "not exists, not correlated", "not in (query), correlated",
    "not in (query), not correlated", "offset", "on: constant", "on: equality and more",
    "on: inequality", "on: or", "operators without parentheses", "or", "order by",
    "parenthesised join", "rank", "renamed columns", "right join", "row_number",
    "scalar subquery in select", "scalar subquery with a value over no rows",
    "scalar subquery, correlated", "scalar subquery, not correlated", "select without from",
    "semi join", "set operation in parentheses", "set operations in a row", "star", "star except",
    "star of a table", "subquery condition in select", "subquery in from", "subquery in having",
    "sum", "union", "union all", "using: full", "using: inner", "using: left", "using: right",
    "using: semi", "values", "window", "window over groups", "window with order", "with",
    "with hides a name",
)  # fmt: skip


@pytest.fixture(scope="module")
def quick(spark: SparkSession) -> Iterator[Quick]:
    yield from quick_engine(spark)


@pytest.mark.fuzz
@pytest.mark.slow
@random_cases(200, start=1)
@given(query=queries())
def test_no_random_query_is_read_wrongly(quick: Quick, query: Generated) -> None:
    if not SEEN.takes(query):
        return
    outcome = outcome_of(quick, query.text)
    SEEN.counts[outcome.status] += 1
    SEEN.counts["with rows"] += outcome.rows > 0
    REASONS[outcome.reason] += 1
    SEEN.failed = SEEN.failed or outcome.status == "wrong"
    assert outcome.status != "wrong", f"{outcome.reason}\n{query.text}"


@pytest.mark.fuzz
@pytest.mark.slow
def test_the_random_queries_are_worth_running(quick: Quick) -> None:
    assert SEEN.run >= 0.9 * WANTED, "run it with the test before it"
    told = f"{dict(SEEN.counts)}\n{REASONS.most_common(10)}"
    assert SEEN.share("left out", SEEN.run) <= MOST_REJECTED, told
    accepted = SEEN.run - SEEN.counts["left out"]
    assert SEEN.share("refused", accepted) <= MOST_REFUSED, told
    assert SEEN.share("with rows", SEEN.counts["lowered"]) >= LEAST_WITH_ROWS, told


@pytest.mark.fuzz
@pytest.mark.slow
def test_every_construct_occurred(quick: Quick) -> None:
    assert SEEN.run >= 0.9 * WANTED, "run it with the test before it"
    rare = {kind: SEEN.kinds[kind] for kind in NEEDED if SEEN.kinds[kind] < LEAST_OF_EACH}
    assert not rare, rare


def found() -> list[tuple[str, str]]:
    """The queries that random search once found to be read wrongly, as (title, text)."""
    pieces = re.split("^# ", FOUND.read_text(), flags=re.MULTILINE)[1:]
    return [(title, text.strip()) for title, _, text in (p.partition("\n") for p in pieces)]


@pytest.mark.parametrize(("title", "text"), found(), ids=[title for title, _ in found()])
def test_what_was_found_stays_right(title: str, text: str, quick: Quick) -> None:
    outcome = outcome_of(quick, text)
    assert outcome.status == "lowered", f"{title}: {outcome.status}: {outcome.reason}\n{text}"


def outcome_of(quick: Quick, text: str) -> Outcome:
    """The round trip; what Spark rejects or cannot run is left out."""
    engine, tables = quick
    try:
        return round_trip(engine, text, tables)
    except SqlSyntax as error:
        return Outcome("refused", f"not parsed: {error.what}")
    except (PySparkException, Py4JJavaError) as error:
        return Outcome("left out", str(error).splitlines()[0])
