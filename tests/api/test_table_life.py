"""Versions, history, compaction, vacuum, dropping, and what other readers see."""

from __future__ import annotations

from pathlib import Path

from deltalake import DeltaTable

import everview as ev
from everview.errors import LostHistory, StillUsed, UnknownName
from tests.api.bags import bag, frame, refused
from tests.api.shop import BY_CITY, LARGE, SALES, add_sales


def plain(path: str) -> list[dict[str, object]]:
    """The rows as the Delta library alone reads them."""
    rows: list[dict[str, object]] = DeltaTable(path).to_pyarrow_table().to_pylist()
    return rows


def test_older_versions_can_be_read(sales: ev.Table) -> None:
    sales.delete("city = 'Bern'")
    sales.update({"amount": "0"})
    totals = [sum(r.amount for r in sales.to_df(version=v).collect()) for v in range(5)]
    assert totals == [0, 90, 140, 110, 0]
    assert sales.version == 4
    assert "version 4" in repr(sales)


def test_history_tells_each_statement_newest_first(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    sales.delete("id = 1")
    sales.update({"amount": "amount + 1"}, "city = 'Rome'")
    sales.merge(frame(spark, SALES, (2, "Bern", 21), (6, "Oslo", 60)), on="id")
    sales.compact()
    sales.overwrite(frame(spark, SALES, (7, "Oslo", 70)))
    told = [(h["version"], h["operation"], h["rows"], h["data_change"]) for h in sales.history()]
    none = {"insert": 0, "update": 0, "delete": 0}
    assert told[:-1] == [
        (7, "OVERWRITE", {"insert": 1, "delete": 5}, True),
        (6, "COMPACT", {}, False),
        (5, "MERGE", {**none, "insert": 1, "update": 1}, True),
        (4, "UPDATE", {**none, "update": 2}, True),
        (3, "DELETE", {**none, "delete": 1}, True),
        (2, "INSERT", {"insert": 1}, True),
        (1, "INSERT", {"insert": 4}, True),
    ]
    assert told[-1][0] == 0
    times = [h["timestamp"] for h in sales.history()]
    assert times == sorted(times, reverse=True)


def test_compaction_is_not_a_change(wh: ev.Warehouse, sales: ev.Table) -> None:
    by_city = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL STRICT")
    large = wh.create_materialized_view("large", LARGE, policy="INCREMENTAL STRICT")
    before = bag(sales.to_df())
    assert sales.compact() == 3
    assert len(DeltaTable(sales.path).file_uris()) == 1
    assert bag(sales.to_df()) == before
    assert sales.compact() == 3, "one file is compact"
    for view in (by_city, large):
        receipt = view.refresh()
        assert receipt.strategy == "skipped: nothing changed"
        assert not receipt.changed
        assert receipt.actions == 0
        assert view.verify().ok
    add_sales(sales, (6, "Oslo", 60))
    assert [r.strategy for r in wh.refresh()] == ["incremental: groups", "incremental: append"]
    assert by_city.verify().ok
    assert large.verify().ok


def test_a_partitioned_table_is_compacted_too(wh: ev.Warehouse) -> None:
    table = wh.create_table("t", SALES, partition_by="city")
    for i in range(2):
        table.append(frame(wh.spark, SALES, (i, "Bern", i), (i, None, i)))
    before = bag(table.to_df())
    table.compact()
    assert bag(table.to_df()) == before
    assert len(DeltaTable(table.path).file_uris()) == 2


def test_vacuum_removes_what_no_version_needs(sales: ev.Table) -> None:
    sales.delete("id = 1")
    now = bag(sales.to_df())
    assert sales.vacuum() == (), "everything is young"
    doomed = sales.vacuum(0, dry_run=True)
    assert doomed
    assert bag(sales.to_df(version=2)).total() == 5, "a dry run removes nothing"
    assert sales.vacuum(0, force=True) == doomed
    assert bag(sales.to_df()) == now
    files = [p for p in Path(sales.path).rglob("*.parquet") if "_delta_log" not in p.parts]
    assert len(files) == len(DeltaTable(sales.path).file_uris())
    with refused(LostHistory, "version 2"):
        sales.to_df(version=2)
    assert sales.vacuum(0, force=True) == ()


def test_dropping_what_views_read_is_refused(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("by_city", BY_CITY)
    wh.create_materialized_view("totals", "SELECT sum(total) AS total FROM by_city")
    with refused(StillUsed, "sales", "by_city"):
        sales.drop()
    with refused(StillUsed, "by_city", "totals"):
        wh.view("by_city").drop()
    paths = [Path(wh.view("totals").path), Path(wh.view("by_city").path), Path(sales.path)]
    wh.view("totals").drop()
    wh.view("by_city").drop()
    sales.drop()
    assert (wh.tables(), wh.views()) == ([], [])
    assert [p for path in paths for p in path.rglob("*") if p.is_file()] == []
    with refused(UnknownName, "sales"):
        sales.to_df()
    assert wh.create_table("sales", SALES).version == 0


def test_any_delta_reader_opens_the_folders(wh: ev.Warehouse, sales: ev.Table) -> None:
    by_city = wh.create_materialized_view("by_city", BY_CITY)
    large = wh.create_materialized_view("large", LARGE, policy="INCREMENTAL")
    sales.delete("id = 4")
    wh.refresh()
    assert bag([tuple(r.values()) for r in plain(sales.path)]) == bag(sales.to_df())
    assert bag([tuple(r.values()) for r in plain(large.path)]) == bag(large.to_df())
    rows = [(r["city"], r["n"], r["total"]) for r in plain(by_city.path)]
    assert bag(rows) == bag(by_city.to_df())
    extra = set(plain(by_city.path)[0]) - set(by_city.to_df().columns)
    assert extra == {"__ev"}
    spark_rows = wh.spark.read.parquet(*DeltaTable(large.path).file_uris())
    assert bag(spark_rows) == bag(large.to_df())
