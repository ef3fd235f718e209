"""Texts that only Spark parses: views recomputed in full, with the place where we stopped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import everview as ev
from everview.errors import (
    NotIncremental,
    SqlInvalid,
    SqlNotAllowed,
    SqlSyntax,
    UnknownName,
)
from tests.api.bags import bag, refused
from tests.api.shop import add_sales

SHIFTED = "SELECT id,\n  amount >>> 1 AS half\nFROM sales"


@pytest.mark.usefixtures("sales")
def test_such_a_view_is_full_and_says_where(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("v", SHIFTED)
    assert bag(view.to_df()) == bag([(1, 5), (2, 10), (3, 15), (4, 15), (5, 25)])
    add_sales(sales, (6, "Bern", -1))
    explained = view.explain()
    assert explained.strategy == "full"
    assert "only Spark parses this text (line 2, column 12)" in explained.reason
    assert "line 2, column 12" in explained.where
    assert explained.instead
    receipt = view.refresh()
    assert (receipt.strategy, receipt.reason) == ("full", explained.reason)
    assert (6, 2**63 - 1) in bag(view.to_df())
    assert view.verify().ok
    assert "recomputed in full: only Spark parses this text" in view.status().kept


@pytest.mark.usefixtures("sales")
def test_it_is_known_again_by_another_warehouse_object(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("v", SHIFTED)
    with ev.open(wh.path, spark=wh.spark) as again:
        add_sales(again.table("sales"), (6, "Bern", 8))
        assert again.view("v").refresh().strategy == "full"
        assert (6, 4) in bag(again.view("v").to_df())
        assert again.view("v").verify().ok


@pytest.mark.usefixtures("sales")
@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("VALUES (1), (2) |> WHERE col1 > 1", [(2,)]),
        (
            "SELECT count(*) AS n FROM sales GROUP BY ROLLUP (city IN ('Bern', 'Rome'))",
            [(4,), (1,), (5,)],
        ),
        ("SELECT TRANSFORM(id) USING 'cat' AS (x INT) FROM sales WHERE id < 3", [(1,), (2,)]),
        ("SELECT s.id >>> 1 AS x FROM sales AS s WHERE s.id = 2", [(1,)]),
        ("SELECT sales.id >>> 1 AS x FROM sales WHERE sales.id = 2;", [(1,)]),
        ("SELECT s.id >>> 1 AS x FROM Sales s, `sales` WHERE s.id = sales.id AND s.id = 2", [(1,)]),
        ("WITH sales AS (SELECT 8 AS id) SELECT id >>> 1 AS x FROM sales", [(4,)]),
        ("SELECT 1 >>> 0 AS sales FROM sales WHERE id = 1", [(1,)]),
        ("SELECT '😀{x}' AS e, id >>> 0 AS x FROM sales WHERE id = 1 -- end", [("😀{x}", 1)]),
        ("SELECT 8 >>> 1 AS x WHERE EXISTS (SELECT 1 FROM sales)", [(4,)]),
        ("SELECT id >>> 0 AS x FROM sales WHERE id = (SELECT max(id) FROM sales)", [(5,)]),
    ],
)
def test_what_is_read(wh: ev.Warehouse, sql: str, rows: list[tuple[object, ...]]) -> None:
    view = wh.create_materialized_view("v", sql)
    assert bag(view.to_df()) == bag(rows)
    assert view.explain().where or view.status().kept.startswith("recomputed in full: only Spark")
    assert view.verify().ok
    assert bag(wh.sql(sql)) == bag(rows), "a query reads the same"


@pytest.mark.usefixtures("sales")
@pytest.mark.parametrize("policy", ["INCREMENTAL", "INCREMENTAL STRICT"])
def test_incremental_refuses_it_with_the_place(wh: ev.Warehouse, policy: str) -> None:
    with refused(NotIncremental, "only Spark parses this text", "line 2, column 12"):
        wh.create_materialized_view("v", SHIFTED, policy=policy)
    assert wh.views() == []


@pytest.mark.usefixtures("sales")
def test_what_spark_refuses_too_is_refused(wh: ev.Warehouse) -> None:
    with refused(SqlSyntax, "line 1, column"):
        wh.create_materialized_view("v", "SELECT id FROM sales WHERE id = = 1")
    with refused(SqlSyntax, "closes no parenthesis"):
        wh.create_materialized_view("v", "SELECT id >>> 1 AS x FROM sales) u JOIN (sales")
    with refused(SqlInvalid, "nosuch", "line 1, column 8"):
        wh.create_materialized_view("v", "SELECT nosuch >>> 1 AS x FROM sales")
    with refused(UnknownName, "`nowhere`", "line 2, column 6"):
        wh.create_materialized_view("v", "SELECT id >>> 1 AS x\nFROM nowhere")
    with refused(SqlNotAllowed, "computed"):
        wh.create_materialized_view("v", "SELECT id >>> 1 AS x FROM IDENTIFIER('sales')")
    with pytest.raises(ev.errors.EverviewError):
        wh.create_materialized_view("v", "SELECT id >>> 1 AS x FROM sales VERSION AS OF 0")
    with refused(UnknownName, "cannot read itself"):
        wh.create_materialized_view("w", "SELECT id FROM sales")
        wh.create_materialized_view("w", "SELECT id >>> 1 AS x FROM w", replace=True)
    for command in ("DROP TABLE sales >>> 1", "FROM sales INSERT INTO sales SELECT * >>> 1"):
        with pytest.raises(ev.errors.EverviewError):
            wh.create_materialized_view("v", command)
    assert wh.sql("SELECT count(*) FROM sales").collect()[0][0] == 5


@pytest.mark.usefixtures("sales")
def test_views_are_named_where_they_cannot_be_read(wh: ev.Warehouse) -> None:
    wh.sql("CREATE VIEW virtual AS SELECT id FROM sales")
    with refused(SqlNotAllowed, "`virtual` is a view", "line 1, column 27"):
        wh.create_materialized_view("v", "SELECT id >>> 1 AS x FROM virtual")
    with refused(SqlNotAllowed, "Only Spark parses", "column"):
        wh.sql("CREATE VIEW other AS SELECT id >>> 1 AS x FROM sales")
    assert wh.sql("SHOW VIEWS").count() == 1


@pytest.fixture
def db(wh: ev.Warehouse) -> Iterator[str]:
    wh.spark.sql("CREATE DATABASE everview_text")
    wh.spark.sql("CREATE TABLE everview_text.t (id BIGINT) USING parquet")
    wh.spark.sql("INSERT INTO everview_text.t VALUES (8)")
    wh.spark.sql("CREATE TABLE default.sales (other BIGINT) USING parquet")
    yield "everview_text"
    wh.spark.sql("DROP TABLE default.sales")
    wh.spark.sql("DROP DATABASE everview_text CASCADE")


@pytest.mark.usefixtures("sales")
def test_names_that_the_session_knows(wh: ev.Warehouse, db: str, tmp_path: Path) -> None:
    view = wh.create_materialized_view("v", "SELECT id >>> 1 AS x, 'sales' AS sales FROM sales")
    assert sorted(r[0] for r in view.to_df().collect()) == [0, 1, 1, 2, 2], "the warehouse's own"
    outside = wh.create_materialized_view("o", f"SELECT t.id >>> 1 AS x FROM {db}.t")
    assert bag(outside.to_df()) == bag([(4,)])
    wh.spark.sql(f"INSERT INTO {db}.t VALUES (4)")
    assert outside.refresh().strategy == "full"
    assert bag(outside.to_df()) == bag([(4,), (2,)])
    with refused(SqlNotAllowed, "WITH gives the name `sales`"):
        wh.create_materialized_view(
            "w", "WITH sales AS (SELECT 8 AS id) SELECT id >>> 1 AS x FROM sales"
        )
    wh.spark.range(3).write.parquet(str(tmp_path / "files"))
    with refused(UnknownName, "parquet"):
        wh.create_materialized_view("w", f"SELECT id >>> 1 AS x FROM parquet.`{tmp_path}/files`")
    wh.spark.range(3).createOrReplaceTempView("passing")
    with refused(SqlNotAllowed, "`passing` is a temporary view", "line 1, column 27"):
        wh.create_materialized_view("w", "SELECT id >>> 1 AS x FROM passing")
    assert wh.sql("SELECT id >>> 1 AS x FROM passing").count() == 3
    wh.spark.catalog.dropTempView("passing")


@pytest.mark.usefixtures("sales")
def test_functions_of_the_session(wh: ev.Warehouse) -> None:
    wh.spark.udf.register("ev_twice", lambda x: x * 2, "bigint")
    for sql in ("SELECT id,\n  ev_twice(id) AS x FROM sales", "SELECT id >>> 1,\n  EV_TWICE(id)"):
        with refused(SqlNotAllowed, "`ev_twice` is a temporary function", "line 2, column 3"):
            text = sql if "FROM" in sql else f"{sql} AS x FROM sales"
            wh.create_materialized_view("v", text)
    assert wh.sql("SELECT ev_twice(id) AS x FROM sales WHERE id = 2").collect()[0][0] == 4


@pytest.mark.usefixtures("sales")
def test_functions_of_the_catalog(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.spark.sql("CREATE FUNCTION ev_half(x BIGINT) RETURNS BIGINT RETURN x DIV 2")
    try:
        view = wh.create_materialized_view("v", "SELECT id, ev_half(amount) AS x FROM sales")
        assert (3, 15) in bag(view.to_df())
        add_sales(sales, (6, "Bern", 8))
        receipt = view.refresh()
        assert receipt.strategy == "full"
        assert "ev_half() is a function of the Spark session's catalog" in receipt.reason
        assert (6, 4) in bag(view.to_df())
        assert view.verify().ok
        with refused(NotIncremental, "ev_half()", "line 1, column 8"):
            wh.create_materialized_view(
                "w", "SELECT ev_half(amount) AS x FROM sales", policy="INCREMENTAL"
            )
    finally:
        wh.spark.sql("DROP FUNCTION ev_half")


def test_literals_names_and_types_that_look_like_something_else(wh: ev.Warehouse) -> None:
    table = wh.create_table("t", "id BIGINT, minus BIGINT, s STRUCT<map: STRING, variant: BIGINT>")
    row = "SELECT 1L AS id, 4L AS minus, named_struct('map', 'x', 'variant', 1L) AS s"
    table.append(wh.spark.sql(row))
    marked = "\ue0000\ue001"
    view = wh.create_materialized_view(
        "v",
        f"SELECT s, concat('{marked}', id) AS x, id - minus AS y, count(*) AS n FROM t "
        f"GROUP BY s, concat('{marked}', id), id - minus",
        policy="INCREMENTAL STRICT",
    )
    table.append(wh.spark.sql(row))
    assert view.refresh().strategy == "incremental: groups"
    assert [tuple(r)[1:] for r in view.to_df().collect()] == [(f"{marked}1", -3, 2)]
    assert view.verify().ok


def test_hidden_columns_are_not_proposed(sales: ev.Table) -> None:
    with pytest.raises(SqlInvalid) as raised:
        sales.delete("idd = 3")
    assert "`id`" in str(raised.value)
    assert "__ev" not in str(raised.value)
    with pytest.raises(SqlInvalid) as raised:
        sales.update({"amount": "amont + 1"}, where="id = 1")
    assert "__ev" not in str(raised.value)
