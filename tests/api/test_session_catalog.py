"""Names of the Spark session's own catalog, and the warehouse's views as names there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake
from pyspark.sql import SparkSession

import everview as ev
from everview.errors import (
    ColumnGone,
    CopiedTable,
    NotATable,
    NotIncremental,
    SqlNotAllowed,
    UnknownName,
)
from everview.run.rows import session_tables
from tests.api.bags import bag, refused


@pytest.fixture
def db(wh: ev.Warehouse) -> Iterator[str]:
    """A database of the session with the Parquet table `t`."""
    wh.spark.sql("CREATE DATABASE everview_db")
    wh.spark.sql("CREATE TABLE everview_db.t (id BIGINT, x STRING) USING parquet")
    wh.spark.sql("INSERT INTO everview_db.t VALUES (1, 'a'), (2, 'b')")
    yield "everview_db"
    wh.spark.sql("DROP DATABASE everview_db CASCADE")


def test_a_table_without_versions_makes_the_view_full(wh: ev.Warehouse, db: str) -> None:
    view = wh.create_materialized_view("v", f"SELECT x, count(*) AS n FROM {db}.T GROUP BY x")
    assert bag(view.to_df()) == bag([("a", 1), ("b", 1)])
    assert wh.tables() == [], "a table without versions is not attached"
    wh.spark.sql(f"INSERT INTO {db}.t VALUES (3, 'a')")
    reason = f"`{db}.T` is a parquet table of the Spark session, without versions"
    assert (view.explain().strategy, view.explain().reason) == ("full", reason)
    receipt = view.refresh()
    assert (receipt.strategy, receipt.reason) == ("full", reason)
    assert bag(view.to_df()) == bag([("a", 2), ("b", 1)])
    wh.spark.sql(f"INSERT OVERWRITE {db}.t VALUES (9, 'z')")
    view.refresh()
    assert bag(view.to_df()) == bag([("z", 1)]), "the files that were there before are gone"
    assert view.verify().ok
    wh.spark.sql(f"ALTER TABLE {db}.t ADD COLUMNS (y INT)")
    wh.spark.sql(f"INSERT INTO {db}.t VALUES (10, 'z', 5)")
    view.refresh()
    assert bag(view.to_df()) == bag([("z", 2)])
    assert wh.sql(f"SELECT * FROM {db}.t").columns == ["id", "x", "y"]
    wh.sql(f"CREATE MATERIALIZED VIEW w AS SELECT max(y) AS y FROM {db}.t")
    assert bag(wh.sql("FROM w")) == bag([(5,)])


def test_columns_of_a_table_without_versions_keep_the_same_rule(wh: ev.Warehouse, db: str) -> None:
    star = wh.create_materialized_view("star", f"SELECT * FROM {db}.t")
    named = wh.create_materialized_view("named", f"SELECT id FROM {db}.t")
    wh.spark.sql(f"DROP TABLE {db}.t")
    for view in (star, named):
        with refused(UnknownName, f"`{view.name}`", f"`{db}.t`"):
            view.refresh()
        assert f"`{db}.t`" in str(view.status().error)
    wh.spark.sql(f"CREATE TABLE {db}.t (id STRING, y INT) USING parquet")
    wh.spark.sql(f"INSERT INTO {db}.t VALUES ('p', 1)")
    with refused(ColumnGone, "`star`", "`x`", f"`{db}.t`"):
        star.refresh()
    retyped = f"built anew: `{db}.t`.`id` was long and is string"
    assert named.explain().reason == retyped
    assert named.refresh().reason == retyped
    assert bag(named.to_df()) == bag([("p",)])
    wh.spark.sql(f"INSERT INTO {db}.t VALUES ('q', 2)")
    assert named.refresh().reason.endswith("without versions")
    assert named.to_df().count() == 2


def test_incremental_is_refused_where_the_table_is_named(wh: ev.Warehouse, db: str) -> None:
    wh.run_script("CREATE TABLE s (id BIGINT); CREATE VIEW v AS SELECT id AS k\nFROM s")
    for policy in ("INCREMENTAL", "INCREMENTAL STRICT"):
        with refused(NotIncremental, "parquet table", "line 3, column 10"):
            wh.run_script(
                f"CREATE MATERIALIZED VIEW m (i) REFRESH POLICY {policy}\nAS SELECT k FROM\n"
                f"  v JOIN\t{db}.t ON id = k"
            )
    assert wh.views() == []


def test_it_is_read_anew_by_conditions_and_merges(wh: ev.Warehouse, db: str) -> None:
    wh.run_script("CREATE TABLE s (id BIGINT); INSERT INTO s SELECT id FROM range(10)")
    wh.sql(f"DELETE FROM s WHERE id IN (SELECT id FROM {db}.t)")
    wh.spark.sql(f"INSERT OVERWRITE {db}.t VALUES (4, 'd')")
    wh.sql(f"DELETE FROM s WHERE id IN (SELECT id FROM {db}.t)")
    wh.sql(f"MERGE INTO s USING {db}.t ON s.id = t.id + 1 WHEN MATCHED THEN DELETE")
    assert bag(wh.sql("FROM s")) == bag([(i,) for i in (0, 3, 6, 7, 8, 9)])


def test_a_view_of_the_session(wh: ev.Warehouse, db: str) -> None:
    wh.spark.sql(f"CREATE VIEW {db}.v AS SELECT upper(x) AS x FROM {db}.t")
    view = wh.create_materialized_view("m", f"SELECT x FROM {db}.v")
    assert "a view of the Spark session" in view.status().kept
    wh.spark.sql(f"INSERT INTO {db}.t VALUES (3, 'c')")
    view.refresh()
    assert bag(view.to_df()) == bag([("A",), ("B",), ("C",)])


def test_temporary_views_are_for_queries_alone(wh: ev.Warehouse) -> None:
    wh.sql("CREATE TABLE s (id BIGINT)")
    wh.spark.range(3).createOrReplaceTempView("passing")
    assert bag(wh.sql("SELECT max(id) FROM passing")) == bag([(2,)])
    wh.sql("INSERT INTO s SELECT id FROM passing")
    wh.sql("MERGE INTO s USING passing ON s.id = passing.id + 2 WHEN MATCHED THEN DELETE")
    assert bag(wh.sql("FROM s")) == bag([(0,), (1,)])
    for statement in (
        "CREATE MATERIALIZED VIEW v AS\nSELECT id FROM passing",
        "CREATE VIEW v AS\nSELECT id FROM passing",
        "DELETE FROM s WHERE id IN\n(SELECT id FROM passing)",
    ):
        with refused(SqlNotAllowed, "`passing` is a temporary view", "line 2"):
            wh.sql(statement)
    assert wh.table("s").version == 2
    wh.spark.catalog.dropTempView("passing")
    with refused(UnknownName, "`passing`"):
        wh.sql("SELECT * FROM passing")


def test_a_delta_table_by_its_path_is_attached(wh: ev.Warehouse, tmp_path: Path) -> None:
    path = str(tmp_path / "their table")
    write_deltalake(path, wh.spark.range(3).toArrow())
    assert bag(wh.sql(f"SELECT count(*) FROM delta.`{path}`")) == bag([(3,)])
    assert wh.tables() == [], "a query attaches nothing"
    wh.sql(
        f"CREATE MATERIALIZED VIEW v REFRESH POLICY INCREMENTAL STRICT AS "
        f"SELECT id FROM delta.`{path}` WHERE id > 0"
    )
    assert wh.tables() == [f"delta.{path}"]
    DeltaTable(path).delete("id = 1")
    write_deltalake(path, wh.spark.range(5, 7).toArrow(), mode="append")
    assert wh.view("v").refresh().strategy.startswith("incremental")
    assert bag(wh.sql("FROM v")) == bag([(2,), (5,), (6,)])
    assert wh.view("v").verify().ok
    shutil.copytree(path, tmp_path / "copy")
    with refused(CopiedTable, "copied folder"):
        wh.sql(f"CREATE MATERIALIZED VIEW w AS SELECT id FROM delta.`{tmp_path / 'copy'}`")
    wh.run_script(f"DROP MATERIALIZED VIEW v; DROP TABLE delta.`{path}`")
    assert DeltaTable(path).version() == 2


def test_a_path_without_a_table_leaves_nothing_behind(wh: ev.Warehouse, tmp_path: Path) -> None:
    with refused(NotATable, "line 2, column 6"):
        wh.sql(f"CREATE MATERIALIZED VIEW v AS SELECT id\nFROM delta.`{tmp_path}/nothing`")
    write_deltalake(str(tmp_path / "some"), wh.spark.range(3).toArrow())
    with pytest.raises(ev.EverviewError, match="nope"):
        wh.sql(f"CREATE MATERIALIZED VIEW v AS SELECT nope FROM delta.`{tmp_path}/some`")
    assert (wh.tables(), wh.views()) == ([], [])


def test_a_delta_table_of_the_catalog_is_attached(
    wh: ev.Warehouse, db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The catalog is told to say `delta`: without the connector no session can make such a one."""
    path = str(tmp_path / "lake")
    write_deltalake(path, wh.spark.sql("SELECT 1L AS id, 'a' AS x").toArrow())
    said = {"provider": "DELTA", "location": f"file:{path}"}
    monkeypatch.setattr(session_tables, "_described", lambda spark, name: said)
    view = wh.create_materialized_view(
        "v", f"SELECT t.id FROM {db}.t WHERE x = 'a'", policy="INCREMENTAL STRICT"
    )
    assert wh.tables() == [f"{db}.t"]
    write_deltalake(path, wh.spark.sql("SELECT 2L AS id, 'a' AS x").toArrow(), mode="append")
    DeltaTable(path).update({"x": "'b'"}, predicate="id = 1")
    assert view.refresh().strategy.startswith("incremental")
    assert bag(view.to_df()) == bag([(2,)])
    assert view.verify().ok
    wh.run_script(f"DROP MATERIALIZED VIEW v; DROP TABLE {db}.t")
    said["location"] = f"file:{tmp_path}/nothing"
    full = wh.create_materialized_view("w", f"SELECT max(id) AS id FROM {db}.t")
    assert "cannot be read as a Delta table" in full.status().kept
    assert bag(full.to_df()) == bag([(2,)]), "then Spark reads it"


def test_the_name_of_the_warehouse_comes_first(wh: ev.Warehouse) -> None:
    wh.spark.range(7).createOrReplaceTempView("both")
    assert bag(wh.sql("SELECT count(*) FROM both")) == bag([(7,)])
    wh.sql("CREATE TABLE both (id INT)")
    assert bag(wh.sql("SELECT count(*) FROM both")) == bag([(0,)])
    view = wh.create_materialized_view("v", "SELECT id FROM both", policy="INCREMENTAL STRICT")
    wh.sql("INSERT INTO both VALUES (1)")
    view.refresh()
    assert bag(view.to_df()) == bag([(1,)])
    wh.spark.catalog.dropTempView("both")


def _names(spark: SparkSession) -> set[str]:
    return {t.name for t in spark.catalog.listTables() if t.isTemporary}


def test_views_are_registered_as_temporary_views_that_follow(wh: ev.Warehouse) -> None:
    wh.run_script(
        """
        CREATE TABLE s (id BIGINT); INSERT INTO s VALUES (1), (2);
        CREATE MATERIALIZED VIEW doubled AS SELECT id * 2 AS d FROM s;
        CREATE VIEW seen AS SELECT max(d) AS d FROM doubled
        """
    )
    assert wh.register() == ["doubled", "seen"]
    spark = wh.spark
    assert bag(spark.sql("SELECT d FROM doubled")) == bag([(2,), (4,)])
    wh.run_script("INSERT INTO s VALUES (3); REFRESH MATERIALIZED VIEW doubled")
    assert bag(spark.sql("SELECT d FROM doubled")) == bag([(2,), (4,), (6,)])
    assert bag(spark.sql("SELECT d FROM seen")) == bag([(6,)])
    assert bag(wh.sql("SELECT d FROM seen")) == bag([(6,)])
    wh.run_script("DROP VIEW seen; CREATE OR REPLACE MATERIALIZED VIEW doubled AS SELECT 1 AS one")
    assert bag(spark.sql("SELECT one FROM doubled")) == bag([(1,)]), "what took its place"
    assert "seen" not in _names(spark), "what is dropped is gone there too"
    wh.sql("DROP MATERIALIZED VIEW doubled")
    assert "doubled" not in _names(spark)
