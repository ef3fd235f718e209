"""What is read besides changes, read off the plans of those changes."""

from __future__ import annotations

import pytest

from everview.algebra.relations import Rel, Scan
from everview.algebra.walk import tables, walk_plan
from everview.choose.changes import changes_of, rows_below
from everview.choose.self_maintenance import self_maintenance
from everview.facts.self_maintenance import (
    self_maintained_text,
    self_maintenance_rows,
)
from everview.optimize.passes import When, improved
from everview.shape.shape import FullOnly
from tests.choose.shapes import shape as shape_of_floats
from tests.views.shop import CITIES, shape

TOTALS = "(SELECT store_id, sum(amount) AS total FROM sales GROUP BY store_id)"
VIEWS = {
    "groups over a join": """
        SELECT city, count(*) AS n, sum(amount) AS total
        FROM sales JOIN stores USING (store_id) GROUP BY city""",
    "groups of groups": f"""
        SELECT city, sum(total) AS total
        FROM {TOTALS} JOIN stores USING (store_id) GROUP BY city""",
    "distinct": "SELECT DISTINCT store_id, item_id FROM sales",
    "having": f"SELECT * FROM {TOTALS} WHERE total > 100",
    "groups joined": f"""
        SELECT * FROM {TOTALS} FULL JOIN
        (SELECT store_id, count(*) AS n FROM stores GROUP BY store_id) USING (store_id)""",
    "extreme": "SELECT store_id, max(amount) AS most FROM sales GROUP BY store_id",
    "recomputed": "SELECT store_id, collect_list(amount) AS all FROM sales GROUP BY store_id",
    "semi": """
        SELECT * FROM sales
        WHERE EXISTS (SELECT 1 FROM stores WHERE stores.store_id = sales.store_id)""",
    "left": "SELECT * FROM sales LEFT JOIN stores USING (store_id)",
    "union": "SELECT store_id FROM sales UNION ALL SELECT store_id FROM stores",
    "self-join": "SELECT x.amount FROM sales AS x JOIN sales AS y ON x.sale_id = y.item_id",
    "inner group": f"SELECT total, count(*) AS n FROM {TOTALS} GROUP BY total",
    "rows by key": """
        SELECT store_id, amount, row_number() OVER (PARTITION BY store_id ORDER BY amount) AS n
        FROM sales""",
    "full": CITIES,
}  # fmt: skip
LOST = "sales if a least or greatest value is deleted"
ALL = "stores, recomputed in full"
# Of each view, what is read besides rows inserted into, deleted from and updated in a source.
EXPECTED = {
    "groups over a join": {"sales": ("stores",) * 3, "stores": ("sales",) * 3},
    "groups of groups": {"sales": ("stores",) * 3, "stores": ("sales",) * 3},
    "distinct": {"sales": ("none",) * 3},
    "having": {"sales": ("none",) * 3},
    "groups joined": {"sales": ("none",) * 3, "stores": ("none",) * 3},
    "extreme": {"sales": ("none", LOST, LOST)},
    "recomputed": {"sales": ("sales",) * 3},
    "semi": {"sales": ("stores",) * 3, "stores": ("sales, stores",) * 3},
    "left": {"sales": ("stores",) * 3, "stores": ("sales, stores",) * 3},
    "union": {"sales": ("none",) * 3, "stores": ("none",) * 3},
    "self-join": {"sales": ("sales",) * 3},
    "inner group": {"sales": ("sales",) * 3},
    "rows by key": {"sales": ("sales",) * 3},
    "full": {"stores": (ALL,) * 3},
}


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_read_besides_changes(view: str) -> None:
    found = self_maintenance(shape(VIEWS[view]), dict.fromkeys(EXPECTED[view]))
    assert {s: tuple(cells) for s, *cells in self_maintenance_rows(found)[1:]} == EXPECTED[view]


def test_a_float_that_was_summed_has_its_group_computed_anew() -> None:
    averages = shape_of_floats("SELECT b, avg(a) AS r FROM t GROUP BY b", "double")
    found = self_maintenance(averages, {"t": None})
    assert [str(one) for one in found] == [
        "none",
        "t if a float that was summed is deleted",
        "t if a float that was summed is deleted",
    ]
    assert [one.is_self_maintained for one in found] == [True, False, False]


def test_a_large_table_that_is_tested_is_asked_of_the_stored_rows() -> None:
    """Of an outer join that is stored as rows, and tells by them which had partners."""
    sql = "SELECT * FROM stores LEFT JOIN sales USING (store_id)"
    few, many = {"stores": 9, "sales": 1_000}, {"stores": 1_000, "sales": 9}
    large, small = (self_maintenance(shape(sql), rows) for rows in (few, many))
    assert {str(one) for one in large if one.source == "sales"} == {"stores"}
    assert {str(one) for one in small if one.source == "sales"} == {"stores, sales"}


def test_a_source_that_is_not_read_changes_nothing() -> None:
    found = self_maintenance(shape(VIEWS["extreme"]), {"sales": None, "stores": None})
    assert all(one.is_self_maintained for one in found if one.source == "stores")


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("distinct", "self-maintainable for all changes of sales"),
        ("extreme", "self-maintainable for insertions into sales"),
        ("semi", "self-maintainable for no change"),
        ("full", ""),
    ],
)
def test_it_is_told_on_one_line(view: str, said: str) -> None:
    found = self_maintenance(shape(VIEWS[view]), dict.fromkeys(EXPECTED[view]))
    assert self_maintained_text(found) == said


@pytest.mark.parametrize("view", VIEWS)
def test_passes_read_the_tables_that_the_plan_reads(view: str) -> None:
    """The lines are read off the plan before it is improved."""
    kind = shape(VIEWS[view])
    if isinstance(kind, FullOnly):
        return
    for source in tables(rows_below(kind)):
        plan = changes_of(kind, frozenset({source})).plan
        better = improved(When.CHANGES, plan).plan
        assert _scanned(better) == _scanned(plan)


def _scanned(plan: Rel) -> set[str]:
    return {leaf.table for leaf in walk_plan(plan) if isinstance(leaf, Scan)}
