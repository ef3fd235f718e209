"""The version where a view is exact is gone, the changes since are not: they tell its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable

from tests.attach.followed import Followed, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Each reads the rows before the changes: of a table twice, of touched groups, of a tested side.
SIZES = "SELECT s, count(*) AS n FROM t GROUP BY s"
READS_OLD = {
    "self join": "SELECT x.k, y.v FROM t AS x JOIN t AS y ON x.s <=> y.s",
    "groups of groups": f"SELECT n, count(*) AS g FROM ({SIZES}) GROUP BY n",
    "not exists": "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS y WHERE y.k = t.k + 1)",
}


def _clean_log(path: Path) -> None:
    """A checkpoint, and the log before it gone: the version just below it cannot be read."""
    upto = DeltaTable(path).version()
    DeltaTable(path).create_checkpoint()
    for version in range(upto):
        (path / f"_delta_log/{version:020d}.json").unlink()


def _lose_the_log(followed: Followed) -> None:
    followed.delta.delete("k = 3")
    _clean_log(followed.path)
    followed.write(rows((7, "a", 70), (8, None, 80)))


def _lose_the_files(followed: Followed) -> None:
    followed.delta.optimize.compact()
    followed.delta.vacuum(0, dry_run=False, enforce_retention_duration=False, full=True)
    followed.write(rows((7, "a", 70), (8, None, 80)))


LOSSES: dict[str, Callable[[Followed], None]] = {
    "log": _lose_the_log,
    "files": _lose_the_files,
}


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_before_the_changes_are_those_after_without_them(
    spark: SparkSession, tmp_path: Path, loss: str
) -> None:
    followed = Followed(spark, tmp_path)
    followed.write(rows((5, "", 6), (6, "c", 60)))
    for i, sql in enumerate(READS_OLD.values()):
        followed.view(sql, name=f"v{i}")
    LOSSES[loss](followed)
    for i, _ in enumerate(READS_OLD):
        explained = str(followed.wh.view(f"v{i}").explain())
        assert "at v1" not in explained
        followed.refresh(name=f"v{i}")
