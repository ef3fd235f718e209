"""The change data feed of a Delta table: read where it tells the truth."""

from __future__ import annotations

from pathlib import Path

from deltalake import DeltaTable, write_deltalake

from everview.facts.files import Sign
from everview.lake.delta.table import EmbeddedDelta
from tests.lake.foreign.log import edit, rows, ways
from tests.lake.reading import check_changes

SPARK = {"engineInfo": "Apache-Spark/4.1.0 Delta-Lake/4.0.0", "clientVersion": None}


def test_a_feed_is_read_where_the_table_has_one(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    write_deltalake(path, rows((1, "a"), (2, "b")), configuration=feed)
    DeltaTable(path).update(updates={"s": "'z'"}, predicate="k = 1")
    edit(path, 1, "commitInfo", **SPARK)
    changes = check_changes(EmbeddedDelta().open(str(path)), 0, 1)
    assert changes.ways == (("change data feed", 1),)
    assert {change.sign for change in changes.files} == {Sign.FEED}
    assert all("_change_data" in change.file.path for change in changes.files)


def test_a_feed_of_a_partitioned_table(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    data = rows((1, "a/b é"), (2, None), (3, "a/b é"))
    write_deltalake(path, data, configuration=feed, partition_by=["s"])
    DeltaTable(path).update(updates={"k": "k * 2"}, predicate="k < 3")
    edit(path, 1, "commitInfo", **SPARK)
    changes = check_changes(EmbeddedDelta().open(str(path)), 0, 1)
    assert changes.ways == (("change data feed", 1),)
    assert {c.file.partition for c in changes.files} == {(("s", "a/b é"),), (("s", None),)}


def test_a_feed_that_adds_up_with_other_ways(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    write_deltalake(path, rows((1, "a"), (2, "b")), configuration=feed)
    write_deltalake(path, rows((3, "c")), mode="append")
    DeltaTable(path).delete("k = 3 or k = 1")
    edit(path, 2, "commitInfo", **SPARK)
    write_deltalake(path, rows((9, "z")), mode="overwrite")
    table = EmbeddedDelta().open(str(path))
    assert ways(table, 0, 3) == {"appended files", "change data feed", "file difference"}
    check_changes(table, 1, 3)


def test_a_feed_known_to_lose_rows_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"}
    write_deltalake(path, rows((2, "a"), (3, "a")), configuration=feed)
    DeltaTable(path).update(updates={"k": "k + 1"}, predicate="k = 2")
    assert ways(EmbeddedDelta().open(str(path)), 0, 1) == {"file difference"}
