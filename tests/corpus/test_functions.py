"""Every documentation example of Spark's functions keeps its meaning, or is refused as listed."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import SparkSession

from everview.spark.engine import Engine
from tests.corpus.functions import SCHEMA_ONLY, all_examples, refused, run, schema_only
from tests.corpus.round_trip import Outcome

WRITTEN_FOR = "4.1."
_FEWEST = 1000
_MOST_LEFT_OUT = 0.05


@pytest.fixture(scope="module")
def outcomes(spark: SparkSession) -> dict[str, Outcome]:
    return dict(run(Engine(spark)))


@pytest.mark.slow
def test_no_example_changes_its_meaning(outcomes: dict[str, Outcome]) -> None:
    assert {name: o.reason for name, o in outcomes.items() if o.status == "wrong"} == {}


@pytest.mark.slow
def test_the_refused_are_those_listed(spark: SparkSession, outcomes: dict[str, Outcome]) -> None:
    found = {name: o.reason for name, o in outcomes.items() if o.status == "refused"}
    listed = {name: reason for name, reason in refused().items() if name in outcomes}
    if spark.version.startswith(WRITTEN_FOR):
        assert found == listed
    else:  # other examples stand under the same names
        assert set(found.values()) <= set(refused().values())


@pytest.mark.slow
def test_there_are_many_and_few_are_left_out(
    spark: SparkSession, outcomes: dict[str, Outcome]
) -> None:
    assert len(all_examples(spark)) >= _FEWEST
    counts = Counter(outcome.status for outcome in outcomes.values())
    assert counts["left out"] <= _MOST_LEFT_OUT * len(outcomes), counts


@pytest.mark.slow
def test_what_is_not_compared_is_in_an_example(spark: SparkSession) -> None:
    texts = all_examples(spark)
    assert [f for f in SCHEMA_ONLY if not any(n.startswith(f"{f}/") for n in texts)] == []


def test_the_name_of_such_a_function_in_a_string_is_no_call() -> None:
    assert schema_only("SELECT f(RAND())") == "random"
    assert schema_only("SELECT f('rand', 1)") == ""
