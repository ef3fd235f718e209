"""A share of the queries of TPC-H and TPC-DS as views, through rounds of changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.corpus.benchmark_changes import ROUNDS
from tests.corpus.benchmarks import TPCDS, TPCH, Benchmark
from tests.corpus.view_rounds import Kept, Played, of_share

SHARE = int(os.environ.get("EVERVIEW_VIEWS_SHARE", "24"))
IDS = {id_: b for b in (TPCH, TPCDS) for id_ in of_share(b.queries(), SHARE)}


@pytest.fixture(scope="module")
def kept(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kept]:
    """The views of this run, played together: a change serves them all."""
    return dict(_played(spark, tmp_path_factory.mktemp("views")))


def _played(spark: SparkSession, folder: Path) -> Iterator[tuple[str, Kept]]:
    for benchmark in dict.fromkeys(IDS.values()):
        with Played(spark, str(folder), benchmark, jobs=1) as played:
            yield from ((k.id, k) for k in played.play(_ids(benchmark)))


def _ids(benchmark: Benchmark) -> list[str]:
    return [id_ for id_, its in IDS.items() if its is benchmark]


@pytest.mark.slow
@pytest.mark.parametrize("id_", IDS)
def test_a_view_is_kept_as_it_was_promised(id_: str, kept: dict[str, Kept]) -> None:
    found = kept[id_]
    assert found.status in ("incremental", "full"), f"{found.status}: {found.reason}"
    if found.status == "incremental":
        assert len(found.refreshes) == ROUNDS
    else:
        assert found.reason


@pytest.mark.slow
def test_most_views_changed(kept: dict[str, Kept]) -> None:
    """A refresh that changes nothing proves little."""
    still = [id_ for id_, found in kept.items() if not found.changed]
    assert 3 * len(still) <= len(kept), still


@pytest.mark.slow
def test_some_are_incremental(kept: dict[str, Kept]) -> None:
    assert any(found.status == "incremental" for found in kept.values())
