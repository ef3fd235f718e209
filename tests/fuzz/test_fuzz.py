"""A few random views with all oracles; `make fuzz-spark` plays many."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.counts import Counts
from tests.fuzz.queries import SeededQueries
from tests.fuzz.run import play
from tests.fuzz.story import shown
from tests.fuzz.tables import fuzz_tables, visible

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEEDS = (2, 5)


@pytest.mark.slow
def test_random_views_hold(spark: SparkSession) -> None:
    counts = Counts()
    for seed in SEEDS:
        play(seed, spark, counts)
    assert counts.of["cases"] == len(SEEDS)
    assert counts.of["views played"] > len(SEEDS) / 2
    assert counts.share("refreshes that changed the view", "refreshes") >= 0.5, counts.of
    assert counts.of["refreshes of two or more changed tables"], counts.of


def test_a_number_says_everything() -> None:
    drawn = []
    for _ in range(2):
        rng = Random(5)
        tables = fuzz_tables(rng)
        rows = [shown(row) for some in tables.values() for row in some]
        drawn.append((list(tables), rows, SeededQueries(rng, visible(tables)).view()))
    assert drawn[0] == drawn[1]


def test_what_there_is_too_little_of_is_told() -> None:
    counts = Counts()
    counts.of.update({"refreshes": 10, "refreshes of two or more changed tables": 1})
    assert any("two or more changed tables: 10% of refreshes" in m for m in counts.missed())


def test_a_row_is_written_as_a_script_reads_it() -> None:
    assert shown((1, None, "it's", True)) == r"(1, NULL, 'it\'s', True)"
