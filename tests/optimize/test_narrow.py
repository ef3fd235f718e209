"""Scans are cut to the keys that changes reach; that no row is lost by it, the laws say."""

from __future__ import annotations

import pytest

from everview.algebra.ranges import Range
from everview.algebra.relations import (
    At,
    Changes,
    Copies,
    Join,
    Local,
    Negate,
    Net,
    Scan,
    Signed,
    Touched,
    UnionAll,
)
from everview.algebra.scalars import Column, Compare, Ref, Types
from everview.algebra.walk import tables, walk_plan
from everview.facts.schema import Field, Schema
from everview.optimize.narrow import narrowed
from everview.optimize.passes import PassContext, When, improved
from everview.optimize.reach import Ranges
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.improve import changes_of

SOURCES = {
    "orders": Schema((Field("o_id", "long"), Field("o_by", "long"), Field("o_day", "date"))),
    "lines": Schema((Field("l_id", "long"), Field("l_order", "long"), Field("l_note", "string"))),
    "people": Schema((Field("p_id", "string"), Field("p_no", "long"))),
}
REACHED = {"o_id": Range(10, 20, null=True), "l_order": Range(30, 40), "p_id": Range("a", "b")}


def facts(leaf: Scan | Changes | Local) -> tuple[Types, Ranges]:
    assert not isinstance(leaf, Local)
    types = {c.id: SOURCES[leaf.table][c.name].type for c in leaf.columns}
    if isinstance(leaf, Scan):
        return types, dict(leaf.within)
    return types, {c.id: REACHED[c.name] for c in leaf.columns if c.name in REACHED}


def scans(sql: str, *changed: str) -> set[str]:
    """What is read of each table when these changed: `lines new l_order 10 to 20`."""
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    assert set(changed) <= tables(found.rel)
    changes = changes_of(found.rel, frozenset(changed))
    assert changes is not None
    plan = improved(When.CHANGES, changes, PassContext(leaf_facts=facts)).plan
    read = (r for r in walk_plan(plan) if isinstance(r, Scan))
    return {
        " ".join([s.table, s.at.value, *(f"{n} {r}" for n, r in s.ranges().items())]) for s in read
    }


@pytest.mark.parametrize(
    ("sql", "changed", "read"),
    [
        (
            "SELECT * FROM orders JOIN lines ON o_id = l_order",
            "orders",
            "lines new l_order 10 to 20",
        ),
        (
            "SELECT * FROM orders JOIN lines ON o_id <=> l_order",
            "orders",
            "lines new l_order 10 to 20 or NULL",
        ),
        (
            "SELECT * FROM orders LEFT JOIN lines ON o_id = l_order",
            "orders",
            "lines new l_order 10 to 20",
        ),
        (
            "SELECT * FROM orders WHERE o_id NOT IN (SELECT l_order FROM lines WHERE l_order > 0)",
            "orders",
            "lines new",
        ),
        (
            "SELECT * FROM orders WHERE NOT EXISTS (SELECT 1 FROM lines WHERE l_order = o_id)",
            "orders",
            "lines new l_order 10 to 20",
        ),
        (
            "SELECT * FROM orders JOIN (SELECT l_order k, count(*) n FROM lines GROUP BY l_order)"
            " ON o_id = k",
            "orders",
            "lines new l_order 10 to 20",
        ),
        (
            "SELECT * FROM orders JOIN (SELECT max(l_order) k FROM lines) ON o_id = k",
            "orders",
            "lines new",
        ),
        (
            "SELECT * FROM orders JOIN"
            " (SELECT l_order k FROM lines UNION ALL SELECT p_no FROM people) ON o_id = k",
            "orders",
            "lines new l_order 10 to 20, people new p_no 10 to 20",
        ),
        (
            "SELECT * FROM orders JOIN (SELECT l_order k, count(*) OVER (PARTITION BY l_id) n"
            " FROM lines) ON o_id = k",
            "orders",
            "lines new",
        ),
        (
            "SELECT * FROM orders JOIN (SELECT l_order k FROM lines EXCEPT SELECT p_no FROM people)"
            " ON o_id = k",
            "orders",
            "lines new l_order 10 to 20, people new p_no 10 to 20",
        ),
        # The numbers of this EXCEPT are cast to strings.
        (
            "SELECT * FROM people JOIN (SELECT l_note k FROM lines EXCEPT SELECT o_by FROM orders)"
            " ON p_id = k",
            "people",
            "lines new, orders new",
        ),
        # Spark compares a string with a number as numbers: '9' lies beyond 'a', yet may be equal.
        ("SELECT * FROM lines JOIN people ON p_id = l_order", "people", "lines new"),
        ("SELECT * FROM orders FULL JOIN lines ON o_id = l_order", "orders",
         "lines new l_order 10 to 20, orders new o_id 10 to 20, orders old o_id 10 to 20"),
    ],
)  # fmt: skip
def test_what_is_read(sql: str, changed: str, read: str) -> None:
    assert scans(sql, changed) >= set(read.split(", "))


def test_rows_of_touched_groups_are_looked_for_in_their_range() -> None:
    sql = "SELECT l_order, count(*) n FROM lines GROUP BY l_order HAVING count(*) > 1"
    assert scans(sql, "lines") == {"lines new l_order 30 to 40", "lines old l_order 30 to 40"}


BUSY = "GROUP BY l_order HAVING count(*) > 1"


@pytest.mark.parametrize(
    ("tables", "read"),
    [
        ("lines JOIN people ON l_id = p_no", "people new"),
        ("people JOIN lines ON l_id = p_no", "people new"),
        ("people RIGHT JOIN lines ON l_id = p_no", "people new"),
        ("lines LEFT JOIN people ON l_id = p_no", "people new"),
        # What is wanted of one side is wanted of its partners.
        ("lines JOIN orders ON l_order = o_id", "orders new o_id 30 to 40"),
        ("orders JOIN lines ON l_order = o_id", "orders new o_id 30 to 40"),
        ("orders RIGHT JOIN lines ON l_order = o_id", "orders new o_id 30 to 40"),
        # Computed keys say nothing of the column below them.
        ("lines JOIN orders ON l_order + 1 = o_id", "orders new"),
        ("lines JOIN orders ON l_order = o_id + 1", "orders new"),
    ],
)
def test_touched_groups_above_a_join_are_looked_for_on_the_side_of_their_key(
    tables: str, read: str
) -> None:
    found = scans(f"SELECT l_order, count(*) n FROM {tables} {BUSY}", "lines")
    assert found >= {"lines new l_order 30 to 40", "lines old l_order 30 to 40", read}


def test_a_semi_join_passes_the_range_of_what_it_tests_on() -> None:
    """Rows whose key is among the changed orders, joined with people by that key."""
    order, line, person = Column(1, "o_id"), Column(2, "l_order"), Column(3, "p_no")
    kept = Join(
        "semi",
        Scan("lines", At.NEW, (line,)),
        Touched(Changes("orders", (order,)), (order,)),
        Compare("=", Ref(2), Ref(1)),
    )
    people = Scan("people", At.NEW, (person,))
    plan = narrowed(Join("inner", kept, people, Compare("=", Ref(2), Ref(3))), facts)
    cut = {s.table: s.ranges() for s in walk_plan(plan) if isinstance(s, Scan)}
    assert cut == {"lines": {"l_order": Range(10, 20)}, "people": {"p_no": Range(10, 20)}}


ORDER, LINE, PERSON = Column(1, "o_id"), Column(2, "l_order"), Column(3, "p_no")
ORDERS = Changes("orders", (ORDER,))
LINES, PEOPLE = Scan("lines", At.NEW, (LINE,)), Scan("people", At.NEW, (PERSON,))
OF_LINES, OF_PEOPLE = Compare("=", Ref(1), Ref(2)), Compare("=", Ref(1), Ref(3))


@pytest.mark.parametrize(
    ("join", "read"),
    [
        (Join("inner", LINES, ORDERS, OF_LINES), "lines l_order 10 to 20, people p_no 10 to 20"),
        (Join("left", ORDERS, LINES, OF_LINES), "lines l_order 10 to 20, people p_no 10 to 20"),
        (Join("anti", ORDERS, LINES, OF_LINES), "lines l_order 10 to 20, people p_no 10 to 20"),
        (Join("right", LINES, ORDERS, OF_LINES), "lines l_order 10 to 20, people p_no 10 to 20"),
    ],
)
def test_a_join_passes_the_range_of_the_side_it_keeps_on(join: Join, read: str) -> None:
    """Each joined with people by the key of the changed orders."""
    plan = narrowed(Join("inner", join, PEOPLE, OF_PEOPLE), facts)
    scans_ = (s for s in walk_plan(plan) if isinstance(s, Scan))
    found = {" ".join([s.table, *(f"{n} {r}" for n, r in s.ranges().items())]) for s in scans_}
    assert found == set(read.split(", "))


BY = Column(4, "o_by")
WIDER, OF_BY = Changes("orders", (ORDER, BY)), Compare("=", Ref(4), Ref(2))


@pytest.mark.parametrize(
    "join", [Join("inner", LINES, WIDER, OF_BY), Join("semi", WIDER, LINES, OF_BY)]
)
def test_a_column_that_is_not_joined_by_keeps_its_range(join: Join) -> None:
    plan = narrowed(Join("inner", join, PEOPLE, OF_PEOPLE), facts)
    cut = {s.table: s.ranges() for s in walk_plan(plan) if isinstance(s, Scan)}
    assert cut == {"lines": {}, "people": {"p_no": Range(10, 20)}}


def test_what_an_equality_tested_is_not_null() -> None:
    """Orders that have lines, joined with people where NULLs would be equal."""
    tested = Join("semi", ORDERS, LINES, OF_LINES)
    plan = narrowed(Join("inner", tested, PEOPLE, Compare("<=>", Ref(1), Ref(3))), facts)
    cut = {s.table: s.ranges() for s in walk_plan(plan) if isinstance(s, Scan)}
    assert cut["people"] == {"p_no": Range(10, 20)}


def test_an_inner_join_passes_a_range_from_its_right_side_to_its_left() -> None:
    """Lines meet changed orders, and people are joined by the key of the lines."""
    join = Join("inner", LINES, ORDERS, OF_LINES)
    plan = narrowed(Join("inner", join, PEOPLE, Compare("=", Ref(2), Ref(3))), facts)
    cut = {s.table: s.ranges() for s in walk_plan(plan) if isinstance(s, Scan)}
    assert cut == {"lines": {"l_order": Range(10, 20)}, "people": {"p_no": Range(10, 20)}}


def test_a_scan_that_two_read_is_cut_to_what_both_want() -> None:
    sql = """WITH both AS (SELECT * FROM lines)
        SELECT l_id FROM orders JOIN both ON o_id = l_order
        UNION ALL SELECT l_id FROM orders JOIN both ON o_by = l_order"""
    assert scans(sql, "orders") == {"lines new"}


def test_rows_from_which_changes_are_taken_are_not_cut() -> None:
    """A change without its row would be a row less than never."""
    key, of = Column(1, "o_id"), Column(2, "l_order")
    whole = Scan("lines", At.NEW, (of,))
    undone = UnionAll((Signed(whole, 1), Negate(Changes("lines", (of,)))), (of,))
    before = Copies(Net(undone))
    rel = Join("inner", Changes("orders", (key,)), before, Compare("=", Ref(1), Ref(2)))
    (scan,) = (r for r in walk_plan(narrowed(rel, facts)) if isinstance(r, Scan))
    assert scan == whole


def test_equal_columns_pass_a_range_on() -> None:
    sql = "SELECT * FROM orders JOIN lines ON o_id = l_order JOIN people ON l_order = p_no"
    assert scans(sql, "orders") == {"lines new l_order 10 to 20", "people new p_no 10 to 20"}
