"""The delta of every TPC-H query gives, on Spark, what the query's rows changed by."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession

from everview.run.engine import Engine
from everview.sql.parse import parse_query, table_references
from tests.corpus.benchmarks import QUICK, TPCH
from tests.corpus.law_on_spark import Changed, law

# What is recomputed in full today, and the word of its reason.
REFUSED: dict[str, str] = {}


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> Engine:
    return Engine(spark)


@pytest.fixture(scope="module")
def state(engine: Engine) -> Changed:
    return Changed(engine.own, TPCH.tables(engine.own), Random(5))


@pytest.mark.corpus
@pytest.mark.parametrize("id_", TPCH.queries())
def test_the_changes_are_new_minus_old(id_: str, engine: Engine, state: Changed) -> None:
    text = TPCH.queries()[id_]
    names = sorted({t.name.lower() for t in table_references(parse_query(text))})
    changed = frozenset(Random(id_).sample(names, (len(names) + 1) // 2))
    with engine.settings(QUICK):
        found = law(engine, text, state.only(names), changed)
    if id_ in REFUSED:
        assert found.status == "refused"
        assert REFUSED[id_] in found.reason
        return
    assert found.status == "lowered", f"{found.status}: {found.reason}"
