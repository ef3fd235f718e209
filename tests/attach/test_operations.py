"""A table of somebody else is followed through everything its writer does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from everview.errors import RefreshRefused
from tests.attach.followed import GROUPS, ROWS, SHAPES, Followed, rows
from tests.lake.vectors import VectorTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("shape", SHAPES)
def test_a_life(shape: str, spark: SparkSession, tmp_path: Path) -> None:
    """Append, update, delete, merge, compaction, restore, overwrites; each refresh incremental."""
    foreign = Followed(spark, tmp_path)
    foreign.view(SHAPES[shape])
    foreign.write(rows((6, "c", 60), (7, "a", None)))
    assert foreign.refresh().changed
    foreign.delta.update(updates={"v": "v + 1"}, predicate="k = 3 OR s = 'c'")
    assert foreign.refresh().changed
    foreign.delta.delete("k = 1 OR k IS NULL")
    assert foreign.refresh().changed
    merge = foreign.delta.merge(
        rows((2, "z", 0), (9, "i", 9)), "t.k = u.k", source_alias="u", target_alias="t"
    )
    merge.when_matched_update_all().when_not_matched_insert_all().execute()
    assert foreign.refresh().changed
    foreign.write(rows((20, "j", 1)))
    assert foreign.refresh().changed
    assert foreign.delta.optimize.compact()["numFilesAdded"] > 0
    assert foreign.refresh("skipped").rows_inserted == 0
    foreign.delta.restore(1)
    assert foreign.refresh().changed
    foreign.write(rows((3, "a", 30), (8, None, 1)), mode="overwrite")
    assert foreign.refresh().changed


def test_several_commits_at_once(spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(GROUPS)
    foreign.view(ROWS, name="rows")
    foreign.write(rows((6, "new", 60)))
    foreign.delta.delete("s = 'new' OR s = 'b'")
    foreign.delta.optimize.compact()
    foreign.delta.update(updates={"s": "'b'"}, predicate="k = 1")
    foreign.write(rows((5, "q", 13)), mode="overwrite", predicate="k = 5")
    assert foreign.refresh().changed
    assert foreign.refresh(name="rows").changed
    foreign.delta.delete()
    assert foreign.refresh().rows_deleted
    assert foreign.refresh(name="rows").rows_deleted


def test_a_restore_of_what_was_seen_is_no_change(spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(ROWS)
    foreign.delta.delete("k = 3")
    foreign.delta.restore(0)
    assert not foreign.refresh("").changed
    foreign.delta.delete("k = 3")
    assert foreign.refresh().rows_deleted == 2


def test_lost_history_is_full_with_the_reason(spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(GROUPS, policy="INCREMENTAL")
    foreign.view(ROWS, name="strict")
    foreign.delta.update(updates={"v": "v + 1"}, predicate="k = 3")
    foreign.delta.optimize.compact()
    foreign.delta.vacuum(0, dry_run=False, enforce_retention_duration=False, full=True)
    receipt = foreign.refresh("full")
    assert receipt.reason.startswith("t: ")
    assert "vacuum" in receipt.reason.lower() or "delta." in receipt.reason
    with pytest.raises(RefreshRefused, match="cannot be refreshed incrementally: t: "):
        foreign.wh.view("strict").refresh()
    assert foreign.wh.view("strict").refresh(full=True).strategy == "full"
    foreign.check("strict")
    foreign.write(rows((70, "a", 7)))
    foreign.refresh("incremental: groups")
    foreign.refresh("incremental: append", "strict")


def test_vacuum_of_what_is_not_needed_does_not_matter(spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(ROWS)
    foreign.delta.delete("k = 3")
    foreign.refresh()
    foreign.delta.vacuum(0, dry_run=False, enforce_retention_duration=False, full=True)
    foreign.write(rows((8, "x", 1)))
    foreign.refresh("incremental: append")


def test_a_new_column(spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view("SELECT * FROM t")
    foreign.view(GROUPS, name="groups")
    wider = rows((6, "w", 6)).append_column("extra", pa.array([1.5]))
    foreign.write(wider, schema_mode="merge")
    foreign.views["v"] = "SELECT k, s, v FROM t"  # a star stands for the columns at creation
    foreign.refresh("incremental: append")
    foreign.refresh("incremental: groups", "groups")
    foreign.view("SELECT s, sum(extra) AS e, count(*) AS n FROM t GROUP BY s", name="newer")
    foreign.delta.delete("k = 6 OR k = 1")
    foreign.refresh("incremental: rows")
    foreign.refresh("incremental: groups", "newer")


@pytest.mark.parametrize("shape", SHAPES)
def test_change_data_feed(shape: str, spark: SparkSession, tmp_path: Path) -> None:
    feed = {"delta.enableChangeDataFeed": "true"}
    foreign = Followed(spark, tmp_path, configuration=feed)
    foreign.view(SHAPES[shape])
    foreign.delta.update(updates={"s": "'z'"}, predicate="k = 3 OR k = 1")
    assert foreign.refresh().changed
    foreign.write(rows((6, "z", 6)))
    foreign.delta.delete("k = 2")
    assert foreign.refresh().changed


ODD = ("a/b é%", "x=y z", None, "it's", "#?&", "..")


@pytest.mark.parametrize("shape", SHAPES)
def test_partitions_with_odd_values(shape: str, spark: SparkSession, tmp_path: Path) -> None:
    data = rows(*((i, s, i) for i, s in enumerate(ODD)), *((i, s, 50) for i, s in enumerate(ODD)))
    foreign = Followed(spark, tmp_path, data=data, partition_by=["s"])
    foreign.view(SHAPES[shape])
    foreign.delta.delete("k = 0 OR s IS NULL AND v = 50")
    assert foreign.refresh().changed
    foreign.delta.update(updates={"v": "v + 1"}, predicate="s = 'x=y z'")
    foreign.write(rows((9, None, 1), (9, "neu ü", 1)))
    assert foreign.refresh().changed
    foreign.write(rows((10, "#?&", 2)), mode="overwrite", predicate="s = '#?&'")
    assert foreign.refresh().changed


def test_partitions_of_other_types(spark: SparkSession, tmp_path: Path) -> None:
    days = pa.array([19000, 19001, None], pa.int32()).cast(pa.date32())
    data = pa.table({"k": pa.array([1, 2, 3]), "day": days, "b": pa.array([True, None, False])})
    foreign = Followed(spark, tmp_path, data=data, partition_by=["day", "b"])
    foreign.view("SELECT day, b, count(*) AS n, max(k) AS high FROM t GROUP BY day, b")
    foreign.write(data)
    foreign.delta.delete("k = 2 OR day IS NULL")
    assert foreign.refresh().changed


@pytest.mark.parametrize("shape", SHAPES)
def test_deletion_vectors(shape: str, spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(SHAPES[shape])
    vectors = VectorTable(foreign.path)
    (file,) = vectors.files()
    for gone in ({0, 2}, {0, 2, 5}, {2, 5}):
        vectors.delete(file, gone)
        assert foreign.refresh().changed
    foreign.write(rows((8, "a", 8)))
    vectors.delete(file, {0, 1, 2, 3, 4, 5})
    assert foreign.refresh().changed


def test_many_partitions(spark: SparkSession, tmp_path: Path) -> None:
    """More partitions than are read one by one."""
    data = rows(*((i, f"p {i % 70}/ü", i) for i in range(140)), (200, None, 1))
    foreign = Followed(spark, tmp_path, data=data, partition_by=["s"])
    assert foreign.table.to_df().count() == 141
    foreign.view(GROUPS)
    foreign.view(ROWS, name="rows")
    foreign.delta.update(updates={"v": "v + 1"}, predicate="k < 70")
    assert foreign.refresh().changed
    foreign.delta.delete("k >= 70")
    assert foreign.refresh(name="rows").changed
    assert foreign.refresh().changed
