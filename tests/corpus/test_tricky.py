"""Every tricky query is lowered and keeps its meaning, or is refused for a listed reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from everview.spark.engine import Engine
from tests.corpus.tricky import CASES, Case, outcome
from tests.corpus.tricky_tables import tables

_FEWEST = 200
_WITH_ROWS = 0.9


def _refused() -> dict[str, str]:
    """The reasons of `refused.txt` by title, in the format of the other pairs."""
    found = {}
    file = Path(__file__).parent / "refused.txt"
    for block in file.read_text().split("\n# ")[1:]:
        title, arrow, reason = block.partition("\n=>\n")
        assert arrow, f"{file.name}: {title}: no line =>"
        found[title.strip()] = reason.strip()
    return found


REFUSED = _refused()


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> Engine:
    return Engine(spark)


@pytest.fixture(scope="module")
def frames(engine: Engine) -> dict[str, DataFrame]:
    return tables(engine.own)


@pytest.fixture(scope="module")
def counted() -> dict[str, int]:
    """How many rows a case returned, by title, of those that were compared."""
    return {}


def test_there_are_enough_and_each_has_a_title_of_its_own() -> None:
    assert len(CASES) >= _FEWEST
    assert [t for t, n in Counter(case.title for case in CASES).items() if n > 1] == []


def test_the_refused_are_cases_with_a_reason() -> None:
    assert set(REFUSED) <= {case.title for case in CASES}
    assert [title for title, reason in REFUSED.items() if not reason] == []


@pytest.mark.corpus
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_the_meaning_is_kept(
    case: Case, engine: Engine, frames: dict[str, DataFrame], counted: dict[str, int]
) -> None:
    found = outcome(engine, case, frames)
    if case.title in REFUSED:
        assert found.status == "refused", f"listed as refused but {found.status}: {found.reason}"
        return
    assert found.status == "lowered", f"{found.status}: {found.reason}"
    counted[case.title] = found.rows


def test_most_return_rows(counted: dict[str, int]) -> None:
    """Of those that this run has compared."""
    empty = [title for title, rows in counted.items() if not rows]
    assert len(empty) <= (1 - _WITH_ROWS) * len(counted), empty
