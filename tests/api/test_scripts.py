"""Scripts through wh.sql: the last result, and errors where they stand."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

import everview as ev
from everview.errors import (
    ComputationFailed,
    ConstraintViolated,
    InvalidName,
    NotIncremental,
    SqlInvalid,
    SqlSyntax,
    UnknownName,
)
from tests.api.bags import bag, refused
from tests.api.results import rows


@pytest.mark.parametrize(
    ("statement", "kind", "line", "column"),
    [
        ("CREATE MATERIALIZED VIEW v AS\nSELECT 1\nFROM nope", UnknownName, 4, 6),
        ("CREATE MATERIALIZED VIEW v (a, b) AS\nSELECT 1,\n 2 FROM nope", UnknownName, 4, 9),
        (
            "CREATE MATERIALIZED VIEW v (a) REFRESH POLICY INCREMENTAL AS\n"
            "SELECT x FROM\n  (SELECT id AS x FROM sales LIMIT 3)",
            NotIncremental,
            4,
            36,
        ),
        ("CREATE MATERIALIZED VIEW v (a, b) AS SELECT id FROM sales", SqlInvalid, 2, 26),
        ("CREATE MATERIALIZED VIEW v AS SELECT id, id FROM sales", InvalidName, 2, 26),
        ("CREATE MATERIALIZED VIEW a.v AS SELECT 1 AS x", InvalidName, 2, 26),
        ("CREATE VIEW v AS SELECT * FROM sales JOIN\nnope", UnknownName, 3, 1),
        ("REFRESH MATERIALIZED VIEW nope", UnknownName, 2, 27),
        ("DESCRIBE nope", UnknownName, 2, 10),
        ("ALTER VIEW nope SET COMMENT 'x'", UnknownName, 2, 12),
        ("TABLE nope", UnknownName, 2, 7),
        ("SELECT\nnope FROM sales", SqlInvalid, 2, 1),
    ],
)
def test_an_error_is_shown_where_it_stands_in_the_script(
    shop: ev.Warehouse, statement: str, kind: type[ev.EverviewError], line: int, column: int
) -> None:
    with refused(kind) as caught:
        shop.run_script(f"SELECT 1;\n{statement};\nDROP TABLE sales")
    where = caught.value.where
    assert (where.line, where.column) == (line, column), str(caught.value)
    assert (shop.tables(), shop.views()) == (["sales"], [])


def test_a_script_gives_the_last_result_and_stops_at_an_error(shop: ev.Warehouse) -> None:
    last = shop.run_script(
        "INSERT INTO sales VALUES (5, 'a;b', 50); -- nothing ; here\nSELECT ';' || city FROM sales "
        "WHERE id = 5;;"
    )
    assert rows(last) == [(";a;b",)]
    assert shop.run_script(" ; -- nothing\n;") is None
    with refused(ConstraintViolated, "line 4, column 13"):
        shop.run_script(
            "CREATE TABLE t (id INT NOT NULL);\nINSERT INTO t VALUES (1);\n\nINSERT INTO t VALUES "
            "(NULL);\nINSERT INTO t VALUES (2)"
        )
    assert bag(shop.sql("FROM t")) == bag([(1,)]), "what came before stays, what follows is not run"


def test_a_script_that_cannot_be_parsed_does_nothing(shop: ev.Warehouse) -> None:
    with refused(SqlSyntax, "line 3", "REFRSH"):
        shop.run_script("DELETE FROM sales;\nDROP TABLE sales;\nREFRSH MATERIALIZED VIEW v")
    assert shop.table("sales").version == 1
    with refused(SqlSyntax, "line 2, column 1", "2 statements"):
        shop.sql("DELETE FROM sales;\nDELETE FROM sales")
    assert shop.table("sales").version == 1


def test_a_failure_of_spark_says_in_which_statement(shop: ev.Warehouse) -> None:
    with refused(ComputationFailed, "line 2, column 13", "DIVIDE_BY_ZERO", "sales") as caught:
        shop.run_script("SELECT 1;\nINSERT INTO sales SELECT id, city, 1 / 0 FROM sales")
    assert isinstance(caught.value.__cause__, PySparkException)
    assert shop.table("sales").version == 1
