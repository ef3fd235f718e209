"""Formulas of whole plans in the notation of the seeds, and their trees."""

from __future__ import annotations

from everview.algebra.notation.plans import Node, formula, notation, plan_tree
from everview.algebra.relations import (
    Distinct,
    Filter,
    Join,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    Shared,
    TopK,
    UnionAll,
)
from everview.algebra.scalars import And, Column, Ref, integer
from everview.choose.choose import choose
from everview.choose.strategies import Incremental
from tests.algebra.sales import (
    ALL,
    CITY,
    DOWN,
    FOUND,
    GONE,
    GONE_SALES,
    ID,
    MANY,
    NEW,
    OLD,
    ON,
    PAIRS,
    SHOPS,
    SOLD,
)
from tests.views.shop import BIG, CITY_SALES, SALES, STILL_SALES, STILL_STORES, STORES, facts, shape


def renamed(rel: Rel, *columns: Column) -> Project:
    made = zip(columns, rel.columns, strict=True)
    return Project(rel, tuple((new, Ref(old.id)) for new, old in made))


BIG_ONES = Shared("big", Filter(OLD, MANY))
TWICE = Join("inner", BIG_ONES, renamed(BIG_ONES, ID, CITY), ON)
BIG_TEXT = "big_old = σ amount > 9 ( sales_old )"


def test_what_is_shared_is_named_and_said_once() -> None:
    assert notation(BIG_ONES) == f"big_old  where  {BIG_TEXT}"
    assert notation(TWICE) == f"big_old ⋈ π store, amount ( big_old )  where  {BIG_TEXT}"
    outer = Shared("top", TopK(BIG_ONES, (DOWN,), integer(3)))
    assert notation(Distinct(outer)) == (
        "δ ( top_old )  where  top_old = τ amount desc limit 3 ( big_old ),  " + BIG_TEXT
    )


def test_what_is_shared_says_which_rows_it_holds() -> None:
    moved = Shared("moved", UnionAll((OLD, NEW), (FOUND, GONE)))
    assert notation(Distinct(moved)).startswith("δ ( moved )  where  moved = sales_old  +  ")
    assert notation(Net(Shared("big", Filter(SOLD, MANY)))) == (
        "net ( Δbig )  where  Δbig = σ amount > 9 ( Δsales )"
    )


def test_a_formula_ends_with_what_it_shares() -> None:
    assert formula("v", TWICE) == (
        "Δv = big_old ⋈ π store, amount ( big_old )",
        f"where {BIG_TEXT}",
    )
    long = formula("v", UnionAll((TWICE,) * 4, ALL))
    assert long[0] == "Δv ="
    assert long[-2:] == (
        "    + big_old ⋈ π store, amount ( big_old )",
        f"where {BIG_TEXT}",
    )


def test_a_tree_draws_what_is_shared_once() -> None:
    drawn = Node("big_old", (Node("σ amount > 9", (Node("sales_old  big"),)),))
    assert plan_tree(TWICE, lambda leaf: "big" if isinstance(leaf, Scan) else "") == Node(
        "⋈ store", (drawn, Node("π store, amount", (Node("big_old"),)))
    )


def plan(sql: str, *sources: object) -> Rel:
    kind = shape(sql)
    given = facts("v", kind, *sources, policy="INCREMENTAL")  # type: ignore[arg-type]
    strategy = choose(given, kind, full=False).strategy
    assert isinstance(strategy, Incremental)
    return strategy.changes


def test_the_formula_of_a_view_over_two_changed_tables() -> None:
    assert formula("city_sales", plan(CITY_SALES, SALES, STORES)) == (
        "Δcity_sales = γ city, Σw, Σw·amount ( Δsales ⋈ stores_new  +  Δstores ⋈ sales_old )",
    )


def test_one_term_per_changed_table() -> None:
    assert formula("v", plan(CITY_SALES, SALES, STILL_STORES)) == (
        "Δv = γ city, Σw, Σw·amount ( Δsales ⋈ stores_new )",
    )
    assert formula("v", plan(BIG, STILL_SALES, STORES)) == (
        "Δv = net ( π sale_id, city ( Δstores ⋈ σ amount > 900 ( sales_new ) ) )",
    )


def test_the_terms_of_a_long_formula_stand_below_each_other() -> None:
    sql = CITY_SALES.replace("GROUP", "WHERE amount > 3 AND city <> 'Bern' GROUP")
    assert formula("city_sales", plan(sql, SALES, STORES)) == (
        "Δcity_sales = γ city, Σw, Σw·amount (",
        "      σ amount > 3 ( Δsales ) ⋈ σ city <> 'Bern' ( stores_new )",
        "    + σ city <> 'Bern' ( Δstores ) ⋈ σ amount > 3 ( sales_old )",
        ")",
    )
    signed = UnionAll((Negate(PAIRS), *[PAIRS] * 4), ALL)
    assert formula("v", signed)[1:3] == ("    - Δsales ⋈ stores_new", "    + Δsales ⋈ stores_new")


def test_a_tree_has_the_join_columns_and_what_is_known_of_leaves() -> None:
    rel = plan(CITY_SALES.replace("GROUP", "WHERE amount > 3 GROUP"), SALES, STORES)
    found = plan_tree(rel, lambda leaf: "big" if isinstance(leaf, Scan) else "")
    assert found == Node(
        "γ city, Σw, Σw·amount",
        (
            Node(
                "+",
                (
                    Node(
                        "⋈ store_id",
                        (
                            Node("σ amount > 3 · broadcast", (Node("Δsales"),)),
                            Node("stores_new  big"),
                        ),
                    ),
                    Node(
                        "⋈ store_id",
                        (
                            Node("Δstores · broadcast"),
                            Node("σ amount > 3", (Node("sales_old  big"),)),
                        ),
                    ),
                ),
            ),
        ),
    )


def test_a_tree_shows_differences_and_marks() -> None:
    assert plan_tree(GONE_SALES) == Node("−all", (Node("sales_old"), Node("sales_new")))
    assert plan_tree(Distinct(OLD)) == Node("δ", (Node("sales_old"),))
    mark = Join("mark", SOLD, SHOPS, And((ON, MANY)), mark=FOUND)
    assert plan_tree(mark).label == "⋉? store = id, amount > 9 → found"
    assert plan_tree(Join("full", OLD, SHOPS, ON)).label == "⟗ store = id"


def test_a_tree_names_both_columns_where_they_differ() -> None:
    assert plan_tree(PAIRS).label == "⋈ store = id"
    assert plan_tree(Join("cross", SOLD, SHOPS)).label == "×"
    assert plan_tree(UnionAll((SOLD, Negate(SOLD)), (ID, CITY))).children[1] == Node(
        "-", (Node("Δsales"),)
    )
