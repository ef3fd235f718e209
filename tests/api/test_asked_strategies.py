"""One view refreshed in every way that can be asked for, by turns, with changes of all kinds: each
leaves it right, its hidden values included.
"""

from __future__ import annotations

from random import Random

import pytest

import everview as ev
from everview.errors import StrategyNotApplicable
from everview.facts.methods import Variant, Way
from everview.facts.receipts import Receipt
from tests.api.bags import assert_exact

GROUPS = """SELECT k, count(*) AS n, sum(v) AS total, min(v) AS least, max(v) AS most, avg(v) AS a
    FROM t GROUP BY k HAVING count(*) > 2"""
# After each other way comes one by change tables: only with the right hidden values is it right.
BY_TURNS = (
    "insert/delete", "change tables", "touched groups", "change tables",
    "full", "change tables",
)  # fmt: skip
DONE = {
    "change tables": (Way.INCREMENTAL, Variant.GROUPS),
    "insert/delete": (Way.INCREMENTAL, Variant.ROWS),
    "touched groups": (Way.INCREMENTAL, Variant.PARTITIONS),
    "full": (Way.FULL, None),
}


def change(wh: ev.Warehouse, rng: Random) -> None:
    """Rows that come, go and change, of groups with many rows and with few, which so vanish and
    come back; NULL keys and values among them.
    """
    few = ", ".join(str(rng.randrange(8)) for _ in range(2))
    wh.sql(f"DELETE FROM t WHERE k IN ({few}) OR (k IS NULL AND v < {rng.randrange(9)})")
    wh.sql(f"UPDATE t SET v = {rng.randrange(-5, 30)} WHERE k = {rng.randrange(8, 12)} AND v > 20")
    rows = [(rng.choice((None, *range(10))), rng.choice((None, *range(30)))) for _ in range(9)]
    values = ", ".join(f"({k}, {v})" for k, v in rows).replace("None", "NULL")
    wh.sql(f"INSERT INTO t VALUES {values}")


def rows_read(receipt: Receipt) -> int:
    return sum(read.rows or 0 for read in receipt.read.values())


@pytest.mark.slow
def test_every_way_leaves_a_view_right_for_the_next(wh: ev.Warehouse) -> None:
    rng = Random(7)
    wh.sql("CREATE TABLE t (k BIGINT, v BIGINT)")
    many = "SELECT id % 12 AS k, id % 29 AS v FROM range(3000) WHERE id % 12 > 7"
    wh.sql(f"INSERT INTO t {many}")
    view = wh.create_materialized_view("v", GROUPS)
    read: dict[str, list[int]] = {name: [] for name in BY_TURNS}
    for strategy in BY_TURNS:
        change(wh, rng)
        told = view.explain(strategy=strategy)
        receipt = view.refresh(strategy=strategy)
        assert told.reason == receipt.reason
        assert (receipt.method.way, receipt.method.variant) == DONE[strategy]
        assert "asked for" in receipt.reason
        assert receipt.rows == len(view), strategy
        assert_exact(wh, "v", GROUPS)
        read[strategy].append(rows_read(receipt))
    assert view.verify().ok
    least = min(read.pop("change tables"))  # where no group lost its extreme
    assert all(min(rows) > least for rows in read.values()), read


def test_statements_ask_for_strategies(shop: ev.Warehouse) -> None:
    shop.sql("CREATE MATERIALIZED VIEW v AS SELECT id, amount FROM sales WHERE amount > 15")
    shop.sql("INSERT INTO sales VALUES (9, 'Oslo', 90)")
    with pytest.raises(StrategyNotApplicable) as raised:
        shop.sql("REFRESH MATERIALIZED VIEW v STRATEGY 'change tables'")
    assert raised.value.remedy == "These apply: auto, insert/delete, full."
    with pytest.raises(StrategyNotApplicable):
        shop.sql("EXPLAIN MATERIALIZED VIEW v STRATEGY 'touched groups'")
    (row,) = shop.sql("REFRESH MATERIALIZED VIEW v STRATEGY 'insert/delete'").collect()
    assert "insert/delete was asked for" in str(row)
    assert_exact(shop, "v", "SELECT id, amount FROM sales WHERE amount > 15")
