"""DELETE, UPDATE and MERGE by marks: the rows that go are marked where they lie, those that come
are appended, and the views over such tables stay exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import everview as ev
from everview.errors import AmbiguousMerge, CommitConflict, ConstraintViolated, SqlInvalid
from everview.facts.files import DataFile
from everview.facts.merge_on_read import PROPERTY
from everview.facts.methods import Way
from everview.facts.tables import Lost
from everview.run.dml import marking
from tests.api.bags import assert_exact, bag, frame, refused
from tests.api.meanwhile import write_once_at
from tests.api.shop import SALES, add_sales

CUSTOMERS = "city STRING, land STRING"
VIEWS = {
    "lands": "SELECT c.land, count(*) AS n, sum(s.amount) AS total, min(s.amount) AS least "
    "FROM sales s JOIN customers c ON s.city = c.city GROUP BY c.land",
    "large": "SELECT city, amount FROM sales WHERE amount >= 20 OR city IS NULL",
    "numbered": "SELECT id, city, amount, "
    "row_number() OVER (PARTITION BY city ORDER BY amount, id) AS place FROM sales",
}
FIRST: list[tuple[Any, ...]] = [
    *((i, ("Bern", "Rome", None)[i % 3], 10 * (i % 5)) for i in range(12)),
    *((20, "Oslo", 7), (20, "Oslo", 7), (21, None, None), (21, None, None)),
]


@pytest.fixture(autouse=True)
def marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are marked however small the files are, and however many of the rows go."""
    monkeypatch.setattr(marking, "MOST_REWRITTEN", 0)
    monkeypatch.setattr(marking, "MOST_SHARE", 1.0)


def files_of(table: ev.Table) -> list[DataFile]:
    files = table._world.open(table._entry).snapshot(table.version).files
    return [f for f in files if isinstance(f, DataFile)]


def ways(table: ev.Table) -> dict[str, int]:
    """How the newest commit tells what it changed."""
    changes = table._world.open(table._entry).changes(table.version - 1, table.version)
    assert not isinstance(changes, Lost)
    return dict(changes.ways)


def merge(wh: ev.Warehouse, source: str, *clauses: str, on: str = "t.id = s.id") -> None:
    wh.sql(f"MERGE INTO sales t USING ({source}) s ON {on} {' '.join(clauses)}")


ROUNDS: dict[str, Callable[[ev.Warehouse, ev.Table], object]] = {
    "delete": lambda wh, t: t.delete("id IN (1, 3) OR city IS NULL AND amount = 40"),
    "delete from the same files": lambda wh, t: t.delete("id = 4"),
    "update": lambda wh, t: t.update({"amount": "amount + 5", "city": "'Bern'"}, "id % 4 = 1"),
    "update of rows with NULL": lambda wh, t: t.update({"amount": "1"}, "amount IS NULL"),
    "update of duplicates": lambda wh, t: t.update({"amount": "amount + id"}, "id = 20"),
    "insert": lambda wh, t: add_sales(t, (30, "Rome", 25), (31, None, None), (31, None, None)),
    "update of the rows just inserted": lambda wh, t: t.update({"city": "NULL"}, "id >= 30"),
    "merge that updates and inserts": lambda wh, t: t.merge(
        frame(wh.spark, SALES, (5, "Oslo", 55), (30, "Bern", None), (40, "Rome", 1)), on="id"
    ),
    "merge that deletes": lambda wh, t: merge(
        wh,
        "SELECT * FROM VALUES (20, 1L), (20, 2L), (6, 3L) AS s(id, x)",
        "WHEN MATCHED THEN DELETE",
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
    ),
    "merge with all kinds of clauses": lambda wh, t: merge(
        wh,
        "SELECT * FROM VALUES (5, 1L), (7, 2L), (8, 3L), (9, NULL), (50, 4L) AS s(id, x)",
        "WHEN MATCHED AND s.x = 1 THEN DELETE",
        "WHEN MATCHED AND s.x = 2 THEN UPDATE SET amount = t.amount + s.x",
        "WHEN NOT MATCHED AND s.x > 0 THEN INSERT (id, amount) VALUES (s.id, s.x)",
        "WHEN NOT MATCHED BY SOURCE AND t.amount IS NULL THEN DELETE",
        "WHEN NOT MATCHED BY SOURCE AND t.id = 40 THEN UPDATE SET city = 'Oslo'",
    ),
    "merge that only inserts": lambda wh, t: merge(
        wh,
        "SELECT * FROM VALUES (8, 3L), (60, 4L), (60, 4L) AS s(id, x)",
        "WHEN NOT MATCHED THEN INSERT (id, city, amount) VALUES (s.id, 'Oslo', s.x)",
    ),
    "delete of all": lambda wh, t: t.delete("TRUE"),
    "insert into the emptied table": lambda wh, t: add_sales(t, (1, "Bern", 10), (2, "Rome", 20)),
    "update of the last rows": lambda wh, t: t.update({"amount": "amount * 2"}, "id < 3"),
    "delete of the last rows": lambda wh, t: t.delete("id > 0"),
}
BY_APPENDING = {name for name in ROUNDS if "insert" in name and "update" not in name}


def test_views_follow_rounds_of_marks(wh: ev.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round is made with marks in one table and by writing files anew in another."""
    sales = wh.create_table("sales", frame(wh.spark, SALES, *FIRST))
    customers = [("Bern", "CH"), ("Rome", "IT"), ("Oslo", "NO"), ("Oslo", "NO")]
    wh.create_table("customers", frame(wh.spark, CUSTOMERS, *customers))
    other = ev.open(f"{wh.path}_anew", spark=wh.spark)
    anew = other.create_table("sales", frame(wh.spark, SALES, *FIRST))
    for name, sql in VIEWS.items():
        wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
    for name, round_ in ROUNDS.items():
        round_(wh, sales)
        before = [f.path for f in files_of(anew)]
        with monkeypatch.context() as patch:
            patch.setattr(marking, "MOST_REWRITTEN", 10**12)
            round_(other, anew)
        assert bag(sales.to_df()) == bag(anew.to_df()), name
        assert sales.history()[0]["rows"] == anew.history()[0]["rows"], name
        assert sales.history()[0]["operation"] == anew.history()[0]["operation"], name
        assert "change files" not in ways(sales), name
        if "change files" in ways(anew) and name not in BY_APPENDING:
            assert before != [f.path for f in files_of(anew)], name
        for view, sql in VIEWS.items():
            assert wh.view(view).refresh().way is not Way.FULL, (name, view)
            assert_exact(wh, view, sql)
    assert files_of(sales) == []


def test_a_file_with_marked_rows_stays(wh: ev.Warehouse) -> None:
    rows = [(1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30), (4, None, 40)]
    sales = wh.create_table("sales", frame(wh.spark, SALES, *rows).coalesce(1))
    before = {f.path: f.rows for f in files_of(sales)}
    sales.update({"amount": "0"}, "id = 1")
    after = {f.path: f for f in files_of(sales)}
    assert before.keys() < after.keys()
    assert len(after) == len(before) + 1
    assert sum(len(f.deleted) for f in after.values()) == 1
    assert ways(sales) == {"deletion vectors": 1}
    sales.delete("id = 2")
    assert sum(len(f.deleted) for f in files_of(sales)) == 2
    assert len(files_of(sales)) == len(after)
    assert bag(sales.to_df()) == bag([(1, "Bern", 0), *rows[2:]])


def test_a_statement_that_finds_nothing_commits_nothing(wh: ev.Warehouse, sales: ev.Table) -> None:
    version = sales.version
    assert sales.delete("id = 99") == version
    assert sales.update({"amount": "1"}, "id = 99") == version
    merge(wh, "SELECT 99 AS id", "WHEN MATCHED THEN DELETE")
    assert sales.version == version
    with refused(SqlInvalid, "nothing"):
        sales.delete("nothing = 1")
    assert sales.delete("id = 1", token="once") == version + 1
    assert sales.delete("id = 2", token="once") == version + 1
    assert sales.delete("id = 99", token="none") == version + 2


def test_partitioned_tables_and_nested_columns_are_marked(wh: ev.Warehouse) -> None:
    columns = "id BIGINT, p STRING, tags MAP<STRING, BIGINT>, at TIMESTAMP, parts ARRAY<BIGINT>"
    table = wh.create_table("t", columns, partition_by="p")
    wh.sql(
        "INSERT INTO t SELECT id, CASE id % 3 WHEN 0 THEN 'a b' WHEN 1 THEN '' END, "
        "map('x', id), TIMESTAMP'1500-01-01 01:02:03.000004', array(id, NULL) FROM range(12)"
    )
    table.update({"p": "'c'", "tags": "map('y', 1L)"}, "id IN (1, 2, 3)")
    assert sum(len(f.deleted) for f in files_of(table)) == 3
    table.delete("id IN (3, 4)")
    found = wh.sql("SELECT id, p, tags, at, parts FROM t").collect()
    assert {r.id: r.p for r in found if r.id < 7} == {0: "a b", 1: "c", 2: "c", 5: None, 6: "a b"}
    assert {r.id: r.tags for r in found if r.id < 3} == {0: {"x": 0}, 1: {"y": 1}, 2: {"y": 1}}
    many = wh.create_table("many", "id BIGINT, p BIGINT", partition_by="p")
    many.append(wh.spark.range(24).selectExpr("id", "id % 12 AS p"))
    many.update({"id": "id + 100"}, "id BETWEEN 1 AND 3")
    many.delete("p = 1 OR id = 5")
    left = [(i + 100 * (i in (2, 3)), i % 12) for i in range(24) if i % 12 != 1 and i != 5]
    assert bag(many.to_df()) == bag(left)
    nested = "id BIGINT, at TIMESTAMP, parts ARRAY<STRUCT<a: BIGINT, b: STRING>>, d DECIMAL(38, 5)"
    plain = wh.create_table("u", nested)
    wh.sql(
        "INSERT INTO u SELECT id, TIMESTAMP'1500-01-01 01:02:03.000004', "
        "array(named_struct('a', id, 'b', NULL), NULL), "
        "CAST('123456789012345678901234567890123.12345' AS DECIMAL(38,5)) FROM range(4)"
    )
    expected = bag([tuple(map(repr, r)) for r in plain.to_df().collect()])
    plain.update({"d": "d"}, "id > 0")
    assert [len(f.deleted) for f in files_of(plain) if f.deleted], "Arrow wrote the new rows"
    assert bag([tuple(map(repr, r)) for r in plain.to_df().collect()]) == expected


def test_constraints_are_kept_before_the_commit(wh: ev.Warehouse) -> None:
    table = wh.create_table("t", "id BIGINT, n BIGINT NOT NULL", primary_key="id")
    table.append(frame(wh.spark, "id BIGINT, n BIGINT", (1, 10), (2, 20), (3, 30)))
    with refused(ConstraintViolated, "id = 2"):
        table.update({"id": "2"}, "id = 1")
    with refused(ConstraintViolated, "id = 7"):
        table.update({"id": "7"}, "id < 3")
    with refused(ConstraintViolated, "NOT NULL n"):
        table.update({"n": "NULL"}, "id = 1")
    with refused(AmbiguousMerge, "2 rows of the source"):
        wh.sql(
            "MERGE INTO t USING (SELECT * FROM VALUES (1, 1L), (1, 2L) AS s(id, n)) s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n"
        )
    with refused(ConstraintViolated, "id = 3"):
        wh.sql(
            "MERGE INTO t USING (SELECT 3L AS id) s ON t.n = 0 "
            "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 1)"
        )
    assert table.version == 1
    table.update({"id": "4 - id"}, "id IN (1, 3)")  # keys that change places
    assert bag(table.to_df()) == bag([(3, 10), (2, 20), (1, 30)])
    assert ways(table).keys() <= {"deletion vectors", "file difference"}


def test_another_writer_meanwhile_is_a_conflict(wh: ev.Warehouse, sales: ev.Table) -> None:
    write_once_at(wh, "write: commit", lambda: add_sales(sales, (9, "Oslo", 9)))
    with refused(CommitConflict):
        sales.delete("id = 1")
    assert bag(sales.to_df())[1, "Bern", 10] == 1
    sales.delete("id = 1")
    assert bag(sales.to_df())[1, "Bern", 10] == 0


def test_an_append_rebases_on_the_first_marks(wh: ev.Warehouse, sales: ev.Table) -> None:
    write_once_at(wh, "write: commit", lambda: sales.delete("id = 1"))
    add_sales(sales, (9, "Oslo", 9))
    found = bag(sales.to_df())
    assert (found[1, "Bern", 10], found[9, "Oslo", 9]) == (0, 1)


def test_many_rows_are_written_by_spark(
    wh: ev.Warehouse, sales: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everview.run.rows.staging.FEW_CHANGES", 1)
    sales.update({"amount": "amount + 1"}, "id < 4")
    assert ways(sales) == {"deletion vectors": 1}
    sales.merge(frame(wh.spark, SALES, (1, "x", 1), (7, "y", 2), (8, "z", 3)), on="id")
    assert "change files" not in ways(sales)
    expected = [(1, "x", 1), (2, "Bern", 21), (3, "Rome", 31), (4, "Rome", 30), (5, None, 50)]
    assert bag(sales.to_df()) == bag([*expected, (7, "y", 2), (8, "z", 3)])


def test_files_are_written_anew_where_marks_are_not_wanted(
    wh: ev.Warehouse, sales: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marking, "MOST_SHARE", 0.2)
    sales.delete("id = 1")
    assert ways(sales) == {"change files": 1}
    monkeypatch.setattr(marking, "MOST_SHARE", 1.0)
    monkeypatch.setattr(marking, "MOST_MARKED", 1)
    sales.update({"amount": "amount + 1"}, "id < 4")
    assert ways(sales) == {"change files": 1}
    merge(wh, "SELECT * FROM VALUES (2), (3) AS s(id)", "WHEN MATCHED THEN DELETE")
    assert ways(sales) == {"change files": 1}
    monkeypatch.setattr(marking, "MOST_MARKED", 100)
    table = wh._world.open(sales._entry)
    table.set_properties({PROPERTY: "never"}, sales.version, "p")
    sales.delete("id = 4")
    assert ways(sales) == {"change files": 1}
    assert bag(sales.to_df()) == bag([(5, None, 50)])
