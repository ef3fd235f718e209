"""CREATE VIEW: a query under a name, put in the place of the name wherever it is read."""

from __future__ import annotations

import pytest

import everview as ev
from everview.errors import (
    InvalidName,
    NameTaken,
    NotIncremental,
    SqlInvalid,
    SqlNotAllowed,
    StillUsed,
    UnknownName,
)
from tests.api.bags import assert_exact, bag, refused


@pytest.fixture
def shop(wh: ev.Warehouse) -> ev.Warehouse:
    wh.run_script(
        """
        CREATE TABLE sales (id BIGINT, city STRING, amount BIGINT);
        INSERT INTO sales VALUES (1, 'Bern', 10), (2, 'Bern', 20), (3, 'Rome', 30), (4, NULL, 40);
        CREATE VIEW large AS SELECT id, amount FROM sales WHERE amount > 15;
        CREATE VIEW named (k COMMENT 'the id', v) COMMENT 'two columns' AS SELECT * FROM large;
        """
    )
    return wh


def test_a_view_stands_for_its_query(shop: ev.Warehouse) -> None:
    assert bag(shop.sql("SELECT Large.amount FROM LARGE")) == bag([(20,), (30,), (40,)])
    assert bag(shop.sql("SELECT k, v FROM named WHERE v < 40")) == bag([(2, 20), (3, 30)])
    joined = "SELECT a.id, b.y FROM large a JOIN named AS b(x, y) ON a.id = b.x AND a.id > 3"
    assert bag(shop.sql(joined)) == bag([(4, 40)])
    within = "SELECT (SELECT max(v) FROM named), id FROM sales WHERE id IN (SELECT k FROM named)"
    assert bag(shop.sql(within)) == bag([(40, 2), (40, 3), (40, 4)])
    assert bag(shop.sql("SELECT count(*) FROM large TABLESAMPLE (100 PERCENT)")) == bag([(3,)])
    assert bag(shop.sql("TABLE named")) == bag([(2, 20), (3, 30), (4, 40)])
    assert bag(shop.sql("FROM large |> WHERE id = 4 |> SELECT amount")) == bag([(40,)])
    shop.sql("INSERT INTO sales VALUES (5, 'Oslo', 50)")
    assert bag(shop.sql("SELECT max(v) FROM named")) == bag([(50,)]), "as its tables are now"


def test_views_with_comments_at_the_end_and_with_clauses_of_their_own(shop: ev.Warehouse) -> None:
    shop.create_view("tail", "WITH x AS (SELECT id FROM sales) SELECT id FROM x -- not more")
    both = "WITH y AS (SELECT 1 AS one) SELECT count(*) FROM tail, y"
    assert bag(shop.sql(both)) == bag([(4,)])
    again = "WITH x AS (SELECT 1 AS one) SELECT count(*) FROM tail, x"
    assert bag(shop.sql(again)) == bag([(4,)]), "a WITH name inside hides the one outside"


def test_a_with_name_must_not_take_the_place_of_a_table(shop: ev.Warehouse) -> None:
    capture = "SELECT 0;\nWITH sales AS (SELECT 1 AS x)\nSELECT * FROM sales, named"
    with refused(SqlNotAllowed, "`large`", "`sales`", "line 3, column 22", "another name"):
        shop.run_script(capture)


def test_names_that_are_not_known_are_shown_where_the_user_wrote_them(
    shop: ev.Warehouse,
) -> None:
    with refused(UnknownName, "`nothing`", "line 2, column 21"):
        shop.sql("SELECT *\n FROM named, large, nothing")
    with refused(NotIncremental, "LIMIT", "line 2, column 3") as caught:
        shop.sql("CREATE VIEW d AS SELECT k FROM named LIMIT 2")
        shop.sql(
            "CREATE MATERIALIZED VIEW v (x) REFRESH POLICY INCREMENTAL AS SELECT k FROM large,\n  d"
        )
    assert caught.value.where.source_line == "  d", "where the view that holds it is named"


def test_what_is_read_is_not_dropped_replaced_or_renamed(shop: ev.Warehouse) -> None:
    for statement in (
        "DROP VIEW large",
        "CREATE OR REPLACE VIEW large AS SELECT 1 AS id",
        "ALTER VIEW large RENAME TO big",
    ):
        with refused(StillUsed, "named"):
            shop.sql(statement)
    shop.sql("CREATE OR REPLACE VIEW large AS SELECT id, amount FROM sales WHERE amount > 1")
    with refused(StillUsed, "large"):
        shop.sql("DROP TABLE sales")
    shop.sql("CREATE MATERIALIZED VIEW m AS SELECT k FROM named")
    for name in ("large", "named"):
        with refused(StillUsed, "m"):
            shop.sql(f"DROP VIEW {name}")
    shop.run_script("DROP MATERIALIZED VIEW m; ALTER VIEW named RENAME TO two")
    shop.sql("CREATE OR REPLACE VIEW two AS SELECT city FROM sales WHERE id = 3")
    assert bag(shop.sql("FROM two")) == bag([("Rome",)])
    shop.run_script("DROP VIEW two; DROP VIEW IF EXISTS two; DROP VIEW large; DROP TABLE sales")


def test_a_view_does_not_read_itself(shop: ev.Warehouse) -> None:
    with refused(UnknownName, "cannot read itself", "line 1, column 35"):
        shop.sql("CREATE VIEW loop AS SELECT 1 FROM loop")
    shop.run_script(
        "CREATE MATERIALIZED VIEW m AS SELECT k FROM named; CREATE VIEW above AS SELECT k FROM m"
    )
    with refused(SqlNotAllowed, "would read itself"):
        shop.sql("CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT k FROM above")
    assert bag(shop.sql("FROM above")) == bag([(2,), (3,), (4,)])


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("CREATE VIEW sales AS SELECT 1 AS x", NameTaken),
        ("CREATE OR REPLACE VIEW sales AS SELECT 1 AS x", NameTaken),
        ("CREATE VIEW large AS SELECT 1 AS x", NameTaken),
        ("CREATE VIEW v AS SELECT id, id FROM sales", InvalidName),
        ("CREATE VIEW v AS SELECT 1 AS __ev_w", InvalidName),
        ("CREATE VIEW v (a, b) AS SELECT id FROM sales", SqlInvalid),
        ("CREATE VIEW v AS SELECT nope FROM large", SqlInvalid),
        ("CREATE VIEW v AS SELECT * FROM sales VERSION AS OF 0", SqlNotAllowed),
        ("CREATE VIEW v AS SELECT * FROM passing", SqlNotAllowed),
        ("CREATE VIEW v AS SELECT id FROM global_temp.everywhere", SqlNotAllowed),
    ],
)
def test_definitions_that_are_refused(
    shop: ev.Warehouse, statement: str, kind: type[ev.EverviewError]
) -> None:
    shop.spark.range(2).createOrReplaceTempView("passing")
    shop.spark.range(3).createOrReplaceGlobalTempView("everywhere")
    with refused(kind):
        shop.sql(statement)
    names = [r["name"] for r in shop.sql("SHOW VIEWS").collect()]
    assert names == ["large", "named"]
    assert bag(shop.sql("SELECT count(*) FROM passing, global_temp.everywhere")) == bag([(6,)])


def test_a_materialized_view_over_views_is_incremental_and_exact(shop: ev.Warehouse) -> None:
    shop.run_script(
        """
        CREATE TABLE stores (city STRING, land STRING);
        INSERT INTO stores VALUES ('Bern', 'CH'), ('Rome', 'IT');
        CREATE VIEW located AS
          SELECT s.id, s.amount, t.land FROM sales s JOIN stores t USING (city);
        CREATE MATERIALIZED VIEW rows_of REFRESH POLICY INCREMENTAL STRICT AS
          SELECT l.land, n.v FROM located AS l JOIN named AS n ON l.id = n.k;
        CREATE MATERIALIZED VIEW by_land REFRESH POLICY INCREMENTAL STRICT AS
          SELECT land, count(*) AS n, sum(amount) AS total FROM located GROUP BY land;
        """
    )
    changes = (
        "INSERT INTO sales VALUES (5, 'Rome', 50), (6, 'Oslo', 60), (5, 'Rome', 50)",
        "UPDATE sales SET amount = 5 WHERE id = 3",
        "INSERT INTO stores VALUES ('Oslo', 'NO'); DELETE FROM sales WHERE id = 2",
        "MERGE INTO stores USING (SELECT 'Rome' AS city) s ON stores.city = s.city "
        "WHEN MATCHED THEN UPDATE SET land = 'Italy'",
    )
    for change in changes:
        shop.run_script(change)
        assert all(r.strategy.startswith("incremental") for r in shop.refresh()), change
        assert_exact(
            shop, "rows_of", "SELECT l.land, n.v FROM located AS l JOIN named AS n ON l.id = n.k"
        )
    assert all(r["ok"] for r in shop.sql("VERIFY MATERIALIZED VIEWS").collect())


def test_show_and_describe(shop: ev.Warehouse) -> None:
    listed = [tuple(r) for r in shop.sql("SHOW VIEWS").collect()]
    assert listed == [("large", "view", ""), ("named", "view", "two columns")]
    assert [r["name"] for r in shop.sql("SHOW VIEWS LIKE 'n*'").collect()] == ["named"]
    described = [tuple(r) for r in shop.sql("DESCRIBE VIEW EXTENDED named").collect()]
    assert described[:2] == [("k", "bigint", "the id"), ("v", "bigint", None)]
    details = {r[0]: r[1] for r in described[4:]}
    assert (details["Kind"], details["Comment"]) == ("view", "two columns")
    assert "SELECT * FROM large" in details["Query"]
    (said,) = shop.sql("SHOW CREATE VIEW named").collect()[0]
    assert said == (
        "CREATE VIEW `named` (`k` COMMENT 'the id', `v`)\nCOMMENT 'two columns' AS\n"
        "SELECT * FROM large"
    )
    shop.sql("ALTER VIEW named UNSET COMMENT")
    assert shop.sql("SHOW VIEWS LIKE 'named'").collect()[0]["comment"] == ""
    assert shop.views() == []
