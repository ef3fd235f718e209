"""The views that are measured, over the tables of TPC-H."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """A view: its query, and the share of a full recompute that a refresh may cost, by scale.

    The aims hold for a mixed change of 0.1 % of the lines, anywhere in the table.
    """

    sql: str
    aims: Mapping[int, float]  # scale factor to ratio


def _aims(one: float, ten: float) -> dict[int, float]:
    return {1: one, 10: ten}


_FIFTH = {1: 0.2}


VIEWS = {
    "by_customer": View(
        """
        SELECT c_custkey, c_name, count(*) AS n, sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
        GROUP BY c_custkey, c_name""",
        _aims(0.20, 0.05),
    ),
    "by_nation": View(
        """
        SELECT n_nationkey, n_name, count(*) AS n,
            sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
        JOIN nation ON c_nationkey = n_nationkey
        GROUP BY n_nationkey, n_name""",
        _aims(0.20, 0.05),
    ),
    "by_order": View(
        """
        SELECT o_orderkey, o_orderdate, count(*) AS n, sum(l_extendedprice) AS price
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        GROUP BY o_orderkey, o_orderdate""",
        _aims(0.25, 0.08),
    ),
    "lines": View(
        """
        SELECT l_orderkey, l_linenumber, l_quantity, l_extendedprice, o_orderdate, c_name
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        JOIN customer ON o_custkey = c_custkey""",
        _aims(0.20, 0.08),
    ),
    "outer": View(
        """
        SELECT o_orderkey, o_orderdate, l_linenumber, l_quantity
        FROM orders LEFT JOIN lineitem ON l_orderkey = o_orderkey AND l_quantity > 45""",
        _aims(0.35, 0.15),
    ),
    "semi": View(
        """
        SELECT o_orderkey, o_custkey, o_orderdate FROM orders
        WHERE EXISTS (
            SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_discount > 0.08)""",
        _aims(0.35, 0.15),
    ),
    "distinct": View("SELECT DISTINCT l_partkey, l_quantity FROM lineitem", _aims(0.4, 0.2)),
    "window": View(
        """
        SELECT l_orderkey, l_linenumber,
            rank() OVER (PARTITION BY l_orderkey ORDER BY l_extendedprice DESC) AS place
        FROM lineitem""",
        _aims(0.4, 0.2),
    ),
    "nested": View(
        """
        SELECT n, count(*) AS orders
        FROM (SELECT l_orderkey, count(*) AS n FROM lineitem GROUP BY l_orderkey) GROUP BY n""",
        _aims(0.4, 0.2),
    ),
    "shipments": View(
        """
        SELECT c_nationkey, count(*) AS shipments, sum(revenue) AS revenue, avg(revenue) AS mean
        FROM (
            SELECT l_orderkey, l_suppkey, sum(l_extendedprice * (1 - l_discount)) AS revenue
            FROM lineitem GROUP BY l_orderkey, l_suppkey)
        JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
        GROUP BY c_nationkey""",
        _FIFTH,
    ),
    "returned": View(
        """
        SELECT l_partkey, sold, back
        FROM (SELECT l_partkey, sum(l_quantity) AS sold FROM lineitem GROUP BY l_partkey)
        JOIN (
            SELECT l_partkey AS part, sum(l_quantity) AS back FROM lineitem
            WHERE l_returnflag = 'R' GROUP BY l_partkey) ON l_partkey = part""",
        _FIFTH,
    ),
    "large_orders": View(
        """
        SELECT l_orderkey, count(*) AS n, sum(l_quantity) AS quantity
        FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 200""",
        _FIFTH,
    ),
    "everything": View(
        """
        SELECT l_orderkey, l_linenumber, l_quantity, o_orderkey, o_orderdate, c_custkey, c_name,
            s_suppkey
        FROM lineitem FULL JOIN orders ON l_orderkey = o_orderkey
        FULL JOIN customer ON o_custkey = c_custkey FULL JOIN supplier ON l_suppkey = s_suppkey""",
        _FIFTH,
    ),
    "q1": View(
        """
        SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,
            sum(l_extendedprice) AS sum_base_price,
            sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
            sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
            avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price,
            avg(l_discount) AS avg_disc, count(*) AS count_order
        FROM lineitem WHERE l_shipdate <= DATE'1998-09-02'
        GROUP BY l_returnflag, l_linestatus""",
        {},
    ),
    "q3": View(
        """
        SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate,
            o_shippriority
        FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
        WHERE c_mktsegment = 'BUILDING' AND o_orderdate < DATE'1995-03-15'
            AND l_shipdate > DATE'1995-03-15'
        GROUP BY l_orderkey, o_orderdate, o_shippriority""",
        {},
    ),
    "q5": View(
        """
        SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
        JOIN supplier ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey
        JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
        WHERE r_name = 'ASIA' AND o_orderdate >= DATE'1994-01-01'
            AND o_orderdate < DATE'1995-01-01'
        GROUP BY n_name""",
        {},
    ),
    "q10": View(
        """
        SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal,
            n_name, c_address, c_phone, c_comment
        FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
        JOIN nation ON c_nationkey = n_nationkey
        WHERE o_orderdate >= DATE'1993-10-01' AND o_orderdate < DATE'1994-01-01'
            AND l_returnflag = 'R'
        GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment""",
        {},
    ),
    "q18": View(
        """
        SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS quantity
        FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON o_orderkey = l_orderkey
        WHERE o_orderkey IN (
            SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300)
        GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice""",
        {},
    ),
}
