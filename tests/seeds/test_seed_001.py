"""The worked examples of seed 001: deferred maintenance, and the state bug."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from everview.algebra.relations import At
from tests.seeds.retail import CUSTOMER, SALES, V
from tests.seeds.worked import Example, Table, changes

# Example 1.1


def test_example_1_1_sales_between_two_refreshes() -> None:
    """Sales to highly valued customers; the seed gives the view and no rows. Sales come in with
    copies, of which the view keeps each; one without quantity and one to another customer are not
    in it.
    """
    sold = ((1, 7, 2, 10), (1, 7, 2, 10), (2, 9, 3, 1), (1, 8, 0, 5), (3, 9, 1, 1))
    retail = Example({"customer": CUSTOMER, "sales": replace(SALES, inserted=sold)})
    view = retail.maintained(V)
    twice = ((1, "ann", "High", 7, 2), (1, "ann", "High", 7, 2))
    assert view.old == Counter([*twice, (3, "eve", "High", 7, 4)])
    assert view.changes == changes(inserted=[*twice, (3, "eve", "High", 9, 1)])
    assert view.refreshed == view.new


def test_example_1_1_customers_change_too() -> None:
    """A customer becomes highly valued, another no more, and one of two equal sales is undone."""
    customer = replace(
        CUSTOMER,
        deleted=((2, "bob", "y", "Low"), (3, "eve", "z", "High")),
        inserted=((2, "bob", "y", "High"), (3, "eve", "z", "Low")),
    )
    sales = replace(SALES, deleted=((1, 7, 2, 10),), inserted=((2, 9, 3, 1), (3, 8, 2, 5)))
    view = Example({"customer": customer, "sales": sales}).maintained(V)
    assert view.changes == changes(
        deleted=[(1, "ann", "High", 7, 2), (3, "eve", "High", 7, 4)],
        inserted=[(2, "bob", "High", 8, 1), (2, "bob", "High", 9, 3)],
    )
    assert view.refreshed == view.new


# Example 1.2: too many copies

U = "SELECT R.A FROM R, S WHERE R.B = S.B"
R = Table("A B", (("a1", "b1"),), inserted=(("a1", "b2"),))
S = Table("B C", (("b1", "c1"), ("b1", "c2"), ("b2", "c1")), inserted=(("b2", "c2"),))
PRE_UPDATE = """
    SELECT R.A FROM R, S_inserted S WHERE R.B = S.B
    UNION ALL SELECT R.A FROM R_inserted R, S WHERE R.B = S.B
    UNION ALL SELECT R.A FROM R_inserted R, S_inserted S WHERE R.B = S.B
"""
# DEL of figure 2 for a product, with what is inserted as what leads back to the past (section 4).
POST_UPDATE = """
    WITH R_past AS (SELECT * FROM R EXCEPT ALL SELECT * FROM R_inserted),
         S_past AS (SELECT * FROM S EXCEPT ALL SELECT * FROM S_inserted)
    SELECT R.A FROM R_inserted R, S_inserted S WHERE R.B = S.B
    UNION ALL SELECT R.A FROM R_inserted R, S_past S WHERE R.B = S.B
    UNION ALL SELECT R.A FROM R_past R, S_inserted S WHERE R.B = S.B
"""


def test_example_1_2_both_sides_of_a_join_change() -> None:
    view = Example({"R": R, "S": S}).maintained(U)
    assert view.old == Counter({("a1",): 2})
    assert view.changes == changes(inserted=[("a1",), ("a1",)])
    assert view.refreshed == view.new == Counter({("a1",): 4})


def test_example_1_2_the_state_bug_gives_four_copies_for_two() -> None:
    """The formula for the state before the update is right there, and wrong after it; the seed's
    own for the state after the update (4.1) is right.
    """
    example = Example({"R": R, "S": S})
    assert example.rows(PRE_UPDATE, At.OLD) == Counter({("a1",): 2})
    assert example.rows(PRE_UPDATE, At.NEW) == Counter({("a1",): 4})
    assert example.rows(POST_UPDATE, At.NEW) == example.maintained(U).changes


@pytest.mark.parametrize(
    "tables",
    [
        {"R": R, "S": replace(S, inserted=())},
        {"R": replace(R, inserted=()), "S": replace(S, inserted=(("b1", "c3"),))},
    ],
    ids=["R", "S"],
)
def test_remark_1_one_changed_table_has_no_state_bug(tables: dict[str, Table]) -> None:
    """The formula gives the same before and after an update of one table of the join."""
    example = Example(tables)
    view = example.maintained(U)
    assert view.changes == changes(inserted=[("a1",)])
    assert view.refreshed == view.new
    assert example.rows(PRE_UPDATE, At.OLD) == view.changes
    assert example.rows(PRE_UPDATE, At.NEW) == view.changes


def test_remark_1_a_self_join_has_the_state_bug_with_one_changed_table() -> None:
    self_join = "SELECT x.A FROM R x, R y WHERE x.B = y.B"
    pre_update = PRE_UPDATE.replace("S_inserted S", "R_inserted S").replace(", S ", ", R S ")
    example = Example({"R": replace(R, inserted=(("a2", "b1"),))})
    view = example.maintained(self_join)
    assert view.changes == changes(inserted=[("a1",), ("a2",), ("a2",)])
    assert view.refreshed == view.new
    assert example.rows(pre_update, At.OLD) == view.changes
    assert example.rows(pre_update, At.NEW) != view.changes


# Example 1.3: a row that should have gone

R3 = Table("x", (("a",), ("b",), ("c",)), deleted=(("b",),))
S3 = Table("x", (("c",), ("d",)), inserted=(("b",),))
MOVED = Example({"R": R3, "S": S3})


@pytest.mark.parametrize("minus", ["EXCEPT", "EXCEPT ALL"])
def test_example_1_3_a_row_moves_from_one_side_to_the_other(minus: str) -> None:
    view = MOVED.maintained(f"SELECT x FROM R {minus} SELECT x FROM S")
    assert view.old == Counter([("a",), ("b",)])
    assert view.changes == changes(deleted=[("b",)])
    assert view.refreshed == view.new == Counter([("a",)])


def test_example_1_3_the_state_bug_deletes_nothing() -> None:
    """The formula for the state before the update finds the row there, and nothing after it."""
    pre_update = """
        (SELECT x FROM R_deleted EXCEPT SELECT x FROM S)
        UNION (SELECT x FROM S_inserted INTERSECT SELECT x FROM R)
    """
    assert MOVED.rows(pre_update, At.OLD) == Counter([("b",)])
    assert MOVED.rows(pre_update, At.NEW) == Counter()


def test_example_1_3_as_bags_the_formula_deletes_the_row_twice() -> None:
    """The print says that it does not matter whether sets or bags are meant, which is wrong: with
    additive union the row is deleted twice, which monus forgives and a weight does not.
    """
    pre_update = """
        (SELECT x FROM R_deleted EXCEPT ALL SELECT x FROM S)
        UNION ALL (SELECT x FROM S_inserted INTERSECT ALL SELECT x FROM R)
    """
    assert MOVED.rows(pre_update, At.OLD) == Counter({("b",): 2})
    view = MOVED.maintained("SELECT x FROM R EXCEPT ALL SELECT x FROM S")
    assert view.changes == Counter({("b",): -1})


def test_example_1_3_the_formula_for_the_state_after_the_update() -> None:
    """ADD of figure 2 for monus, asked of the past (section 4), gives what is deleted."""
    post_update = """
        ((SELECT x FROM R_deleted UNION ALL SELECT x FROM S_inserted)
         EXCEPT ALL (SELECT x FROM S EXCEPT ALL SELECT x FROM R))
        EXCEPT ALL ((SELECT x FROM R_inserted UNION ALL SELECT x FROM S_deleted)
         EXCEPT ALL (SELECT x FROM R EXCEPT ALL SELECT x FROM S))
    """
    assert MOVED.rows(post_update, At.NEW) == Counter([("b",)])


# Section 2.1

TWO = Table("x", (("a",), ("a",), ("a",), ("b",), (None,)), deleted=(("b",),), inserted=(("c",),))
ONE = Table("x", (("a",), (None,)), deleted=(("a",),), inserted=(("c",),))


@pytest.mark.parametrize(
    ("view", "old", "new"),
    [
        ("SELECT x FROM R EXCEPT ALL SELECT x FROM S", "aab", "aaa"),
        ("SELECT x FROM R EXCEPT SELECT x FROM S", "b", "a"),
        ("SELECT x FROM R LEFT ANTI JOIN S ON R.x <=> S.x", "b", "aaa"),
    ],
    ids=["monus", "SQL EXCEPT", "the EXCEPT of the seed"],
)
def test_section_2_1_three_differences(view: str, old: str, new: str) -> None:
    """What the print calls SQL's EXCEPT keeps the copies of the left side, as an anti join does;
    SQL's own gives each row once. All three take NULL for a value as any other, which the
    definition in print does not.
    """
    found = Example({"R": TWO, "S": ONE}).maintained(view)
    assert found.old == Counter((x,) for x in old)
    assert found.new == Counter((x,) for x in new)
    assert found.refreshed == found.new
