"""The worked examples of seed 000: sums over sums, outer joins, change tables applied."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from everview.algebra.relations import At
from tests.seeds.kept_groups import Kept, kept
from tests.seeds.worked import Example, Table, applied, changes

# Example 1, with sales that add up to the groups of example 3. An item may have two categories.
STORES = Table("store city state", (("s1", "Oslo", "N"), ("s2", "Oslo", "N"), ("s3", "Bern", "C")))
ITEMS = Table("item category", (("i1", "C1"), ("i2", "C1"), ("i2", "C2")))
SALES = Table(
    "store item day price",
    (
        ("s1", "i1", 950102, 300),
        ("s2", "i1", 950103, 180),
        ("s1", "i2", 950104, 110),
        ("s3", "i2", 950105, 100),
        ("s3", "i2", 941224, 999),  # before 1/1/95
    ),
)
MORE_SALES = (
    ("s1", "i1", 950201, 50),
    ("s3", "i2", 950201, 70),
    ("s3", "i2", 950202, 50),
    ("s3", "i2", 940101, 999),
)
SOLD = Example({"sales": replace(SALES, inserted=MORE_SALES), "stores": STORES, "items": ITEMS})

SI_SALES = """(SELECT store, item, sum(price) AS total, count(*) AS n FROM {sales}
    WHERE day > 950101 GROUP BY store, item)"""
CITY = (
    "SELECT city, sum(total) AS t, sum(n) AS n FROM {si} AS v JOIN stores USING (store)"
    " GROUP BY city"
)
CATEGORY = (
    "SELECT category, sum(total) AS t, sum(n) AS n FROM {si} AS v JOIN items USING (item)"
    " GROUP BY category"
)
VIRTUAL = SI_SALES.format(sales="sales")


def refreshed(example: Example, sql: str) -> Kept:
    found = kept(example, sql)
    assert found.refreshed == found.new
    return found


def test_example_1_and_3_insertions_read_no_sale_beside_them() -> None:
    found = refreshed(SOLD, CATEGORY.format(si=VIRTUAL))
    assert found.old == bag(("C1", 690, 4), ("C2", 210, 2))
    assert found.new == bag(("C1", 860, 7), ("C2", 330, 4))
    assert found.read == {"items"}
    found = refreshed(SOLD, CITY.format(si=VIRTUAL))
    assert found.new == bag(("Oslo", 640, 4), ("Bern", 220, 3))
    assert found.read == {"stores"}


def test_example_3_the_change_that_deletes_a_group() -> None:
    sold = replace(SALES, deleted=(SALES.rows[2], SALES.rows[3]))
    example = Example({"sales": sold, "stores": STORES, "items": ITEMS})
    found = refreshed(example, CATEGORY.format(si=VIRTUAL))
    assert found.new == bag(("C1", 480, 2))
    assert found.read == {"items"}


@pytest.mark.parametrize("sql", [CITY, CATEGORY], ids=["V2", "V3"])
def test_example_4_the_change_table_is_the_same_query_over_the_changes(sql: str) -> None:
    """□V2 = π(□V1 ⋈ stores), □V3 = π(□V1 ⋈ items): the groups of the changes, and of all that is
    stored of them, the count and the sums.
    """
    sales = replace(SALES, inserted=MORE_SALES, deleted=SALES.rows[1:3])
    signed = [(*row, 1) for row in sales.inserted]
    signed += [(*row[:3], -row[3], -1) for row in sales.deleted]
    tables = {"sales": sales, "stores": STORES, "items": ITEMS}
    example = Example({**tables, "signed": Table("store item day price one", tuple(signed))})
    si = SI_SALES.format(sales="signed").replace("count(*)", "sum(one)")
    printed = example.rows(sql.format(si=si), At.NEW)
    found = refreshed(example, sql.format(si=VIRTUAL))
    assert {line[:2] for line in found.lines} == {(row[0], row[2]) for row in printed}
    assert "sales" not in found.read
    totals = {row[0]: row[1:] for row in found.old}
    for group, total, number in printed:
        old_total, old_number = totals.get(group, (0, 0))
        assert found.new[group, old_total + total, old_number + number] == 1


# Example 2: outer joins over outer joins.

FULL_INFO = """SELECT v.store, v.price, t.store AS s, t.state, i.state AS st, i.area
    FROM sales v FULL JOIN stores t ON v.store = t.store
    FULL JOIN info i ON t.state = i.state"""
INFO = Table("state area", (("N", 323), ("F", 338)))
STORED = replace(STORES, rows=(*STORES.rows, ("s4", "Lyon", "F"), ("s5", None, None)))


@pytest.mark.parametrize(
    "sales",
    [
        replace(SALES, inserted=(("s4", "i1", 950301, 5), ("s9", "i1", 950301, 6))),
        replace(SALES, inserted=(("s5", "i1", 950301, 5), (None, "i1", 950301, 6))),
        replace(SALES, deleted=SALES.rows[:2]),  # all sales of two stores
        replace(SALES, deleted=SALES.rows[:1], inserted=(("s1", "i9", 950301, 7),)),
    ],
    ids=["inserted", "inserted with NULL", "deleted", "both"],
)
def test_example_2_a_full_join_over_a_full_join(sales: Table) -> None:
    example = Example({"sales": sales, "stores": STORED, "info": INFO})
    found = example.maintained(FULL_INFO)
    assert found.refreshed == found.new
    assert found.changes


def test_example_5_a_padded_row_that_gets_its_partner_is_counted_once() -> None:
    """As printed Num = count(*) is added to the stored count: (6, 1, 10, 5, 2)."""
    example = Example(
        {
            "r": Table("a b c", ((6, 1, 10), (3, 1, 10))),
            "s": Table("d e", (), inserted=((10, 5),)),
            "t": Table("a b l", ((6, 1, "l"), (3, 1, "m"))),
        }
    )
    left_join = "r LEFT JOIN {s} ON r.c = x.d"
    view = f"""SELECT r.a, r.b, sum(x.d) AS f, sum(x.e) AS h, count(*) AS num
        FROM {left_join} JOIN t ON r.a = t.a AND r.b = t.b WHERE r.a > 5 GROUP BY r.a, r.b"""
    found = refreshed(example, view.format(s="s x"))
    assert found.old == bag((6, 1, None, None, 1))
    assert found.new == bag((6, 1, 10, 5, 1))
    printed = example.rows(view.format(s="s_inserted x").replace("LEFT JOIN", "JOIN"), At.NEW)
    assert printed == bag((6, 1, 10, 5, 1))  # □V, whose count is added to that of the padded row
    ((*_, before),), ((*_, more),) = found.old, printed
    assert before + more == 2


def test_several_changes_of_one_table_and_the_reverse_of_them() -> None:
    """What came and went leaves the stored groups as they were, hidden values included."""
    there = refreshed(SOLD, CITY.format(si=VIRTUAL))
    back = Table(SALES.columns, SOLD.tables["sales"].new, deleted=MORE_SALES)
    again = Example({"sales": back, "stores": STORES, "items": ITEMS})
    assert refreshed(again, CITY.format(si=VIRTUAL)).new == there.old
    assert applied(there.old, changes()) == there.old


def bag(*rows: tuple[object, ...]) -> Counter[tuple[object, ...]]:
    return Counter(rows)
