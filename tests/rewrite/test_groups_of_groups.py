"""Groups that are grouped again become groups of rows, where that is the same; that rows stay is
tested by the laws.
"""

from __future__ import annotations

import pytest

from everview.aggregates.one_row import OfOneRow, of_one_row
from everview.algebra.calls import AggregateCall
from everview.algebra.relations import Aggregate, Distinct, Project, Rel, Scan
from everview.algebra.scalars import Case, Cast, IsNull, Or, Ref, Scalar, integer
from everview.algebra.walk import walk_plan
from everview.facts.schema import Field, Schema
from everview.optimize.passes import When, improved
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.improve import simplified

SALES = {"id": "long", "store": "long", "item": "long", "price": "decimal(10,2)", "tax": "double"}
MAP = '{"type":"map","keyType":"string","valueType":"long","valueContainsNull":true}'
TABLES = {
    "sales": Schema(tuple(Field(n, t) for n, t in SALES.items())),
    "stores": Schema((Field("store", "long"), Field("city", "string"), Field("size", "double"))),
    "marked": Schema((Field("marks", MAP),)),
    "most": Schema((Field("store", "long"), Field("price", "decimal(28,2)"))),
    "wide": Schema((Field("store", "long"), Field("price", "decimal(30,2)"))),
}
TOTALS = "(SELECT store, item, sum(price) AS total, count(*) AS n FROM sales GROUP BY store, item)"
CITIES = f"FROM {TOTALS} JOIN stores USING (store)"


def groups(sql: str) -> int:
    """How many groupings are left of a definition."""
    return sum(isinstance(r, Aggregate | Distinct) for r in walk_plan(simple(sql)))


def simple(sql: str) -> Rel:
    found = bind(parse_query(sql), TABLES)
    assert isinstance(found, Lowered)
    rel = improved(When.BOUND, found.rel).plan
    scans = [r for r in walk_plan(rel) if isinstance(r, Scan)]
    return simplified(rel, {c.id: TABLES[s.table][c.name].type for s in scans for c in s.columns})


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT store, sum(total) AS t, sum(n) AS n FROM {TOTALS} GROUP BY store",
        f"SELECT city, sum(total) AS t {CITIES} GROUP BY city",
        f"SELECT city, sum(total) AS t, max(item) AS i {CITIES} WHERE item > 3 GROUP BY city",
        f"SELECT sum(n) AS n FROM {TOTALS}",
        f"SELECT DISTINCT city {CITIES}",
        f"SELECT city, count(DISTINCT item) AS n {CITIES} GROUP BY city",
        "SELECT city, max(m) AS m FROM stores LEFT JOIN (SELECT store, max(price) AS m FROM sales"
        " GROUP BY store) USING (store) GROUP BY city",
        "SELECT sum(n) AS n FROM (SELECT store, count(price) AS n FROM sales GROUP BY store"
        " UNION ALL SELECT store, 1 FROM stores)",
        "SELECT store FROM sales UNION SELECT store FROM stores UNION SELECT item FROM sales",
        "SELECT min(price) AS p FROM (SELECT DISTINCT price, store FROM sales)",
        "SELECT item, min(m) AS m, max(n) AS n FROM (SELECT store, item, min(price) AS m,"
        " max(price) AS n FROM sales GROUP BY store, item) GROUP BY item",
        "SELECT sum(p) AS p FROM (SELECT store, sum(price) AS p FROM most GROUP BY store)",
        "SELECT item, sum(t) AS t FROM (SELECT store, item, sum(tax) AS t FROM sales"
        " GROUP BY store, item) GROUP BY item",
        "SELECT city, sum(s.total) AS t FROM stores JOIN"
        f" (SELECT store, sum(total) AS total FROM {TOTALS} GROUP BY store) s USING (store)"
        " GROUP BY city",
        f"SELECT store, sum(total) AS t FROM {TOTALS} WHERE store IN (SELECT store FROM stores)"
        " GROUP BY store",
        "SELECT store, sum(price) AS p FROM sales s WHERE EXISTS (SELECT 1 FROM"
        " (SELECT DISTINCT store FROM stores) t WHERE t.store = s.store) GROUP BY store",
        "SELECT store, sum(price) AS p FROM sales s WHERE NOT EXISTS (SELECT 1 FROM"
        " (SELECT DISTINCT store FROM stores) t WHERE t.store = s.store) GROUP BY store",
    ],
)
def test_one_grouping_is_left(sql: str) -> None:
    assert groups(sql) == 1


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT city, count(*) AS n {CITIES} GROUP BY city",  # of groups
        f"SELECT city, avg(total) AS t {CITIES} GROUP BY city",
        f"SELECT city, max(total) AS t {CITIES} GROUP BY city",
        f"SELECT city, sum(item) AS i {CITIES} GROUP BY city",  # of each group once
        f"SELECT city, sum(item + 1) AS i {CITIES} GROUP BY city",
        f"SELECT store, count(*) AS n FROM {TOTALS} WHERE store IN (SELECT store FROM stores)"
        " GROUP BY store",
        "SELECT store, max(m) AS m FROM (SELECT store, item, min(price) AS m FROM sales"
        " GROUP BY store, item) GROUP BY store",
        f"SELECT city, sum(size) AS i, sum(n) AS n {CITIES} GROUP BY city",  # of each store
        f"SELECT city, sum(total) AS t {CITIES} WHERE n > 1 GROUP BY city",
        f"SELECT city, sum(total * 2) AS t {CITIES} GROUP BY city",
        f"SELECT n, sum(total) AS t FROM {TOTALS} GROUP BY n",
        "SELECT sum(n) AS n FROM (SELECT count(*) AS n FROM sales)",  # one row over nothing
        "SELECT sum(n) AS n FROM (SELECT store, sum(DISTINCT price) AS n FROM sales GROUP BY 1)",
        "SELECT sum(p) AS p FROM (SELECT store, sum(price) AS p FROM wide GROUP BY store)",
        "SELECT max(tax) AS t, sum(n) AS n FROM"
        " (SELECT tax, count(*) AS n FROM sales GROUP BY tax)",  # 0.0 and -0.0
        "SELECT sum(price) AS p FROM (SELECT DISTINCT price, store FROM sales)",
        "SELECT count(*) AS n, min(price) AS p FROM (SELECT DISTINCT price, store FROM sales)",
        "SELECT stddev(t) AS s FROM (SELECT store, sum(tax) AS t FROM sales GROUP BY store)",
        "SELECT sum(a.price) AS t, sum(b.n) AS n FROM sales a CROSS JOIN"
        " (SELECT store, count(*) AS n FROM stores GROUP BY store) b",
    ],
)
def test_both_groupings_stay(sql: str) -> None:
    assert groups(sql) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT store, item FROM sales",
        "SELECT store FROM sales UNION SELECT store FROM stores",
        "SELECT store + 1 AS next FROM (SELECT DISTINCT store, item FROM sales)",
        "SELECT store, count(*) AS n FROM sales GROUP BY store",
    ],
)
def test_the_root_is_one_of_groups(sql: str) -> None:
    rel = simple(sql)
    assert isinstance(rel, Project)
    assert isinstance(rel.input, Aggregate)


def test_distinct_rows_that_cannot_be_keys_stay() -> None:
    rel = simple("SELECT DISTINCT marks FROM marked")
    assert not any(isinstance(r, Aggregate) for r in walk_plan(rel))


def test_a_root_without_groups_stays() -> None:
    assert not any(isinstance(r, Aggregate) for r in walk_plan(simple("SELECT store FROM sales")))


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN"])
def test_the_one_row_of_an_aggregate_without_keys_is_no_group_of_another_key(kind: str) -> None:
    one = "(SELECT store AS s FROM stores WHERE store = 5 GROUP BY store)"
    rel = simple(f"SELECT n, s FROM (SELECT count(*) AS n FROM sales) {kind} {one} ON TRUE")
    of_all = [r for r in walk_plan(rel) if isinstance(r, Aggregate) and not r.keys]
    assert len(of_all) == 1  # of no sales it has a row, as a group by the store would not


ONE, NONE = integer(1), integer(0)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (AggregateCall("count", ()), ONE),
        (AggregateCall("count", (1,)), Case(((IsNull(Ref(1)), NONE),), ONE)),
        (
            AggregateCall("count", (1, 2)),
            Case(((Or((IsNull(Ref(1)), IsNull(Ref(2)))), NONE),), ONE),
        ),
        (AggregateCall("sum", (1,)), Ref(1)),
    ],
)
def test_a_row_counts_once_where_nothing_is_missing(call: AggregateCall, value: Scalar) -> None:
    assert of_one_row(call, {1: "integer", 2: "string"}) == OfOneRow(
        Cast(value, "long"), frozenset({"sum"})
    )
