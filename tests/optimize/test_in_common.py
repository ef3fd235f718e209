"""What the plans of several views have in common; that rows stay the same is tested by a law."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pytest

from everview.algebra.derive.same_rows import SameRows
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    Local,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    UnionAll,
)
from everview.algebra.scalars import Column, Ref, integer
from everview.algebra.walk import walk_plan
from everview.facts.schema import Field, Schema
from everview.optimize.in_common import CommonPart, InCommon, PlanOfChanges, in_common
from everview.optimize.parts import operators
from everview.optimize.passes import When, improved
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.improve import changes_of
from tests.plan_text import plan_text

TABLES = {
    "sales": "store item day price",
    "stores": "store city",
    "items": "item category",
}
SCHEMAS = {t: Schema(tuple(Field(c, "long") for c in s.split())) for t, s in TABLES.items()}
BY_CITY = "SELECT s.city, price FROM sales JOIN stores s ON sales.store = s.store WHERE day > 5"
BY_CATEGORY = "SELECT i.category, price FROM items i JOIN sales ON sales.item = i.item AND day > 5"
LATE = "SELECT price FROM sales WHERE day > 5"
A, B, PRICE = Column(1, "a"), Column(2, "b"), Column(3, "price")
T = Scan("t", At.NEW, (A, B))
DT = Changes("t", (A, B))


def plan(sql: str, *changed: str, read: Mapping[str, Hashable] | None = None) -> PlanOfChanges:
    found = bind(parse_query(sql), SCHEMAS)
    assert isinstance(found, Lowered)
    changes = changes_of(found.rel, frozenset(changed or ("sales",)))
    assert changes is not None
    versions = read or {}

    def leaf_of(leaf: Rel) -> Hashable:
        table = getattr(leaf, "table", None)
        return table, versions.get(table)

    return PlanOfChanges(improved(When.CHANGES, changes).plan, leaf_of)


def shared(**plans: PlanOfChanges) -> dict[str, InCommon]:
    return in_common(plans)


def parts(found: dict[str, InCommon]) -> dict[str, CommonPart]:
    return {c.part.name: c for one in found.values() for c in one.parts}


def locals_of(rel: Rel) -> set[str]:
    return {r.name for r in walk_plan(rel) if isinstance(r, Local)}


def test_changes_that_two_views_select_alike_are_one_part() -> None:
    found = shared(city=plan(BY_CITY), category=plan(BY_CATEGORY))
    (part,) = parts(found).values()
    assert part.views == ("category", "city")
    assert part.what == "changes of sales"
    # The columns that one of them needs, and not the day, which only the part looks at.
    assert [c.name for c in part.part.rel.columns] == ["store", "item", "price"]
    assert " filter (day#" in plan_text(part.part.rel)
    for view, one in found.items():
        assert locals_of(one.rest) == {"common1"}, view
        assert not any(isinstance(r, Changes) for r in walk_plan(one.rest))


def test_the_part_of_each_view_has_the_ids_of_its_own_plan() -> None:
    found = shared(city=plan(BY_CITY), category=plan(BY_CATEGORY))
    one, other = (found[v].parts[0].part for v in ("city", "category"))
    assert one.local() == other.local()
    assert one.rel != other.rel


def test_a_part_stands_within_another_where_more_views_have_it() -> None:
    found = shared(a=plan(BY_CITY), b=plan(BY_CITY), c=plan(LATE))
    assert [(p.part.name, p.views) for p in found["a"].parts] == [
        ("common1", ("a", "b", "c")),
        ("common2", ("a", "b")),
    ]
    inner, outer = found["a"].parts
    assert locals_of(outer.part.rel) == {inner.part.name}
    assert outer.what == "changes of sales with stores"
    assert locals_of(found["a"].rest) == {"common2"}
    assert locals_of(found["c"].rest) == {"common1"}


def test_a_part_that_others_have_only_within_larger_ones_is_none() -> None:
    found = shared(a=plan(BY_CITY), b=plan(BY_CITY))
    (part,) = parts(found).values()
    assert part.what == "changes of sales with stores"


def test_columns_that_only_others_look_at_are_null() -> None:
    found = shared(b=plan(LATE), c=plan("SELECT store FROM sales WHERE day > 5"))
    assert plan_text(found["c"].rest) == (
        "project store#5 = store#1\n"
        "  project store#1 = store#6, item#2 = NULL, day#3 = NULL, price#4 = price#7\n"
        "    local common1: store#6, price#7"
    )


def test_a_part_may_stand_in_several_places_of_a_plan() -> None:
    again = f"{LATE} UNION ALL SELECT store FROM sales WHERE day > 5"
    found = shared(a=plan(again), b=plan("SELECT price, store FROM sales WHERE day > 5"))
    (part,) = found["a"].parts
    read = [r for r in walk_plan(found["a"].rest) if isinstance(r, Local)]
    assert [r.name for r in read] == [part.part.name] * 2
    assert [c.name for c in part.part.rel.columns] == ["store", "price"]


OTHERS: dict[str, tuple[str, str, dict[str, Hashable]]] = {
    "at another version": (BY_CITY, "sales", {"sales": 7}),
    "another table": ("SELECT city FROM stores", "stores", {}),
}


@pytest.mark.parametrize("other", OTHERS)
def test_views_that_read_something_else_have_nothing_in_common(other: str) -> None:
    sql, changed, read = OTHERS[other]
    assert shared(a=plan(BY_CITY), b=plan(sql, changed, read=read)) == {}
    assert shared(a=plan(BY_CITY)) == {}
    assert in_common({}) == {}


def test_what_a_table_holds_is_no_part() -> None:
    """Both read the stores at NEW, in which nothing changed."""
    a = plan("SELECT s.city FROM sales JOIN stores s ON sales.store = s.store")
    b = plan("SELECT s.city FROM items JOIN stores s ON items.item = s.store", "items")
    assert shared(a=a, b=b) == {}


@pytest.mark.parametrize(
    ("size", "views", "pays"),
    [(32_000_000, 2, False), (32_000_001, 2, True), (16_000_001, 3, True)],
)
def test_a_part_pays_where_reading_it_again_costs_more_than_a_query(
    size: int, views: int, pays: bool
) -> None:
    """Reading what changes meet, that is: what is staged of changes is as large as they are."""
    plans = {}
    for number in range(views):
        one = plan(BY_CITY)
        leaves = {r: size for r in walk_plan(one.rel) if isinstance(r, Scan)}
        leaves |= {r: 10**9 for r in walk_plan(one.rel) if isinstance(r, Changes)}
        plans[f"v{number}"] = PlanOfChanges(one.rel, one.leaf_of, leaves)
    (part,) = parts(in_common(plans)).values()
    assert part.what == "changes of sales with stores"
    assert part.pays is pays


def chain(operators: int) -> PlanOfChanges:
    """So many operators, one above the other."""
    rel: Rel = DT
    for _ in range(operators - 1):
        rel = Negate(rel)
    return PlanOfChanges(rel, lambda leaf: getattr(leaf, "table", None))


@pytest.mark.parametrize(
    ("operators", "views", "pays"), [(50, 2, False), (51, 2, True), (25, 3, False), (26, 3, True)]
)
def test_a_part_pays_where_planning_it_again_costs_more_than_a_query(
    operators: int, views: int, pays: bool
) -> None:
    (part,) = parts(in_common({f"v{n}": chain(operators) for n in range(views)})).values()
    assert part.pays is pays


def test_a_part_is_no_larger_than_what_one_query_may_be() -> None:
    for size, rest in ((100, 0), (101, 1), (103, 3)):
        found = shared(a=chain(size), b=chain(size))
        (part,) = found["a"].parts
        above = [r for r in walk_plan(found["a"].rest) if isinstance(r, Negate)]
        assert (operators(part.part.rel) - 1, len(above)) == (100, rest)


# Numbers


def number_of(*plans: Rel) -> list[int]:
    given: dict[Hashable, int] = {}
    return [SameRows(lambda leaf: getattr(leaf, "table", None), given).number(p) for p in plans]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (T, Scan("t", At.OLD, (A, B))),
        (T, Scan("u", At.NEW, (A, B))),
        (T, Scan("t", At.NEW, (B, A))),
        (DT, Changes("t", (A, B), only=1)),
        (DT, T),
        (Signed(T, 1), Signed(T, -1)),
        (DT, Negate(DT)),
        (Net(DT), Negate(DT)),
        (Aggregate(T, (A,), ()), Aggregate(T, (B,), ())),
        (Project(T, ((PRICE, Ref(1)),)), Project(T, ((PRICE, Ref(2)),))),
        (Project(T, ((PRICE, integer(1)),)), Project(T, ((PRICE, integer(2)),))),
        (UnionAll((T, T), (A, B)), T),
        (Local("x", (A,)), Local("x", (A,), weighted=True)),
    ],
)
def test_what_gives_other_rows_has_another_number(one: Rel, other: Rel) -> None:
    first, second = number_of(one, other)
    assert first != second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (T, Scan("t", At.NEW, (Column(8, "a"), Column(9, "b")))),
        (T, Shared("x", T)),
        (T, UnionAll((T,), (Column(8, "a"), Column(9, "b")))),
        (Signed(T, 1), Signed(Scan("t", At.NEW, (Column(8, "a"), B)), 1)),
    ],
)
def test_what_differs_in_ids_and_sharing_has_one_number(one: Rel, other: Rel) -> None:
    first, second = number_of(one, other)
    assert first == second
