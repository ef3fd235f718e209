"""The worked examples of seed 003, outer joins and anti joins, and where its rules are wrong."""

from __future__ import annotations

from collections import Counter

import pytest

from everview.algebra.meaning.plans import Row
from tests.seeds.sets import full, left, loyal, padded, padding_before, semi
from tests.seeds.worked import Example, Table, changes

REG = Table(
    "student cname",
    (("Joe", "DB"), ("Mary", "DB"), ("Sam", "Psych")),
    inserted=(("Jill", "AI"),),
)
COURSE = Table(
    "course iname", (("DB", "Bob"), ("AI", "Tom"), ("History", "Jack"), ("Psych", "Jill"))
)
UNIVERSITY = Example({"Reg": REG, "Course": COURSE})
COURSE_REG = "SELECT * FROM Course LEFT JOIN Reg ON course = cname"
BEFORE = (
    ("AI", "Tom", None, None),
    ("DB", "Bob", "Joe", "DB"),
    ("DB", "Bob", "Mary", "DB"),
    ("History", "Jack", None, None),
    ("Psych", "Jill", "Sam", "Psych"),
)


def test_example_2_1_course_reg() -> None:
    """A student registers for a course that had none: the padded row makes way (P28)."""
    view = UNIVERSITY.maintained(COURSE_REG)
    assert view.old == Counter(BEFORE)
    assert view.changes == changes(
        deleted=[("AI", "Tom", None, None)], inserted=[("AI", "Tom", "Jill", "AI")]
    )
    assert view.refreshed == view.new == Counter([("AI", "Tom", "Jill", "AI"), *BEFORE[1:]])


@pytest.mark.parametrize(
    "view",
    [
        f"WITH CourseReg AS ({COURSE_REG}) "
        "SELECT * FROM CourseReg LEFT ANTI JOIN Reg r ON iname = r.student",
        f"{COURSE_REG} WHERE NOT EXISTS (SELECT * FROM Reg r WHERE r.student = iname)",
        f"{COURSE_REG} WHERE iname NOT IN (SELECT student FROM Reg)",
    ],
    ids=["anti join", "NOT EXISTS", "NOT IN"],
)
def test_example_3_1_faculty_course_reg(view: str) -> None:
    """Courses whose instructor is no student: one insertion reaches the view by both of the
    places where it reads Reg, and the course of the new student goes.
    """
    found = UNIVERSITY.maintained(view)
    assert found.old == Counter(BEFORE)
    assert found.changes == changes(
        deleted=[("AI", "Tom", None, None), ("Psych", "Jill", "Sam", "Psych")],
        inserted=[("AI", "Tom", "Jill", "AI")],
    )
    assert found.refreshed == found.new == Counter([("AI", "Tom", "Jill", "AI"), *BEFORE[1:4]])


# Where the rules in print do not hold: duplicates, other conditions, rows of NULLs


def test_error_1_a_second_partner_gives_no_second_row() -> None:
    """P20 adds the rows that meet an inserted one. Of bags that is one copy too many for a row
    that had a partner before.
    """
    s = Table("j x", (("a", "1"), ("b", "1")))
    t = Table("j y", (("a", "2"),), inserted=(("a", "3"), ("b", "3")))
    view = Example({"S": s, "T": t}).maintained("SELECT * FROM S LEFT SEMI JOIN T ON S.j = T.j")
    assert semi(frozenset(s.rows), frozenset(t.inserted)) == {("a", "1"), ("b", "1")}
    assert view.changes == changes(inserted=[("b", "1")])
    assert view.refreshed == view.new


@pytest.mark.parametrize("kind", ["LEFT", "RIGHT", "FULL"])
def test_error_1_a_pair_of_two_new_rows_comes_once(kind: str) -> None:
    """Figure 4 has the pair of a new row left and a new row right in two of its terms, and the
    pair of two deleted ones; only a union of sets forgives that.
    """
    s = Table("j x", (("a", "1"),), deleted=(("a", "1"),), inserted=(("b", "1"),))
    t = Table("j y", (("a", "2"),), deleted=(("a", "2"),), inserted=(("b", "2"),))
    view = Example({"S": s, "T": t}).maintained(f"SELECT * FROM S {kind} JOIN T ON S.j = T.j")
    assert view.changes == changes(deleted=[("a", "1", "a", "2")], inserted=[("b", "1", "b", "2")])
    assert view.refreshed == view.new


@pytest.mark.parametrize(
    ("kind", "old", "deleted"),
    [
        ("LEFT SEMI", [(1, 0)], []),
        ("LEFT ANTI", [], []),
        ("LEFT", [(1, 0, 1, 0), (1, 0, 2, 0)], [(1, 0, 1, 0)]),
    ],
)
def test_error_2_a_row_may_stay_behind_with_another_join_value(
    kind: str, old: list[Row], deleted: list[Row]
) -> None:
    """P19, P23 and P27 ask whether a deleted row leaves one with its join value behind, else the
    rows that met it are taken to be without partner. Of other conditions than equality that is the
    wrong question: what was at most 1 is still at most 2.
    """
    t = Table("j y", ((1, 0), (2, 0)), deleted=((1, 0),))
    assert loyal(frozenset(t.deleted), frozenset(t.rows)) == {(1, 0)}
    tables = {"S": Table("j x", ((1, 0),)), "T": t}
    view = Example(tables).maintained(f"SELECT * FROM S {kind} JOIN T ON S.j <= T.j")
    assert view.old == Counter(old)
    assert view.changes == changes(deleted=deleted)
    assert view.refreshed == view.new


def test_error_3_a_row_of_nulls_on_each_side() -> None:
    """Both rows are padded to the same one, which sets hold once: P33 then deletes it with the
    first of the two. Of bags one copy stays.
    """
    nulls = (None, None)
    s = Table("j x", (nulls, ("a", "1")), deleted=(nulls,))
    t = Table("j y", (nulls, ("b", "2")))
    view = Example({"S": s, "T": t}).maintained("SELECT * FROM S FULL JOIN T ON S.j = T.j")
    assert view.old[nulls + nulls] == 2
    assert view.changes == changes(deleted=[nulls + nulls])
    assert view.refreshed == view.new
    old, rest, gone = (frozenset(some) for some in (s.rows, t.rows, s.deleted))
    p33 = (full(old, rest) - left(gone, rest)) | padding_before(semi(rest, loyal(gone, old)))
    assert p33 != full(old - gone, rest)
    assert nulls + nulls not in p33
    assert padded(frozenset({nulls})) <= full(old - gone, rest)
