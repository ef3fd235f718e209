"""SELECT over tables and views by their names."""

from __future__ import annotations

import pytest

import everview as ev
from everview.errors import EverviewError, InvalidArgument, SqlSyntax, UnknownName
from tests.api.bags import bag, refused
from tests.api.shop import BY_CITY, LARGE


@pytest.fixture
def shop(wh: ev.Warehouse, sales: ev.Table) -> ev.Warehouse:
    wh.create_materialized_view("by_city", BY_CITY)
    return wh


def test_tables_and_views_by_name(shop: ev.Warehouse) -> None:
    sql = """
        SELECT s.id, by_city.total, SALES.amount
        FROM sales AS s JOIN By_City USING (city) JOIN Sales ON sales.id = s.id
        WHERE s.amount > (SELECT avg(amount) FROM sales) - 10 ORDER BY s.id
    """
    assert [tuple(r) for r in shop.sql(sql).collect()] == [(2, 30, 20), (3, 60, 30), (4, 60, 30)]


def test_only_public_columns_are_seen(shop: ev.Warehouse) -> None:
    assert shop.sql("SELECT * FROM by_city").columns == ["city", "n", "total"]
    assert shop.view("by_city").to_df().columns == ["city", "n", "total"]
    with pytest.raises(Exception, match="__ev"):
        shop.sql("SELECT __ev FROM by_city")


def test_a_cte_hides_a_table_of_its_name(shop: ev.Warehouse) -> None:
    assert bag(shop.sql("WITH sales AS (SELECT 1 AS x) SELECT * FROM sales")) == bag([(1,)])
    within = "WITH sales AS (SELECT max(amount) AS x FROM sales) SELECT x FROM Sales"
    assert bag(shop.sql(within)) == bag([(50,)])
    inner = """
        SELECT (SELECT count(*) FROM sales) AS n, x
        FROM (WITH sales AS (SELECT 7 AS x) SELECT x FROM sales)
    """
    assert bag(shop.sql(inner)) == bag([(5, 7)])
    chain = "WITH a AS (SELECT id FROM sales), b AS (SELECT id FROM a) SELECT count(*) FROM a, b"
    assert bag(shop.sql(chain)) == bag([(25,)])


@pytest.mark.parametrize("rest", ["", " FROM sales WHERE id = 1"])
def test_braces_quotes_and_comments_are_text(shop: ev.Warehouse, rest: str) -> None:
    text = r"""SELECT '{x} {{y}} {0} % $a' AS a, 'it''s' AS b, "quo`ted" AS c,
        'a\'b' AS d, /* {z} */ '-- sales' AS `odd {name}`, 'from sales' AS e -- {sales}
    """
    row = shop.sql(text + rest).collect()[0].asDict()
    assert row["a"] == "{x} {{y}} {0} % $a"
    assert (row["c"], row["d"], row["odd {name}"]) == ("quo`ted", "a'b", "-- sales")
    assert row["e"] == "from sales"


def test_quoted_names_and_aliases(shop: ev.Warehouse) -> None:
    assert bag(shop.sql("SELECT count(*) FROM `sales` `s t` WHERE `s t`.id > 2")) == bag([(3,)])
    assert bag(shop.sql("SELECT `sales`.`id` FROM `sales` LIMIT 0")) == bag([])
    assert bag(shop.sql("SELECT t.a FROM sales AS t(a, b, c) WHERE c = 10")) == bag([(1,)])
    assert bag(shop.sql("SELECT count(*) FROM sales TABLESAMPLE (100 PERCENT)")) == bag([(5,)])


def test_what_spark_knows_may_be_used(shop: ev.Warehouse) -> None:
    sql = """
        SELECT city, sum(amount) OVER (PARTITION BY city) AS total FROM sales
        INTERSECT SELECT city, total FROM by_city WHERE total > 40
    """
    assert bag(shop.sql(sql)) == bag([("Rome", 60), (None, 50)])
    assert bag(shop.sql("SELECT * FROM VALUES (1), (2) AS t(x)")) == bag([(1,), (2,)])
    assert bag(shop.sql("SELECT id FROM range(2)")) == bag([(0,), (1,)])
    lateral = (
        "SELECT s.id, x FROM sales AS s LATERAL VIEW explode(array(amount)) t AS x WHERE id = 1"
    )
    assert bag(shop.sql(lateral)) == bag([(1, 10)])


def test_unknown_names_are_shown_in_their_place(shop: ev.Warehouse) -> None:
    with refused(UnknownName, "`orders`", "line 2, column 8", "sales", "by_city"):
        shop.sql("SELECT *\n  FROM orders")
    with refused(UnknownName, "`default.sales`"):
        shop.sql("SELECT * FROM default.sales")


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT 1; SELECT 2", SqlSyntax),
        ("", SqlSyntax),
        ("TRUNCATE TABLE sales", SqlSyntax),
        ("SELECT * FROM sales WHERE (", SqlSyntax),
        ("SELECT nothing FROM sales", EverviewError),
        (None, InvalidArgument),
    ],
)
def test_what_is_not_one_statement_is_refused(
    wh: ev.Warehouse, sql: str, kind: type[EverviewError]
) -> None:
    wh.create_table("sales", "id BIGINT")
    with refused(kind):
        wh.sql(sql)
    if not isinstance(sql, str):
        with refused(kind):
            wh.run_script(sql)


def test_a_frame_stays_at_the_version_it_was_made_at(shop: ev.Warehouse) -> None:
    frame = shop.sql("SELECT count(*) AS n FROM sales")
    view = shop.create_materialized_view("large", LARGE)
    rows = view.to_df()
    shop.table("sales").delete("amount >= 20")
    shop.refresh()
    assert bag(frame) == bag([(5,)])
    assert bag(rows).total() == 4
