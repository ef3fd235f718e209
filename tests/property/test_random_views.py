"""Random tables, views and batches: after each refresh a view is Spark's answer to its text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.property.play import Seen, play

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The script of seed 4 never changes its view, which proves nothing; 35 and 105 bring count(*) and
# an aggregate without GROUP BY.
SEEDS = (0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 35, 105)
# A script on Spark costs what a hundred cases of the laws do.
FUZZ_CASES = int(os.environ.get("EVERVIEW_FUZZ_CASES", "0")) // 100
FUZZ_START = int(os.environ.get("EVERVIEW_FUZZ_START", "1000"))

NEEDED = (
    "incremental: groups", "incremental: rows", "incremental: append", "group born", "group died",
    "extreme lost", "several tables changed", "append", "delete", "update", "merge", "overwrite",
    "compact", "join", "union all", "group by", "filter", "subquery", "cte", "global", "count(*)",
    "count", "sum", "avg", "min", "max",
)  # fmt: skip


@pytest.mark.slow
def test_a_view_is_its_definition_after_every_refresh(spark: SparkSession, tmp_path: Path) -> None:
    seen = Seen()
    for seed in SEEDS:
        (tmp_path / str(seed)).mkdir()
        play(seed, spark, tmp_path / str(seed), seen)
    seen.require(*NEEDED)


@pytest.mark.fuzz
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FUZZ_START, FUZZ_START + FUZZ_CASES))
def test_many_more_views(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    play(seed, spark, tmp_path, Seen())
