"""Declared constraints: each batch is checked before it is committed, the whole table on demand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import everview as ev
from everview.errors import ConstraintViolated, InvalidArgument
from tests.api.bags import bag, frame, refused

COLUMNS = "id BIGINT, day STRING, city STRING"


@pytest.fixture(params=["", " PARTITIONED BY (day)"], ids=["one folder", "partitioned"])
def t(wh: ev.Warehouse, request: pytest.FixtureRequest) -> ev.Table:
    wh.run_script(
        "CREATE TABLE t (id BIGINT, day STRING, city STRING NOT NULL, PRIMARY KEY (id, day))"
        f"{request.param};\nINSERT INTO t VALUES (1, 'mo', 'Bern'), (1, 'tu', 'Rome')"
    )
    return wh.table("t")


Write = Callable[[ev.Warehouse, ev.Table], object]


def _appended(*rows: tuple[object, ...]) -> Write:
    return lambda wh, t: t.append(frame(wh.spark, COLUMNS, *rows))


def _said(text: str) -> Write:
    return lambda wh, t: wh.sql(text)


NULL_CITY = "NOT NULL city: 1 of the rows have NULL in `city`, for example id = "
NULL_DAY = "PRIMARY KEY (id, day), day NOT NULL: 1 of the rows have NULL in `day`"
TWICE = "PRIMARY KEY (id, day): 2 of the rows have the key id = 7, day = 'we'"
VIOLATIONS: dict[str, tuple[Write, str]] = {
    "append NULL": (_appended((2, "we", None), (3, "we", "a")), f"{NULL_CITY}2"),
    "append a NULL key": (_appended((2, None, "a"), (3, "we", "b")), f"{NULL_DAY}, for example id"),
    "append a key twice": (_appended((7, "we", "a"), (8, "we", "a"), (7, "we", "b")), TWICE),
    "overwrite": (lambda wh, t: t.overwrite(frame(wh.spark, COLUMNS, (2, "we", None))), NULL_CITY),
    "overwrite with a key twice": (
        lambda wh, t: t.overwrite(frame(wh.spark, COLUMNS, (7, "we", "a"), (7, "we", "a"))),
        TWICE,
    ),
    "update to NULL": (lambda wh, t: t.update({"city": "NULL"}, "day = 'mo'"), f"{NULL_CITY}1"),
    "update the key to NULL": (lambda wh, t: t.update({"day": "NULL"}, "day = 'mo'"), NULL_DAY),
    "update to one key": (lambda wh, t: t.update({"day": "'we'", "id": "7"}), TWICE),
    "merge without a column": (
        lambda wh, t: t.merge(frame(wh.spark, "id BIGINT, day STRING", (2, "we")), ["id", "day"]),
        f"{NULL_CITY}2",
    ),
    "INSERT without a column": (_said("INSERT INTO t (id, day) VALUES (2, 'we')"), f"{NULL_CITY}2"),
    "INSERT a key twice": (
        _said("INSERT INTO t SELECT 7, 'we', city FROM t"),
        TWICE,
    ),
    "INSERT OVERWRITE": (
        _said("INSERT OVERWRITE t SELECT id, NULL, city FROM t LIMIT 1"),
        NULL_DAY,
    ),
    "UPDATE": (_said("UPDATE t SET city = nullif(city, 'Rome')"), f"{NULL_CITY}1"),
    "MERGE": (
        _said(
            "MERGE INTO t USING (SELECT explode(array(7, 7)) AS id) s ON t.id = s.id "
            "WHEN NOT MATCHED THEN INSERT (id, day, city) VALUES (s.id, 'we', 'a')"
        ),
        TWICE,
    ),
}


@pytest.mark.parametrize("case", VIOLATIONS)
def test_a_batch_that_violates_a_constraint_is_refused(
    wh: ev.Warehouse, t: ev.Table, case: str
) -> None:
    write, said = VIOLATIONS[case]
    with refused(ConstraintViolated, said, "othing was written") as caught:
        write(wh, t)
    assert caught.value.code == "EV-3004"
    assert t.version == 1
    assert bag(t.to_df()) == bag([(1, "mo", "Bern"), (1, "tu", "Rome")])


def test_what_the_footers_do_not_count_is_counted(wh: ev.Warehouse) -> None:
    wh.sql("CREATE TABLE t (id INT, note STRING NOT NULL, raw BINARY NOT NULL)")
    long = "repeat('x', 9000)"  # too long for the bounds in a footer, which then has no counts
    rows = "INSERT INTO t SELECT id, if(id = 3, {}, {}), {} FROM range(5)"
    with refused(ConstraintViolated, "NOT NULL note: 1 of the rows", "id = 3"):
        wh.sql(rows.format("NULL", long, f"binary({long})"))
    with refused(ConstraintViolated, "NOT NULL raw: 5 of the rows"):
        wh.sql(rows.format("'y'", long, "CAST(NULL AS BINARY)"))
    wh.sql(rows.format("'y'", long, f"binary({long})"))
    assert wh.table("t").version == 1


@pytest.mark.parametrize(
    "type_",
    ["BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "DECIMAL(38,2)", "DECIMAL(5,0)", "DOUBLE"],
)
def test_null_is_refused_whatever_the_type(wh: ev.Warehouse, type_: str) -> None:
    wh.sql(f"CREATE TABLE t (id INT, x {type_} NOT NULL)")
    with refused(ConstraintViolated, "NOT NULL x: 1 of the rows", "id = 2, x = NULL"):
        wh.sql("INSERT INTO t VALUES (2, NULL)")
    assert wh.table("t").version == 0


def test_a_key_that_is_not_enforced_is_checked_by_verify(wh: ev.Warehouse) -> None:
    wh.sql(
        "CREATE TABLE t (id BIGINT, day STRING, city STRING NOT NULL, "
        "PRIMARY KEY (id, day) NOT ENFORCED)"
    )
    t = wh.table("t")
    wh.sql("INSERT INTO t VALUES (1, 'mo', 'Bern'), (1, 'tu', 'Rome')")
    assert [(c.constraint, c.ok) for c in t.verify()] == [
        ("NOT NULL city", True),
        ("PRIMARY KEY (id, day), id NOT NULL", True),
        ("PRIMARY KEY (id, day), day NOT NULL", True),
        ("PRIMARY KEY (id, day)", True),
    ]
    wh.sql("INSERT INTO t VALUES (1, 'mo', 'Oslo'), (5, 'mo', 'Oslo')")
    wrong = [c for c in t.verify() if not c]
    assert [(c.table, c.version, c.violations) for c in wrong] == [("t", 2, 1)]
    assert wrong[0].sample == "id = 1, day = 'mo'"
    assert "VIOLATED" in str(wrong[0])
    found = wh.sql("VERIFY TABLE t")
    assert found.columns == ["table", "constraint", "ok", "violations", "sample", "version"]
    assert [tuple(r) for r in found.where("NOT ok").collect()] == [
        ("t", "PRIMARY KEY (id, day)", False, 1, "id = 1, day = 'mo'", 2)
    ]
    wh.sql("UPDATE t SET city = upper(city)")
    wh.sql("DELETE FROM t WHERE city = 'OSLO' AND id = 1")
    assert all(t.verify())


def test_foreign_keys(wh: ev.Warehouse) -> None:
    wh.run_script(
        """
        CREATE TABLE lines (
          id INT, `the store` INT REFERENCES stores (id), a STRING, b INT,
          FOREIGN KEY (a, b) REFERENCES pairs (x, y), FOREIGN KEY (b) REFERENCES lines (id)
        );
        CREATE TABLE stores (id BIGINT);
        INSERT INTO stores VALUES (1), (2), (NULL);
        INSERT INTO lines VALUES (1, 1, 'p', 1), (2, NULL, 'q', NULL), (3, 2, NULL, 3);
        """
    )
    lines = wh.table("lines")
    store, pair, own = lines.verify()
    assert (store.ok, own.ok) == (True, True), "NULL refers to nothing"
    assert (pair.ok, pair.sample) == (False, "there is no table pairs")
    wh.run_script(
        """
        CREATE TABLE pairs (x STRING, y INT); INSERT INTO pairs VALUES ('p', 2), ('q', 1);
        INSERT INTO lines VALUES (4, 9, 'p', 2), (5, 2, 'p', 7), (6, 9, NULL, 1);
        """
    )
    found = [(c.constraint, c.violations) for c in lines.verify()]
    assert found == [
        ("FOREIGN KEY (the store) REFERENCES stores (id)", 2),
        ("FOREIGN KEY (a, b) REFERENCES pairs (x, y)", 2),
        ("FOREIGN KEY (b) REFERENCES lines (id)", 1),
    ]
    assert "id = 5, the store = 2, a = 'p', b = 7" in lines.verify()[2].sample
    wh.run_script("DROP TABLE pairs; CREATE TABLE pairs (x STRING)")
    pair = lines.verify()[1]
    assert (pair.ok, pair.sample) == (False, "pairs has no column y")
    counted = wh.sql("VERIFY TABLES").groupBy("table").count()
    assert bag(counted) == bag([("lines", 3)]), "a table without constraints has nothing to check"


def test_keys_that_cannot_be_declared(wh: ev.Warehouse) -> None:
    for columns in (
        "id INT, PRIMARY KEY (nope)",
        "id INT, PRIMARY KEY (id, ID)",
        "id INT, FOREIGN KEY (nope) REFERENCES other (id)",
    ):
        with refused(InvalidArgument, "line 1, column 14"):
            wh.sql(f"CREATE TABLE t ({columns})")
    with refused(InvalidArgument, "nested"):
        wh.sql("CREATE TABLE t (id STRUCT<a: INT> NOT NULL)")
    assert wh.tables() == []


def test_a_view_over_a_table_with_keys_stays_exact(wh: ev.Warehouse, t: ev.Table) -> None:
    wh.sql(
        "CREATE MATERIALIZED VIEW v REFRESH POLICY INCREMENTAL STRICT AS "
        "SELECT day, count(*) AS n FROM t GROUP BY day"
    )
    with refused(ConstraintViolated):
        wh.sql("INSERT INTO t VALUES (7, 'we', 'a'), (7, 'we', 'a')")
    wh.sql("INSERT INTO t VALUES (7, 'we', 'a'), (8, 'mo', 'a')")
    assert wh.view("v").refresh().strategy == "incremental: groups"
    assert bag(wh.sql("FROM v")) == bag([("mo", 2), ("tu", 1), ("we", 1)])
