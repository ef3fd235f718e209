"""Queries of a small shop, and whether the code of today maintains them incrementally."""

from __future__ import annotations

from everview.algebra.walk import walk_plan
from everview.facts.schema import Field, Schema
from everview.plan.maintained import unmaintained
from everview.plan.shape import FullOnly, Shape, full_only, shape_of
from everview.sql.bind import Lowered, NotLowered, bind
from everview.sql.parse import parse_query
from everview.views.status import stored_as

TABLES = {
    "sales": Schema(
        (
            Field("sale_id", "long"),
            Field("store_id", "long"),
            Field("day", "date"),
            Field("amount", "long"),
        )
    ),
    "old_sales": Schema((Field("sale_id", "long"), Field("amount", "long"))),
    "stores": Schema((Field("store_id", "long"), Field("city", "string"))),
}

# The page sorts them by itself: what is learnt moves from one table to the other.
QUERIES = (
    "SELECT sale_id, amount * 2 AS twice FROM sales WHERE amount > 100",
    "SELECT sale_id, city FROM sales JOIN stores USING (store_id)",
    "SELECT a.sale_id FROM sales a JOIN sales b ON a.amount < b.amount AND a.day = b.day",
    "SELECT city, day FROM stores CROSS JOIN sales",
    "SELECT sale_id FROM sales UNION ALL SELECT sale_id FROM old_sales",
    "WITH big AS (SELECT * FROM sales WHERE amount > 100) SELECT sale_id FROM big",
    "SELECT x.city FROM (SELECT city, store_id FROM stores) AS x WHERE x.store_id > 7",
    "SELECT city, count(*), sum(amount) FROM sales JOIN stores USING (store_id) GROUP BY city",
    "SELECT day, avg(amount), min(amount), max(amount) FROM sales GROUP BY day",
    "SELECT day, count(*) FILTER (WHERE amount > 100) AS big FROM sales GROUP BY day",
    "SELECT count(*) AS n FROM sales",
    "SELECT DISTINCT city FROM stores",
    "SELECT sale_id FROM sales UNION SELECT sale_id FROM old_sales",
    "SELECT sale_id FROM sales EXCEPT SELECT sale_id FROM old_sales",
    "SELECT sale_id FROM sales INTERSECT SELECT sale_id FROM old_sales",
    "SELECT city, sale_id FROM stores LEFT JOIN sales USING (store_id)",
    "SELECT city FROM stores LEFT SEMI JOIN sales USING (store_id)",
    "SELECT city FROM stores LEFT ANTI JOIN sales USING (store_id)",
    "SELECT city FROM stores WHERE store_id IN (SELECT store_id FROM sales)",
    "SELECT city FROM stores s WHERE EXISTS (SELECT 1 FROM sales WHERE store_id = s.store_id)",
    "SELECT sale_id, row_number() OVER (ORDER BY amount) AS place FROM sales",
    "SELECT day, count(*) AS n FROM sales GROUP BY day HAVING count(*) > 100",
    "SELECT day, sum(amount) AS total FROM sales GROUP BY day ORDER BY total DESC LIMIT 10",
    "SELECT day, count(DISTINCT store_id) AS stores FROM sales GROUP BY day",
    "SELECT day, stddev(amount) AS spread FROM sales GROUP BY day",
    "SELECT day, store_id, sum(amount) AS total FROM sales GROUP BY ROLLUP (day, store_id)",
    "SELECT max(n) AS most FROM (SELECT count(*) AS n FROM sales GROUP BY day)",
    "SELECT sale_id FROM sales WHERE day = current_date()",
    "SELECT sale_id, e FROM sales LATERAL VIEW explode(array(1, 2)) AS e",
)


def shape(sql: str) -> Shape:
    """How the view of a query would be kept; of types only what is comparable matters here."""
    found = bind(parse_query(sql), TABLES, share=False)
    if isinstance(found, NotLowered):
        return full_only(found.reason, found.place, Schema(()))
    assert isinstance(found, Lowered)
    rel = found.rel
    refused = unmaintained(rel)
    if refused is not None:
        place = found.place(refused.operator, refused.function)
        return full_only(refused.reason, place, Schema(()))
    types = {c.id: "long" for r in walk_plan(rel) for c in r.columns}
    return shape_of(rel, types, Schema(tuple(Field(c.name, types[c.id]) for c in rel.columns)))


def incremental() -> list[tuple[str, str]]:
    """The queries that are maintained by what changed, each with how its rows are stored."""
    found = [(sql, shape(sql)) for sql in QUERIES]
    return [(sql, stored_as(s)) for sql, s in found if not isinstance(s, FullOnly)]


def full() -> list[tuple[str, str]]:
    """The queries that are recomputed, each with the reason."""
    found = [(sql, shape(sql)) for sql in QUERIES]
    return [(sql, s.reason) for sql, s in found if isinstance(s, FullOnly)]
