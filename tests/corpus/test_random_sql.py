"""Random queries, lowered and written back, give what Spark gives for the original text."""

from __future__ import annotations

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

    from everview.run.engine import Engine

    Quick = tuple[Engine, dict[str, DataFrame]]

FOUND = Path(__file__).with_name("found.sql")
WANTED = cases(200)
SEEN = Cases(WANTED)
REASONS: Counter[str] = Counter()

MOST_REJECTED = 0.05  # share of the queries that Spark itself may reject
MOST_REFUSED = 1.0  # share of the others that may not be lowered
LEAST_WITH_ROWS = 0.6

# Constructs that must occur in so many of two hundred queries.
NEEDED = {
    3: (
        "avg", "count_if", "except all", "exists with an inequality", "exists, correlated",
        "group by all", "group by cube", "group by with rollup", "in (query) of two columns",
        "in (query), correlated", "intersect all", "minus", "not exists, correlated",
        "not in (query), not correlated", "offset", "row_number", "star except",
        "subquery condition in select", "union", "using: full", "using: right", "window with order",
    ),
    8: (
        "<=>", "aggregate distinct", "aggregate filter", "anti join", "comma", "cross join",
        "cte used", "distinct", "expression over aggregates", "full join", "global aggregate",
        "group by alias", "group by grouping sets", "group by ordinal", "group by rollup", "having",
        "in list", "lateral view", "left join", "limit", "natural", "not", "on: inequality",
        "on: or", "or", "parenthesised join", "right join", "scalar subquery, correlated",
        "semi join",
        "set operation", "star", "star of a table", "subquery in from", "values", "window", "with",
        "with hides a name",
    ),
}  # fmt: skip


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
    rare = {
        kind: SEEN.kinds[kind]
        for least, kinds in NEEDED.items()
        for kind in kinds
        if SEEN.kinds[kind] < least * WANTED // 200
    }
    assert not rare, rare


def found() -> list[tuple[str, str]]:
    """The queries that random search once found to be wrong, as (title, text)."""
    pieces = FOUND.read_text().split("# ")[1:]
    return [(title, text.strip()) for title, _, text in (p.partition("\n") for p in pieces)]


@pytest.mark.parametrize(("title", "text"), found())
def test_what_was_found_stays_right(title: str, text: str, quick: Quick) -> None:
    outcome = outcome_of(quick, text)
    assert outcome.status in ("lowered", "refused"), f"{title}: {outcome.reason}\n{text}"


def outcome_of(quick: Quick, text: str) -> Outcome:
    """The round trip; what Spark rejects or cannot run is left out."""
    engine, tables = quick
    try:
        return round_trip(engine, text, tables)
    except SqlSyntax as error:
        return Outcome("refused", f"not parsed: {error.what}")
    except (PySparkException, Py4JJavaError) as error:
        return Outcome("left out", str(error).splitlines()[0])
