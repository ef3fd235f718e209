"""The delta of every TPC-H query gives, on Spark, what the query's rows changed by."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession

from everview.spark.engine import Engine
from everview.sql.read.parse import parse_query, table_references
from tests.corpus.benchmarks import QUICK, TPCH
from tests.corpus.law_on_spark import Changed, law


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> Engine:
    return Engine(spark)


@pytest.fixture(scope="module")
def state(engine: Engine) -> Changed:
    return Changed(engine.own, TPCH.tables(engine.own), Random(5))


@pytest.fixture(scope="module")
def counted() -> dict[str, int]:
    """How many rows each query changed by."""
    return {}


@pytest.mark.corpus
@pytest.mark.parametrize("id_", TPCH.queries())
def test_the_changes_are_new_minus_old(
    id_: str, engine: Engine, state: Changed, counted: dict[str, int]
) -> None:
    text = TPCH.queries()[id_]
    names = sorted({t.name.lower() for t in table_references(parse_query(text))})
    changed = frozenset(Random(id_).sample(names, (len(names) + 1) // 2))
    with engine.settings(QUICK):
        found = law(engine, text, state.only(names), changed)
    assert found.status == "lowered", f"{found.status}: {found.reason}"
    counted[id_] = found.rows


def test_most_queries_changed(counted: dict[str, int]) -> None:
    """Of those that this run has looked at: a law over no changes says nothing."""
    still = [id_ for id_, rows in counted.items() if not rows]
    assert 2 * len(still) <= len(counted), still
