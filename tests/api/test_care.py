"""Files: OPTIMIZE, VACUUM and its guard, what failed statements leave, and DROP ... CASCADE."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable

import everview as ev
from everview.errors import ConstraintViolated, EverviewError, InvalidArgument, StillUsed
from tests.api.bags import bag, frame, refused
from tests.api.shop import BY_CITY, SALES, add_sales


def test_a_short_retention_must_be_forced(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("by_city", BY_CITY)
    sales.delete("id = 1")
    for vacuum in (
        lambda: sales.vacuum(0),
        lambda: sales.vacuum(167.5),
        lambda: wh.sql("VACUUM sales RETAIN 0 HOURS"),
    ):
        with refused(InvalidArgument, "168 of the setting retention_hours", "by_city", "FORCE"):
            vacuum()
    with refused(InvalidArgument, "FORCE"):
        wh.view("by_city").vacuum(1)
    doomed = sales.vacuum(0, dry_run=True)
    assert [r.path for r in wh.sql("VACUUM TABLE sales DRY RUN RETAIN 0 HOURS").collect()] == [
        *doomed
    ]
    assert wh.sql("VACUUM sales").count() == 0
    gone = wh.sql("VACUUM sales RETAIN 0 HOURS FORCE")
    assert tuple(r.path for r in gone.collect()) == doomed != ()
    assert wh.sql("VACUUM MATERIALIZED VIEW by_city RETAIN 0 HOURS FORCE").columns == ["path"]


def test_a_setting_says_what_is_short(wh: ev.Warehouse, sales: ev.Table) -> None:
    with ev.open(wh.path, spark=wh.spark, settings=ev.Settings(retention_hours=0)) as other:
        sales.delete("id = 1")
        assert other.table("sales").vacuum(0)


def test_optimize(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("by_city", BY_CITY)
    before, files = bag(sales.to_df()), len(DeltaTable(sales.path).file_uris())
    found = wh.sql("OPTIMIZE sales").collect()
    assert [tuple(r) for r in found] == [("sales", 3, files, 1)]
    assert len(DeltaTable(sales.path).file_uris()) == 1 < files
    assert bag(sales.to_df()) == before
    row = wh.sql("OPTIMIZE MATERIALIZED VIEW by_city").collect()[0]
    assert row.name == "by_city"
    for text in ("OPTIMIZE TABLE by_city", "OPTIMIZE MATERIALIZED VIEW sales", "OPTIMIZE nobody"):
        with refused(EverviewError):
            wh.sql(text)


def folders(wh: ev.Warehouse) -> set[str]:
    root = Path(wh.path)
    found = [*root.glob("tables/*"), *root.glob("views/*"), *root.glob("_everview/staging/*")]
    return {str(p.relative_to(root)) for p in found}


def test_what_fails_leaves_no_folders(wh: ev.Warehouse, sales: ev.Table) -> None:
    before = folders(wh)
    data = set(Path(sales.path).rglob("*.parquet"))
    sales.merge(frame(wh.spark, SALES, (1, "Bern", 11)), on="id")
    written = set(Path(sales.path).rglob("*.parquet"))
    assert written > data
    assert folders(wh) == before, "a merge stages its rows, and cleans up"
    twice = frame(wh.spark, SALES, (1, "a", 1), (1, "b", 2))
    with pytest.raises(ConstraintViolated):
        wh.create_table("t", twice, primary_key="id")
    for text in (
        "CREATE TABLE t AS SELECT raise_error('no') AS x",
        "CREATE MATERIALIZED VIEW v AS SELECT id, raise_error(city) AS x FROM sales",
        "UPDATE sales SET amount = raise_error('no')",
    ):
        with pytest.raises(Exception, match=r"."):
            wh.sql(text)
    assert folders(wh) == before
    assert set(Path(sales.path).rglob("*.parquet")) == written
    wh.create_materialized_view("by_city", BY_CITY).drop()
    assert folders(wh) == before, "a view that is dropped leaves no folder"


def test_what_died_is_vacuumed_with_the_warehouse(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("by_city", BY_CITY)
    sales.delete("id = 1")
    wanted = folders(wh)
    for place in ("tables/a", "views/b/_delta_log", "_everview/staging/c/rows"):
        folder = Path(wh.path, place)
        folder.mkdir(parents=True)
        (folder / "x.parquet").write_text("left behind")
    assert wh.vacuum() == ()
    assert wh.sql("VACUUM").count() == 0, "all of it may be in the making"
    with refused(InvalidArgument, "by_city", "force=True"):
        wh.vacuum(0)
    shown = wh.vacuum(0, dry_run=True)
    assert {"tables/a", "views/b", "_everview/staging/c"} < set(shown)
    assert wh.vacuum(0, force=True) == shown
    assert folders(wh) == wanted
    assert bag(sales.to_df()).total() == 4
    assert wh.view("by_city").refresh().strategy.startswith("full")


def test_drop_cascade_lists_what_goes(wh: ev.Warehouse, sales: ev.Table) -> None:
    before = folders(wh)
    other = wh.create_table("other", SALES)
    wh.create_materialized_view("by_city", BY_CITY)
    wh.create_view("shown", "SELECT * FROM by_city")
    wh.create_materialized_view("totals", "SELECT sum(total) AS total FROM shown")
    wh.create_materialized_view("apart", "SELECT count(*) AS n FROM other")
    for text in ("DROP TABLE sales", "DROP MATERIALIZED VIEW by_city", "DROP VIEW shown"):
        with refused(StillUsed, "CASCADE"):
            wh.sql(text)
    gone = wh.sql("DROP TABLE sales CASCADE")
    assert [tuple(r) for r in gone.collect()] == [
        ("totals", "materialized view"),
        ("shown", "view"),
        ("by_city", "materialized view"),
        ("sales", "table"),
    ]
    assert (wh.tables(), wh.views()) == (["other"], ["apart"])
    assert wh.sql("DROP TABLE IF EXISTS sales CASCADE").count() == 0
    assert other.drop(cascade=True) == ("apart", "other")
    assert not folders(wh) & before


def test_insert_by_name(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.sql("INSERT INTO sales BY NAME SELECT '60' AS amount, 6 AS ID")
    assert bag(sales.to_df().where("id = 6")) == bag([(6, None, 60)])
    with refused(EverviewError, "no column nope"):
        wh.sql("INSERT INTO sales BY NAME SELECT 1 AS nope")
    with refused(EverviewError, "named twice"):
        wh.sql("INSERT INTO sales BY NAME SELECT 1 AS id, 2 AS Id")
    wh.sql("INSERT OVERWRITE sales BY NAME SELECT 'Oslo' AS city, 1 AS id")
    assert bag(sales.to_df()) == bag([(1, "Oslo", None)])
    add_sales(sales, (2, "Bern", 1))
