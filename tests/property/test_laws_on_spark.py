"""Laws that need no oracle: refreshing in two steps or one, and changes undone by their reverse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.property.play import Play, unlike

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101, 102, 105])
def test_two_refreshes_are_one(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    """refresh(A) then refresh(B) stores what refresh(A + B) stores, hidden values included."""
    script = Play(seed, spark, tmp_path)
    script.wh.create_materialized_view("late", script.spec.sql, policy="INCREMENTAL STRICT")
    for _ in range(2):
        with script.telling():
            script.change_view()
        assert script.refresh().changed
    script.refresh("late")
    with script.telling():
        wrong = unlike(script.stored("late"), script.stored())
        assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [201, 203, 204])
def test_the_reverse_restores(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    """Changes followed by their reverse restore the rows stored and what is hidden with them."""
    script = Play(seed, spark, tmp_path)
    before, first = script.stored(), {t: script.read(t) for t in script.tables}
    with script.telling():
        script.change_view()
    assert script.refresh().changed
    for table, rows in first.items():
        handle = script.wh.table(table.name)
        handle.overwrite(script.wh.spark.createDataFrame(rows, table.ddl))
        script.oracle.table(table.name, handle.to_df())
    script.refresh()
    with script.telling():
        wrong = unlike(script.stored(), before)
        assert not wrong, "\n".join(wrong)
