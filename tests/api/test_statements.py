"""Every statement through wh.sql: what it does, what it gives back, and how it fails."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from deltalake import write_deltalake
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

import everview as ev
from everview.errors import (
    ComputationFailed,
    ConstraintViolated,
    InvalidArgument,
    InvalidName,
    NameTaken,
    NotIncremental,
    ReadOnlyTable,
    SchemaMismatch,
    SqlInvalid,
    SqlSyntax,
    StillUsed,
    UnknownName,
    UnsupportedType,
)
from tests.api.bags import bag, refused

CHANGES = ["version", "rows_inserted", "rows_updated", "rows_deleted"]
SHOP = """
    CREATE TABLE sales (id BIGINT, city STRING, amount BIGINT);
    INSERT INTO sales VALUES (1, 'Bern', 10), (2, 'Bern', 20), (3, 'Rome', 30), (4, NULL, 40);
"""


@pytest.fixture
def shop(wh: ev.Warehouse) -> ev.Warehouse:
    wh.run_script(SHOP)
    return wh


def rows(frame: DataFrame | None) -> list[tuple[Any, ...]]:
    assert frame is not None
    return [tuple(row) for row in frame.collect()]


def text(frame: DataFrame) -> str:
    ((said,),) = rows(frame)
    return str(said)


# Tables


def test_a_table_with_every_clause(wh: ev.Warehouse) -> None:
    wh.sql("CREATE TABLE stores (id INT PRIMARY KEY, city STRING)")
    done = wh.sql(
        """
        CREATE TABLE IF NOT EXISTS sales (
          id BIGINT NOT NULL COMMENT 'it''s',
          `the store` INT REFERENCES stores (id),
          amount DECIMAL(10, 2) NOT NULL,
          tags MAP<STRING, ARRAY<STRUCT<a: INT, b: STRING>>>,
          day DATE,
          CONSTRAINT pk PRIMARY KEY (id, day)
        ) USING delta PARTITIONED BY (day) COMMENT 'all of them'
        """
    )
    assert (done.columns, rows(done)) == (["result"], [])
    described = wh.sql("DESCRIBE TABLE sales")
    assert described.columns == ["col_name", "data_type", "comment"]
    assert rows(described) == [
        ("id", "bigint", "it's"),
        ("the store", "int", None),
        ("amount", "decimal(10,2)", None),
        ("tags", "map<string, array<struct<`a`: int, `b`: string>>>", None),
        ("day", "date", None),
    ]
    details = dict(r[:2] for r in rows(wh.sql("DESC EXTENDED sales"))[7:])
    assert details["Kind"] == "table"
    assert details["Comment"] == "all of them"
    assert details["Primary key"] == "id, day"
    assert details["Foreign key the store"] == "stores (id)"
    assert (details["Version"], details["Rows"]) == ("0", "0")
    assert Path(details["Location"]).is_dir()
    wh.sql("CREATE TABLE IF NOT EXISTS SALES (x INT)")
    with refused(NameTaken, "sales", "line 1, column 14"):
        wh.sql("CREATE TABLE Sales (x INT)")


def test_a_table_of_a_query(shop: ev.Warehouse) -> None:
    shop.sql(
        "CREATE TABLE cities COMMENT 'c' PARTITIONED BY (city) AS "
        "SELECT city, CAST(sum(amount) AS DECIMAL(12,1)) AS total FROM sales GROUP BY city"
    )
    expected = [("Bern", Decimal(30)), ("Rome", Decimal(30)), (None, Decimal(40))]
    assert bag(shop.sql("TABLE cities")) == bag(expected)
    with refused(InvalidArgument, "both"):
        shop.sql("CREATE TABLE t (a INT) AS SELECT 1 AS a")
    with refused(UnknownName, "line 1, column 33"):
        shop.sql("CREATE TABLE t AS SELECT 1 FROM nothing")
    assert shop.tables() == ["cities", "sales"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("c CHAR(3)", "char(3)"),
        ("c VARCHAR(3)", "varchar(3)"),
        ("c INTERVAL DAY TO SECOND", "interval day to second"),
        ("c STRING COLLATE UTF8_LCASE", "UTF8_LCASE"),
        ("c ARRAY<STRING COLLATE UNICODE_CI>", "UNICODE_CI"),
    ],
)
def test_types_that_a_table_cannot_keep(wh: ev.Warehouse, columns: str, said: str) -> None:
    with refused(UnsupportedType, said, "line 1, column 14"):
        wh.sql(f"CREATE TABLE t (id INT, {columns})")
    with refused(InvalidArgument, "FOO"):
        wh.sql("CREATE TABLE t (id FOO)")
    assert wh.tables() == []


def test_insert_goes_by_position_and_casts_like_spark(shop: ev.Warehouse) -> None:
    added = shop.sql("INSERT INTO sales SELECT 5, 'Oslo', 50Y UNION ALL SELECT 6, '7', 2Y")
    assert (added.columns, rows(added)) == (CHANGES, [(2, 2, 0, 0)])
    some = shop.sql("INSERT INTO sales (AMOUNT, id) SELECT id, 7 FROM sales WHERE id = 6")
    assert rows(some) == [(3, 1, 0, 0)]
    found = shop.sql("SELECT * FROM sales WHERE id > 4")
    assert bag(found) == bag([(5, "Oslo", 50), (6, "7", 2), (7, None, 6)])
    whole = shop.sql("INSERT OVERWRITE sales SELECT id, city, amount + 1 FROM sales WHERE id < 3")
    assert rows(whole) == [(4, 2, 0, 7)]
    assert bag(shop.sql("FROM sales")) == bag([(1, "Bern", 11), (2, "Bern", 21)])


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("INSERT INTO sales VALUES (1, 'a')", SchemaMismatch, ("2 values for 3", "column 13")),
        ("INSERT INTO sales (id, id) VALUES (1, 2)", SchemaMismatch, ("twice",)),
        ("INSERT INTO sales (id, x) VALUES (1, 2)", SchemaMismatch, ("no column x",)),
        ("INSERT INTO sales VALUES ('ten', 'a', 1)", SchemaMismatch, ("id BIGINT",)),
        ("INSERT INTO sales VALUES (9223372036854775808, 'a', 1)", SchemaMismatch, ("id BIGINT",)),
        ("INSERT INTO sales VALUES (array(1), 'a', 1)", SchemaMismatch, ("ARRAY<INT>",)),
        ("INSERT INTO sales SELECT * FROM sale", UnknownName, ("column 33", "`sale`")),
        ("INSERT INTO sales SELECT nope, 1, 1 FROM sales", SqlInvalid, ("nope", "column 13")),
        ("INSERT INTO sale VALUES (1)", UnknownName, ("`sale`", "column 13")),
    ],
)
def test_rows_that_cannot_be_inserted(
    shop: ev.Warehouse, statement: str, kind: type[ev.EverviewError], words: tuple[str, ...]
) -> None:
    with refused(kind, *words):
        shop.sql(statement)
    assert shop.table("sales").version == 1


def test_delete_and_update_with_aliases_and_subqueries(shop: ev.Warehouse) -> None:
    shop.run_script(
        """
        CREATE TABLE gone (id INT, by_how_much INT);
        INSERT INTO gone VALUES (1, 100), (NULL, 7);
        CREATE MATERIALIZED VIEW by_city AS
          SELECT city, count(*) AS n FROM sales GROUP BY city;
        CREATE VIEW alone AS SELECT city FROM by_city WHERE n = 1;
        """
    )
    changed = shop.sql(
        """
        UPDATE sales AS s SET s.amount = s.amount + (SELECT max(by_how_much) FROM gone),
          CITY = upper(city)
        WHERE EXISTS (SELECT 1 FROM gone AS g WHERE g.id = s.id) OR s.city IN (FROM alone)
        """
    )
    assert (changed.columns, rows(changed)) == (CHANGES, [(2, 0, 2, 0)])
    expected = [(1, "BERN", 110), (2, "Bern", 20), (3, "ROME", 130), (4, None, 40)]
    assert bag(shop.sql("FROM sales")) == bag(expected)
    untouched = shop.sql("DELETE FROM sales WHERE id NOT IN (SELECT id FROM gone)")
    assert rows(untouched) == [(2, 0, 0, 0)], "NOT IN a set with NULL is never true"
    over = "DELETE FROM sales s WHERE s.amount > (SELECT avg(amount) FROM sales) AND s.id = 1"
    assert rows(shop.sql(over)) == [(3, 0, 0, 1)]
    assert rows(shop.sql("UPDATE sales SET amount = 0")) == [(4, 0, 3, 0)]
    assert rows(shop.sql("DELETE FROM sales")) == [(5, 0, 0, 3)]
    assert rows(shop.sql("DELETE FROM sales")) == [(5, 0, 0, 0)]
    assert rows(shop.sql("REFRESH MATERIALIZED VIEW by_city"))[0][3:6] == (0, 0, 3)
    assert shop.view("by_city").verify().ok


def test_correlated_subqueries_over_a_partitioned_table(wh: ev.Warehouse) -> None:
    """Spark's optimizer fails on them in a projection of a union: "key not found"."""
    wh.run_script(
        """
        CREATE TABLE t (k INT, a INT) PARTITIONED BY (k);
        INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (NULL, 4), (1, 5);
        CREATE TABLE u (k INT, b INT);
        INSERT INTO u VALUES (1, 10), (2, 20);
        UPDATE t SET a = (SELECT max(b) FROM u WHERE u.k = t.k) + a
          WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k);
        """
    )
    assert bag(wh.sql("FROM t")) == bag([(1, 11), (2, 22), (3, 3), (None, 4), (1, 15)])
    wh.sql("DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.b < t.a)")
    assert bag(wh.sql("FROM t")) == bag([(1, 11), (2, 22), (1, 15)])
    said = wh.sql(
        "MERGE INTO t USING (SELECT 2 AS k) s ON t.k = s.k WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE AND EXISTS (SELECT 1 FROM u WHERE u.k + 10 = t.a) "
        "THEN UPDATE SET a = 0"
    )
    assert rows(said) == [(4, 0, 1, 1)]
    assert bag(wh.sql("FROM t")) == bag([(1, 0), (1, 15)])


def test_a_new_value_is_computed_once_and_only_where_it_is_wanted(wh: ev.Warehouse) -> None:
    wh.run_script("CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 0), (12, 4), (9, NULL)")
    wh.sql("UPDATE t SET a = CAST(a / b AS INT) WHERE b <> 0")
    assert bag(wh.sql("FROM t")) == bag([(1, 0), (3, 4), (9, None)])
    wh.sql("INSERT INTO t SELECT 1, 1 FROM range(60)")
    wh.sql("UPDATE t SET b = if(rand() < 0.5, NULL, 5)")
    assert {r[0] for r in rows(wh.sql("SELECT DISTINCT b FROM t"))} == {None, 5}


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("UPDATE t SET s.id = 9", SchemaMismatch, ("`s.id` is not a column",)),
        ("UPDATE t SET other.id = 9", SchemaMismatch, ("`other.id`",)),
        ("UPDATE t SET id = 1, id = 2", SchemaMismatch, ("twice",)),
        ("UPDATE t SET id = 1, T.ID = 2", SchemaMismatch, ("twice",)),
        ("UPDATE t SET nope = 1", SchemaMismatch, ("no column nope",)),
        ("UPDATE t SET id = nope", SqlInvalid, ("nope",)),
        ("UPDATE t SET id = 'x'", SchemaMismatch, ("id INT",)),
        ("UPDATE t SET id = (SELECT max(id)\nFROM nope)", UnknownName, ("line 3, column 6",)),
        ("DELETE FROM t\nWHERE id = 1 OR id IN\n(FROM nope)", UnknownName, ("line 4, column 7",)),
        ("DELETE FROM t WHERE id + 1", SqlInvalid, ("BOOLEAN",)),
        ("DELETE FROM t WHERE t.nope", SqlInvalid, ("nope", "line 2, column 13")),
        ("DELETE FROM v", UnknownName, ("no table `v`",)),
    ],
)
def test_what_cannot_be_changed(
    wh: ev.Warehouse, statement: str, kind: type[ev.EverviewError], words: tuple[str, ...]
) -> None:
    wh.run_script(
        "CREATE TABLE t (id INT, s STRUCT<id: INT, b: STRING>); CREATE VIEW v AS SELECT 1 AS x;"
        "INSERT INTO t VALUES (1, named_struct('id', 1, 'b', 'x'))"
    )
    with refused(kind, *words) as caught:
        wh.run_script(f"SELECT 1;\n{statement}")
    assert caught.value.where.line >= 2
    assert wh.table("t").version == 1


def test_attach_alter_and_drop(shop: ev.Warehouse, tmp_path: Path) -> None:
    path = tmp_path / "it's there"
    write_deltalake(str(path), shop.table("sales").to_df().toArrow())
    place = str(path).replace("'", "''")
    shop.sql(f"ATTACH TABLE theirs FROM '{place}'")
    shop.sql(f"ATTACH IF NOT EXISTS theirs FROM '{place}'")
    assert bag(shop.sql("FROM theirs")) == bag(shop.sql("FROM sales"))
    with refused(ReadOnlyTable, "theirs"):
        shop.sql("DELETE FROM theirs")
    with refused(NameTaken, "an attached table", "line 2, column 8"):
        shop.run_script(f"SELECT 1;\nATTACH theirs FROM '{place}'")
    shop.sql("ALTER TABLE sales RENAME TO sold")
    shop.sql("ALTER TABLE sold SET COMMENT 'what was sold'")
    listed = shop.sql("SHOW TABLES")
    assert listed.columns == ["name", "kind", "comment"]
    assert rows(listed) == [
        ("sold", "table", "what was sold"),
        ("theirs", "attached table", ""),
    ]
    shop.sql("ALTER TABLE sold UNSET COMMENT")
    assert rows(shop.sql("SHOW TABLES LIKE 'SO*|x%'")) == [("sold", "table", "")]
    assert text(shop.sql("SHOW CREATE TABLE theirs")).startswith("ATTACH `theirs` FROM '/")
    shop.run_script("DROP TABLE theirs; DROP TABLE IF EXISTS theirs")
    assert (path / "_delta_log").is_dir()
    with refused(UnknownName, "`theirs`", "line 1, column 12"):
        shop.sql("DROP TABLE theirs")
    shop.sql("ALTER TABLE IF EXISTS theirs RENAME TO mine")
    assert shop.tables() == ["sold"]


# Views


def test_a_materialized_view_with_every_clause(shop: ev.Warehouse) -> None:
    created = shop.sql(
        """
        CREATE MATERIALIZED VIEW by_city (city, n COMMENT 'sales', `the total`)
        COMMENT 'what each city buys' REFRESH POLICY INCREMENTAL
        AS SELECT city, count(*), sum(amount) FROM sales GROUP BY city
        """
    )
    assert created.columns[:3] == ["view", "strategy", "reason"]
    assert rows(created)[0][:6] == ("by_city", "full", "first build", 3, 0, 0)
    assert bag(shop.sql("FROM by_city")) == bag([("Bern", 2, 30), ("Rome", 1, 30), (None, 1, 40)])
    described = rows(shop.sql("DESCRIBE EXTENDED by_city"))
    assert described[:3] == [
        ("city", "string", None),
        ("n", "bigint", "sales"),
        ("the total", "bigint", None),
    ]
    details = dict(r[:2] for r in described[5:])
    assert (details["Policy"], details["Exact at"]) == ("INCREMENTAL", "sales v1")
    shop.sql("CREATE MATERIALIZED VIEW IF NOT EXISTS by_city AS SELECT 1 AS x")
    shop.sql("INSERT INTO sales VALUES (5, 'Oslo', 50)")
    refreshed = shop.sql("REFRESH MATERIALIZED VIEW by_city")
    assert refreshed.columns[-2:] == ["actions", "seconds"]
    assert rows(refreshed)[0][1] == "incremental: groups"
    assert rows(refreshed)[0][3:6] == (1, 0, 0)
    assert rows(shop.sql("REFRESH MATERIALIZED VIEWS"))[0][1].startswith("skipped")
    assert rows(shop.sql("REFRESH FULL MATERIALIZED VIEW by_city"))[0][1:3] == ("full", "asked for")
    verified = shop.sql("VERIFY MATERIALIZED VIEW by_city")
    assert verified.columns[:5] == ["view", "ok", "rows", "missing", "unexpected"]
    assert rows(verified)[0][:5] == ("by_city", True, 4, 0, 0)
    assert rows(shop.sql("VERIFY MATERIALIZED VIEWS"))[0][1] is True
    history = shop.sql("DESCRIBE HISTORY by_city")
    assert history.columns == ["version", "timestamp", "operation", "reason", "details"]
    assert [r[2] for r in rows(history)] == ["full", "incremental: groups", "full"]


def test_altering_and_replacing_a_materialized_view(shop: ev.Warehouse) -> None:
    shop.sql("CREATE MATERIALIZED VIEW v AS SELECT city FROM sales LIMIT 3")
    with refused(NotIncremental, "LIMIT"):
        shop.sql("ALTER MATERIALIZED VIEW v SET REFRESH POLICY INCREMENTAL")
    shop.run_script(
        """
        CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT id, city FROM sales WHERE amount > 15;
        ALTER MATERIALIZED VIEW v SET REFRESH POLICY INCREMENTAL STRICT;
        ALTER MATERIALIZED VIEW v SET COMMENT 'not small';
        ALTER MATERIALIZED VIEW v RENAME TO large;
        DELETE FROM sales WHERE id = 2
        """
    )
    listed = shop.sql("SHOW MATERIALIZED VIEWS LIKE 'l%'")
    (row,) = [r.asDict() for r in listed.collect()]
    assert (row["view"], row["policy"], row["comment"]) == (
        "large",
        "INCREMENTAL STRICT",
        "not small",
    )
    assert rows(shop.sql("SHOW MATERIALIZED VIEWS LIKE 'v'")) == []
    assert "incremental" in text(shop.sql("EXPLAIN MATERIALIZED VIEW large"))
    assert rows(shop.sql("REFRESH MATERIALIZED VIEW large"))[0][1].startswith("incremental")
    assert bag(shop.sql("FROM large")) == bag([(3, "Rome"), (4, None)])
    with refused(StillUsed, "large"):
        shop.sql("DROP TABLE sales")
    with refused(UnknownName, "no table `large`"):
        shop.sql("DROP TABLE IF EXISTS large")
    shop.run_script("DROP MATERIALIZED VIEW large; DROP MATERIALIZED VIEW IF EXISTS large")
    shop.sql("DROP TABLE sales")
    assert (shop.tables(), shop.views()) == ([], [])


def test_explaining_a_view_before_it_is_created(shop: ev.Warehouse) -> None:
    said = text(shop.sql("EXPLAIN CREATE MATERIALIZED VIEW v AS SELECT id FROM sales"))
    assert "v · policy AUTO · incremental" in said
    assert "reads\n  sales: id" in said
    said = text(
        shop.sql(
            "EXPLAIN CREATE MATERIALIZED VIEW v (x) REFRESH POLICY INCREMENTAL AS\n"
            "  SELECT c FROM\n  (SELECT city AS c FROM sales LIMIT 3)"
        )
    )
    assert "refused" in said
    assert "line 3" in said, "as it stands in the statement"
    assert "SELECT city AS c FROM sales LIMIT 3" in said
    assert shop.views() == []
    assert "Scan" in text(shop.sql("EXPLAIN FORMATTED SELECT id FROM sales WHERE id > 1"))


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


# What SHOW CREATE prints makes the same thing again


def test_what_show_create_prints_recreates_the_same(shop: ev.Warehouse, tmp_path: Path) -> None:
    shop.run_script(
        r"""
        CREATE TABLE stores (id INT PRIMARY KEY, `a ``b` STRING COMMENT 'it\'s "x"');
        CREATE TABLE facts (
          id BIGINT NOT NULL, store INT, day DATE, at TIMESTAMP_NTZ, price DECIMAL(38,18),
          x FLOAT, raw BINARY, ok BOOLEAN, s SMALLINT, b TINYINT,
          nested STRUCT<a: ARRAY<INT>, `b c`: MAP<STRING, DOUBLE>>,
          PRIMARY KEY (id, day), FOREIGN KEY (store) REFERENCES stores (id)
        ) PARTITIONED BY (day) COMMENT 'line one
line two \\ ''';
        CREATE VIEW large (sale COMMENT 'its id', amount) COMMENT 'v' AS
          SELECT id, amount FROM sales WHERE amount > 15 -- not small
        ;
        CREATE MATERIALIZED VIEW m (x, y COMMENT 'why') COMMENT 'm' REFRESH POLICY FULL AS
          SELECT sale, amount FROM large;
        CREATE MATERIALIZED VIEW n AS SELECT city FROM sales
        """
    )
    kinds = {"sales": "TABLE", "stores": "TABLE", "facts": "TABLE", "large": "VIEW"}
    kinds |= {"m": "MATERIALIZED VIEW", "n": "MATERIALIZED VIEW"}
    with ev.open(str(tmp_path / "second"), spark=shop.spark) as second:
        for name, kind in kinds.items():
            said = text(shop.sql(f"SHOW CREATE {kind} {name}"))
            second.sql(said)
            if kind != "MATERIALIZED VIEW":
                assert text(second.sql(f"SHOW CREATE {kind} {name}")) == said
            assert rows(second.sql(f"DESCRIBE {name}")) == rows(shop.sql(f"DESCRIBE {name}"))
        second.sql("INSERT INTO sales VALUES (1, 'Bern', 10), (2, 'Bern', 20)")
        second.refresh()
        assert bag(second.sql("FROM m")) == bag([(2, 20)])
        for kind in ("TABLES", "VIEWS"):
            assert rows(second.sql(f"SHOW {kind}")) == rows(shop.sql(f"SHOW {kind}"))
        assert [s.policy for s in second.status()] == ["FULL", "AUTO"]
        assert [s.comment for s in second.status()] == ["m", ""]


# Scripts


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
