"""Statements about tables through wh.sql: what they do, give back, and how they fail."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from deltalake import write_deltalake

import everview as ev
from everview.errors import (
    InvalidArgument,
    NameTaken,
    ReadOnlyTable,
    SchemaMismatch,
    SqlInvalid,
    UnknownName,
    UnsupportedType,
)
from tests.api.bags import bag, refused
from tests.api.results import CHANGES, rows, text


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
