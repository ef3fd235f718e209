"""Creating views: columns are Spark's, and what a definition may not be is refused in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.errors import (
    EverviewError,
    InvalidArgument,
    InvalidName,
    NameTaken,
    SqlInvalid,
    SqlNotAllowed,
    SqlSyntax,
    UnknownName,
    UnsupportedType,
)
from tests.api.bags import assert_exact, bag, refused
from tests.api.shop import BY_CITY, LARGE, add_sales

COLUMNS = {
    "rows": "SELECT id, upper(city) AS City, amount / 3 AS third, amount > 20 AS large FROM sales",
    "star": "SELECT * FROM sales",
    "groups": """
        SELECT city, count(*) AS n, count(city) AS named, sum(amount) AS total, avg(amount) AS mean,
            min(amount) AS low, max(id) AS high, sum(amount * 1.5) AS exact, avg(amount / 2) AS half
        FROM sales GROUP BY city
    """,
    "one row": "SELECT count(*) AS n, sum(amount) + 1 AS total FROM sales",
    "no names": "SELECT city, count(1), sum(amount), max(amount) - 1 FROM sales GROUP BY city",
    "union": "SELECT id AS x FROM sales UNION ALL SELECT CAST(amount AS DECIMAL(20,2)) FROM sales",
    "distinct": "SELECT DISTINCT city, length(city) AS n FROM sales",
    "full": "SELECT id, count(*) OVER () AS n FROM sales",
    "window": "SELECT id, rank() OVER (PARTITION BY city ORDER BY amount) AS place FROM sales",
}


@pytest.mark.parametrize("case", COLUMNS)
def test_names_types_and_rows_are_those_of_spark(
    wh: ev.Warehouse, sales: ev.Table, case: str
) -> None:
    sql = COLUMNS[case]
    view = wh.create_materialized_view("v", sql)
    theirs = wh.sql(sql)
    assert view.to_df().dtypes == theirs.dtypes
    assert bag(view.to_df()) == bag(theirs)
    assert wh.views() == ["v"]


REFUSED: dict[str, tuple[type[EverviewError], str, str]] = {
    "unknown column": (SqlInvalid, "SELECT nothing FROM sales", "nothing"),
    "syntax": (SqlSyntax, "SELECT id FROM sales WHERE (", "line 1"),
    "empty": (SqlNotAllowed, "", "SELECT"),
    "two statements": (SqlNotAllowed, "SELECT id FROM sales; SELECT id FROM sales", "2 statements"),
    "not a query": (SqlNotAllowed, "DELETE FROM sales", "DELETE"),
    "create": (SqlNotAllowed, "CREATE TABLE t AS SELECT id FROM sales", "CREATE"),
    "insert": (SqlNotAllowed, "INSERT INTO sales SELECT * FROM sales", "INSERT"),
    "named parameter": (SqlNotAllowed, "SELECT id FROM sales WHERE id > :low", "parameter"),
    "parameter": (SqlNotAllowed, "SELECT id FROM sales WHERE id > ?", "parameter"),
    "past version": (SqlNotAllowed, "SELECT id FROM sales VERSION AS OF 1", "past version"),
    "past time": (SqlNotAllowed, "SELECT id FROM sales TIMESTAMP AS OF '2020-01-01'", "past"),
    "reserved column": (InvalidName, "SELECT id AS __ev_id FROM sales", "__ev_id"),
    "duplicate column": (InvalidName, "SELECT id, amount AS ID FROM sales", "ID"),
    "duplicate by star": (
        InvalidName,
        "SELECT * FROM sales AS a JOIN sales AS b ON a.id = b.id",
        "`id`",
    ),
    "itself": (UnknownName, "SELECT * FROM v", "`v`"),
    "itself in other case": (UnknownName, "SELECT * FROM V", "`V`"),
    "dotted name": (UnknownName, "SELECT * FROM shop.sales", "`shop.sales`"),
    "path as a table": (UnknownName, "SELECT * FROM parquet.`x`", "`parquet.x`"),
    "interval column": (UnsupportedType, "SELECT INTERVAL 1 DAY AS length FROM sales", "length"),
    "untyped column": (UnsupportedType, "SELECT NULL AS nothing FROM sales", "nothing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_definitions_that_are_refused(wh: ev.Warehouse, case: str) -> None:
    wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
    kind, sql, said = REFUSED[case]
    with refused(kind, said):
        wh.create_materialized_view("v", sql)
    assert wh.views() == []
    assert wh.tables() == ["sales"]


def test_an_unknown_table_is_shown_in_its_place(wh: ev.Warehouse, sales: ev.Table) -> None:
    sql = "SELECT s.id\nFROM sales AS s\n  JOIN orders AS o ON o.id = s.id"
    with refused(UnknownName, "`orders`", "line 3, column 8", "JOIN orders AS o") as caught:
        wh.create_materialized_view("v", sql)
    place = caught.value.where
    assert (place.line, place.column, place.length) == (3, 8, len("orders"))
    shown = str(caught.value).splitlines()
    line = next(i for i, text in enumerate(shown) if "JOIN orders" in text)
    assert shown[line + 1].index("^") == shown[line].index("orders")
    assert shown[line + 1].strip() == "^" * len("orders")


BAD_CALLS: dict[str, tuple[type[EverviewError], Callable[[ev.Warehouse], object]]] = {
    "policy": (
        InvalidArgument,
        lambda wh: wh.create_materialized_view("v", LARGE, policy="SOMETIMES"),
    ),
    "an empty policy": (
        InvalidArgument,
        lambda wh: wh.create_materialized_view("v", LARGE, policy=""),
    ),
    "sql is no text": (
        SqlNotAllowed,
        lambda wh: wh.create_materialized_view("v", 7),  # type: ignore[arg-type]
    ),
    "name": (InvalidName, lambda wh: wh.create_materialized_view("a view", LARGE)),
    "reserved name": (InvalidName, lambda wh: wh.create_materialized_view("__ev", LARGE)),
    "a table's name": (NameTaken, lambda wh: wh.create_materialized_view("sales", LARGE)),
    "replace a table": (
        NameTaken,
        lambda wh: wh.create_materialized_view("Sales", LARGE, replace=True),
    ),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_arguments_that_do_not_fit(wh: ev.Warehouse, case: str) -> None:
    wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
    kind, call = BAD_CALLS[case]
    with refused(kind):
        call(wh)
    assert wh.views() == []


def test_a_policy_is_read_whatever_its_case(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("v", LARGE, policy=" incremental strict ")
    assert view.status().policy == "INCREMENTAL STRICT"


def test_replace_publishes_another_definition_under_the_name(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    wh.create_materialized_view("v", LARGE, comment="large ones", replace=True)
    with refused(NameTaken, "`v`"):
        wh.create_materialized_view("V", BY_CITY)
    before = wh.view("v").path, wh.view("v").to_df()
    shown = bag(before[1])
    with refused(UnknownName):
        wh.create_materialized_view("v", "SELECT * FROM nothing", replace=True)
    with refused(UnknownName, "cannot read itself", "line 1, column 18"):
        wh.create_materialized_view("v", "SELECT city FROM V", replace=True)
    assert_exact(wh, "v", LARGE)
    view = wh.create_materialized_view("v", BY_CITY, "INCREMENTAL", "by city", replace=True)
    assert wh.views() == ["v"]
    assert view.status().policy == "INCREMENTAL"
    assert wh._world.entry("v").comment == "by city"
    assert view.path == before[0], "the folder stays"
    assert bag(before[1]) == shown, "who reads the version before reads on"
    assert bag(view.to_df(1)) == shown
    assert [r["reason"] for r in view.history()] == ["its definition was replaced", "first build"]
    assert_exact(wh, "v", BY_CITY)
    add_sales(sales, (6, "Bern", 60))
    assert view.refresh().strategy == "incremental: groups"
    assert_exact(wh, "v", BY_CITY)


def test_views_cannot_be_made_to_read_each_other(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("lower", LARGE)
    wh.create_materialized_view("middle", "SELECT * FROM lower")
    wh.create_materialized_view("upper", "SELECT * FROM middle")
    with refused(EverviewError, "lower", "upper"):
        wh.create_materialized_view("lower", "SELECT city, amount FROM upper", replace=True)
    assert [r.view for r in wh.refresh()] == ["lower", "middle", "upper"]


@contextmanager
def temporary(spark: SparkSession) -> Iterator[None]:
    """A temporary view, function and variable in the caller's session."""
    spark.sql("SELECT 1L AS id").createOrReplaceTempView("tmp_orders")
    spark.sql("CREATE TEMPORARY FUNCTION tmp_double(x BIGINT) RETURNS BIGINT RETURN x * 2")
    spark.sql("DECLARE OR REPLACE VARIABLE tmp_limit BIGINT DEFAULT 20")
    try:
        yield
    finally:
        spark.catalog.dropTempView("tmp_orders")
        spark.sql("DROP TEMPORARY FUNCTION tmp_double")
        spark.sql("DROP TEMPORARY VARIABLE tmp_limit")


@pytest.mark.parametrize(
    ("kind", "sql", "said"),
    [
        (SqlNotAllowed, "SELECT id FROM tmp_orders", "`tmp_orders`"),
        (EverviewError, "SELECT tmp_double(id) AS x FROM sales", "tmp_double"),
        (EverviewError, "SELECT id FROM sales WHERE amount > tmp_limit", "tmp_limit"),
    ],
)
def test_what_is_temporary_is_refused_by_name(
    spark_or_connect: SparkSession,
    tmp_path: Path,
    kind: type[EverviewError],
    sql: str,
    said: str,
) -> None:
    with (
        temporary(spark_or_connect),
        ev.open(str(tmp_path / "shop"), spark=spark_or_connect) as wh,
    ):
        wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        with refused(kind, said):
            wh.create_materialized_view("v", sql)
        assert wh.views() == []


def test_a_view_of_no_table(wh: ev.Warehouse) -> None:
    view = wh.create_materialized_view("v", "SELECT 1 AS one, '{braces}' AS text")
    assert bag(view.to_df()) == bag([(1, "{braces}")])
    assert view.refresh().strategy.startswith("skipped"), "nothing that it reads can change"
