"""Tables whose files have deletion vectors: read, written, rewritten, and followed by views."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from pyspark.sql import DataFrame, SparkSession

import everview as ev
from everview.facts.checks import FILE_UNKNOWN
from everview.facts.files import DataFile, Positions, RowSelection
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit, Lost, Mark, Snapshot
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from everview.run.rows.read import changes_frame, placed_frame, snapshot_frame
from everview.spark.errors import said_by_spark
from tests.api.bags import assert_exact
from tests.api.shop import BY_CITY, LARGE
from tests.lake.reading import bag_of, signed_bag


def marked_table(path: Path, partition_by: list[str] | None) -> EmbeddedTable:
    """Files of one size and of several, with vectors that end early, late and in between."""
    for size in (200, 130, 130, 64):
        data = {"k": range(size), "p": ["a b/é" if i % 2 else None for i in range(size)]}
        table = pa.table(data, pa.schema([("k", pa.int64()), ("p", pa.string())]))
        write_deltalake(path, table, mode="append", partition_by=partition_by)
    table = EmbeddedDelta().open(str(path))
    files = [f for f in table.snapshot(3).files if isinstance(f, DataFile)]
    smallest = min(f.rows or 0 for f in files)
    marks = []
    for i, file in enumerate(f for f in files if f.rows != smallest):
        last = (file.rows or 0) - 1
        marks.append(Mark(file, Positions([{0}, {last}, {1, 5, last}][i % 3])))
    table.commit(Commit(3, "DELETE", "d", marks=tuple(marks)))
    return table


def bag(frame: DataFrame, *columns: str) -> Counter[tuple[str, ...]]:
    return Counter(tuple(map(repr, row)) for row in frame.select(*columns).collect())


@pytest.mark.parametrize("partition_by", [None, ["p"]])
def test_rows_are_read_without_those_deleted(
    spark_or_connect: SparkSession, tmp_path: Path, partition_by: list[str] | None
) -> None:
    table = marked_table(tmp_path / "t", partition_by)
    snapshot = table.snapshot(4)
    sizes = Counter(f.size for f in snapshot.files if isinstance(f, DataFile) and f.selection)
    assert max(sizes.values()) > 1, "files of one size are told apart"
    expected = bag_of(snapshot)
    assert bag(snapshot_frame(spark_or_connect, snapshot), "k", "p") == expected
    placed = placed_frame(spark_or_connect, snapshot)
    assert bag(placed, "k", "p") == expected
    assert placed.select("__ev_path").distinct().count() == len(snapshot.files)
    changes = table.changes(3, 4)
    weighed: Counter[tuple[str, ...]] = Counter()
    assert not isinstance(changes, Lost)
    frame = changes_frame(spark_or_connect, changes, snapshot.partition_by)
    for k, p, weight in frame.select("k", "p", frame.columns[-1]).collect():
        weighed[repr(k), repr(p)] += weight
    assert weighed == signed_bag(changes)


def test_a_file_of_another_size_is_not_taken_for_a_whole_one(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"k": [1, 2]}), tmp_path / "f.parquet")
    selection = RowSelection(Positions([0]), "without")
    file = DataFile("f.parquet", 1, 1, selection=selection)
    wrong = Snapshot("t", str(tmp_path), 1, Schema((Field("k", "long"),)), (), (file,))
    with pytest.raises(Exception, match="USER_RAISED") as caught:
        snapshot_frame(spark_or_connect, wrong).collect()
    assert said_by_spark(caught.value).check is FILE_UNKNOWN


def mark_first_rows(table: Any) -> int:
    """Delete the first row of every file of a table, as another writer does."""
    delta = EmbeddedDelta().open(table.path)
    head = delta.head().version
    marks = tuple(Mark(f, Positions([0])) for f in delta.snapshot(head).files)
    delta.commit(Commit(head, "DELETE", "by another writer", marks=marks))
    return len(marks)


def test_views_follow_deletes_by_vectors(wh: ev.Warehouse, sales: ev.Table) -> None:
    for name, sql in (("groups", BY_CITY), ("rows", LARGE)):
        wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
    before = sales.to_df().count()
    gone = mark_first_rows(sales)
    assert sales.to_df().count() == before - gone
    for name, sql in (("groups", BY_CITY), ("rows", LARGE)):
        assert wh.view(name).refresh().strategy.startswith("incremental")
        assert_exact(wh, name, sql)


def test_files_with_vectors_are_updated_deleted_from_and_compacted(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    wh.create_materialized_view("groups", BY_CITY, policy="INCREMENTAL STRICT")
    mark_first_rows(sales)
    left = sales.to_df().count()
    sales.update({"amount": "amount + 1"}, "id > 0")
    assert sales.to_df().count() == left
    wh.view("groups").refresh()
    assert_exact(wh, "groups", BY_CITY)
    mark_first_rows(sales)
    wh.sql("OPTIMIZE sales")
    assert wh.view("groups").refresh().strategy.startswith("incremental")
    assert_exact(wh, "groups", BY_CITY)
    mark_first_rows(sales)
    sales.delete("amount >= 0")
    assert sales.to_df().count() == 0
    wh.view("groups").refresh()
    assert_exact(wh, "groups", BY_CITY)
