"""Every query of TPC-H and TPC-DS is lowered and keeps its meaning."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession

from everview.spark.engine import Engine
from tests.corpus.benchmarks import TPCDS, TPCH, Benchmark, adapted, outcome
from tests.corpus.round_trip import Outcome

QUERIES = {
    id_: (benchmark, text)
    for benchmark in (TPCH, TPCDS)
    for id_, text in benchmark.queries().items()
}
_WITH_ROWS = 0.9


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> Engine:
    return Engine(spark)


@pytest.fixture(scope="module")
def frames(engine: Engine) -> Callable[[Benchmark], dict[str, DataFrame]]:
    """A benchmark's tables, made when first asked for."""
    made: dict[Benchmark, dict[str, DataFrame]] = {}

    def tables(benchmark: Benchmark) -> dict[str, DataFrame]:
        if benchmark not in made:
            made[benchmark] = benchmark.tables(engine.own)
        return made[benchmark]

    return tables


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    """What became of the queries of this run, by id."""
    return {}


def test_a_text_is_adapted_without_a_change_of_meaning() -> None:
    text = 'SELECT a AS "30 days" FROM (SELECT a FROM t LIMIT 3)\nLIMIT 100;\n'
    assert adapted(text) == "SELECT a AS `30 days` FROM (SELECT a FROM t LIMIT 3)"


def test_all_queries_are_there() -> None:
    assert len(QUERIES) == 22 + 99


@pytest.mark.corpus
@pytest.mark.parametrize("id_", QUERIES)
def test_the_meaning_is_kept(
    id_: str,
    engine: Engine,
    frames: Callable[[Benchmark], dict[str, DataFrame]],
    outcomes: dict[str, Outcome],
    record_property: Callable[[str, object], None],
) -> None:
    benchmark, text = QUERIES[id_]
    found = outcomes[id_] = outcome(engine, text, frames(benchmark))
    record_property("lowering_ms", round(found.seconds * 1000))
    assert found.status == "lowered", f"{found.status}: {found.reason}"


def test_most_return_rows(outcomes: dict[str, Outcome]) -> None:
    """Of those that this run has compared."""
    empty = [id_ for id_, found in outcomes.items() if not found.rows]
    assert len(empty) <= (1 - _WITH_ROWS) * len(outcomes), empty
