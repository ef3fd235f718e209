"""Plans in the notation of the seeds: golden formulas, and their trees."""

from __future__ import annotations

import pytest

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall, WorkDelta
from everview.algebra.notation.plans import Node, formula, notation, tree
from everview.algebra.notation.scalars import scalar_notation
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Local,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    TableFunction,
    TopK,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import (
    NULL,
    TRUE,
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Constant,
    IsNull,
    Not,
    Opaque,
    Or,
    Outer,
    Ref,
    Scalar,
    comparable,
    integer,
    string,
)
from everview.choose.choose import choose
from everview.choose.strategies import Incremental
from tests.views.shop import (
    BIG,
    CITY_SALES,
    SALES,
    STILL_SALES,
    STILL_STORES,
    STORES,
    facts,
    shape,
)

STORE, AMOUNT, ID, CITY = (Column(i, n) for i, n in enumerate(("store", "amount", "id", "city"), 1))
SOLD, SHOPS = Changes("sales", (STORE, AMOUNT)), Scan("stores", At.NEW, (ID, CITY))
OLD = Scan("sales", At.OLD, (STORE, AMOUNT))
ON = Compare("=", Ref(1), Ref(3))
MANY = Compare(">", Ref(2), integer(9))
PAIRS = Join("inner", SOLD, SHOPS, ON)
ALL = (STORE, AMOUNT, ID, CITY)


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        (SHOPS, "stores_new"),
        (OLD, "sales_old"),
        (SOLD, "Δsales"),
        (Local("staged", (CITY,)), "staged"),
        (Values(((integer(1),), (integer(2),)), (ID,)), "{(1), (2)}"),
        (Filter(SOLD, MANY), "σ amount > 9 ( Δsales )"),
        (Project(SOLD, ((STORE, Ref(1)),)), "π store ( Δsales )"),
        (PAIRS, "Δsales ⋈ stores_new"),
        (Join("inner", SOLD, SHOPS, And((ON, MANY))), "σ amount > 9 ( Δsales ⋈ stores_new )"),
        (Join("inner", SHOPS, SOLD, ON), "stores_new ⋈ Δsales"),
        (Join("cross", SOLD, SHOPS), "Δsales × stores_new"),
        (Join("left", OLD, SHOPS, ON), "sales_old ⟕ stores_new"),
        (Join("semi", SOLD, SHOPS, ON), "Δsales ⋉ stores_new"),
        (Join("anti", SOLD, SHOPS, ON), "Δsales ▷ stores_new"),
        (Net(SOLD), "net ( Δsales )"),
        (Negate(SOLD), "- ( Δsales )"),
        (UnionAll((SOLD, Filter(SOLD, MANY)), (ID, CITY)), "Δsales  +  σ amount > 9 ( Δsales )"),
        (UnionAll((SOLD, Negate(SOLD)), (ID, CITY)), "Δsales  -  Δsales"),
        (UnionAll((Negate(SOLD), SOLD), (ID, CITY)), "- Δsales  +  Δsales"),
        (UnionAll((SOLD, Negate(UnionAll((SOLD, Negate(SOLD)), (STORE, AMOUNT)))), (ID, CITY)),
         "Δsales  -  Δsales  +  Δsales"),
        (Join("inner", UnionAll((SOLD, SOLD), (STORE, AMOUNT)), SHOPS, ON),
         "( Δsales  +  Δsales ) ⋈ stores_new"),
        (Join("cross", Changes("items", (Column(9, "x"),)), Join("inner", OLD, SHOPS, ON)),
         "Δitems × ( sales_old ⋈ stores_new )"),
        (Aggregate(OLD, (STORE,), ((Column(9, "n"), AggregateCall("count", ())),
                                   (Column(10, "m"), AggregateCall("max", (2,))))),
         "γ store, count(*), max(amount) ( sales_old )"),
    ],
)  # fmt: skip
def test_one_line_per_operator(rel: Rel, text: str) -> None:
    assert notation(rel) == text


FOUND, GONE = Column(9, "found"), Column(10, "gone")
NEW = Scan("sales", At.NEW, (Column(11, "store"), Column(12, "amount")))
UP, DOWN = SortKey(1, descending=False, nulls_first=True), SortKey(2, True, nulls_first=False)
SUM, RANK = Call("sum", (Ref(2),)), Call("rank", ())
GONE_SALES = Except(OLD, NEW, (FOUND, GONE), all=True)


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        (Values(((),), ()), "{()}"),
        (Values(((Call("+", (integer(1), NULL)),),), (ID,)), "{(1 + NULL)}"),
        (TableFunction(Call("range", (integer(5),)), (ID,)), "range(5)"),
        (Join("right", OLD, SHOPS, ON), "sales_old ⟖ stores_new"),
        (Join("right", OLD, SHOPS, And((ON, MANY))), "sales_old ⟖[amount > 9] stores_new"),
        (Join("full", OLD, SHOPS, ON), "sales_old ⟗ stores_new"),
        (Join("full", OLD, Join("inner", NEW, SHOPS, TRUE), MANY),
         "sales_old ⟗[amount > 9] ( σ TRUE ( sales_new ⋈ stores_new ) )"),
        (Join("mark", SOLD, SHOPS, ON, mark=FOUND), "Δsales ⋉? stores_new"),
        (Join("mark", SOLD, SHOPS, And((ON, MANY)), mark=FOUND),
         "Δsales ⋉?[amount > 9] stores_new"),
        (Filter(Join("mark", SOLD, SHOPS, ON, mark=FOUND), Or((Ref(9), MANY))),
         "σ found or amount > 9 ( Δsales ⋉? stores_new )"),
        (Generate(OLD, Call("explode", (Ref(2),)), (FOUND,)),
         "μ explode(amount) → found ( sales_old )"),
        (Generate(SOLD, Opaque(("posexplode(", Ref(2), ")")), (FOUND, GONE), outer=True),
         "μ outer posexplode(amount) → found, gone ( Δsales )"),
        (Unpivot(SOLD, (), FOUND, (GONE,), (("s", (1,)), ("a", (2,)))),
         "unpivot gone for found in (store, amount) ( Δsales )"),
        (Unpivot(OLD, (STORE,), FOUND, (ID, GONE), (("x", (1, 2)), ("y", (2, 1))), True),
         "unpivot (id, gone) for found in ((store, amount), (amount, store)) with nulls"
         " ( sales_old )"),
        (Except(OLD, NEW, (FOUND, GONE), all=False), "sales_old − sales_new"),
        (GONE_SALES, "sales_old −all sales_new"),
        (Intersect(OLD, NEW, (FOUND, GONE), all=False), "sales_old ∩ sales_new"),
        (Intersect(OLD, NEW, (FOUND, GONE), all=True), "sales_old ∩all sales_new"),
        (Except(GONE_SALES, UnionAll((OLD, NEW), (STORE, AMOUNT)), (ID, CITY), all=False),
         "( sales_old −all sales_new ) − ( sales_old  +  sales_new )"),
        (Except(Join("semi", OLD, SHOPS, ON), Filter(NEW, TRUE), (FOUND, GONE), all=False),
         "( sales_old ⋉ stores_new ) − σ TRUE ( sales_new )"),
        (UnionAll((NEW, GONE_SALES), (STORE, AMOUNT)),
         "sales_new  +  ( sales_old −all sales_new )"),
        (Join("cross", GONE_SALES, SHOPS), "( sales_old −all sales_new ) × stores_new"),
        (Project(GONE_SALES, ((STORE, Ref(9)),)), "π store ( sales_old −all sales_new )"),
        (Distinct(UnionAll((OLD, NEW), (FOUND, GONE))), "δ ( sales_old  +  sales_new )"),
        (Aggregate(OLD, (STORE,), ((FOUND, AggregateCall("count", (1, 2), distinct=True)),
                                   (GONE, VerbatimCall(Opaque(("first(", Ref(2), ")")))))),
         "γ store, count(distinct store, amount), first(amount) ( sales_old )"),
        (Window(OLD, (STORE,), ((FOUND, WindowCall(SUM)),)), "ω store: sum(amount) ( sales_old )"),
        (Window(OLD, (), ((FOUND, WindowCall(RANK, (DOWN,))), (GONE, WindowCall(SUM)))),
         "ω rank() by amount desc, sum(amount) ( sales_old )"),
        (Window(OLD, (STORE,), ((FOUND, WindowCall(RANK, (DOWN, UP))),)),
         "ω store: rank() by (amount desc, store) ( sales_old )"),
        (Window(OLD, (), ((FOUND, WindowCall(SUM, (UP,), "ROWS  UNBOUNDED PRECEDING")),)),
         "ω sum(amount) by store rows unbounded preceding ( sales_old )"),
        (TopK(OLD, (DOWN, UP), integer(10)), "τ amount desc, store limit 10 ( sales_old )"),
        (TopK(OLD, (), integer(10), integer(5)), "τ limit 10 offset 5 ( sales_old )"),
        (TopK(OLD, (SortKey(1, False, False), SortKey(2, True, True)), None),
         "τ store nulls last, amount desc nulls first ( sales_old )"),
        (Pivot(OLD, (), (STORE,), ((integer(1),), (NULL,)), (SUM,), (FOUND, GONE)),
         "pivot sum(amount) for store in (1, NULL) ( sales_old )"),
        (Pivot(SHOPS, (ID,), (ID, CITY), ((integer(1), string("Bern")),),
               (Call("min", (Ref(3),)), Call("max", (Ref(3),))), (FOUND, GONE)),
         "pivot id: min(id), max(id) for (id, city) in ((1, 'Bern')) ( stores_new )"),
    ],
)  # fmt: skip
def test_one_line_per_newer_operator(rel: Rel, text: str) -> None:
    assert notation(rel) == text


AREAS = tuple(
    (Column(20 + i, f"d{i}"), area)
    for i, area in enumerate(
        (
            WorkDelta("weight"),
            WorkDelta("weight", 2),
            WorkDelta("sum", 2),
            WorkDelta("overflowed", 2),
            WorkDelta("weight", 1),
            WorkDelta("removed", 1),
            WorkDelta("inserted", 2, "max"),
            WorkDelta("inserted_copies", 2, "max"),
            WorkDelta("deleted", 2, "max"),
        )
    )
)


def test_a_change_table_shows_the_deltas_a_person_knows() -> None:
    assert notation(ChangeTable(SOLD, (), AREAS)) == (
        "γ Σw, Σw·amount, Σw[store is not null], max⁺ amount, max⁻ amount ( Δsales )"
    )


def test_the_expressions_below_a_group_stand_in_it() -> None:
    arg = Column(9, "arg")
    twice = Opaque((Ref(2), " * ", integer(2)))
    below = Project(PAIRS, ((CITY, Ref(4)), (arg, twice)))
    summed = ((Column(20, "s"), WorkDelta("sum", 9)),)
    assert notation(ChangeTable(below, (CITY,), summed)) == (
        "γ city, Σw·(amount * 2) ( Δsales ⋈ stores_new )"
    )
    both = UnionAll((below, below), (Column(30, "city"), Column(31, "arg")))
    over = ChangeTable(both, (), ((Column(20, "s"), WorkDelta("sum", 31)),))
    assert notation(over).startswith("γ Σw·(amount * 2) ( π city, amount * 2 ( Δsales ⋈")
    other = Project(PAIRS, ((CITY, Ref(4)), (Column(8, "arg"), Ref(1))))
    mixed = UnionAll((below, other), (Column(30, "city"), Column(31, "arg")))
    assert notation(ChangeTable(mixed, (), ((Column(20, "s"), WorkDelta("sum", 31)),))).startswith(
        "γ Σw·arg ("
    )


def test_what_nobody_would_miss_is_not_shown() -> None:
    reordered = Project(PAIRS, tuple((c, Ref(c.id)) for c in reversed(ALL)))
    table = ChangeTable(UnionAll((reordered,), ALL[::-1]), (CITY,), AREAS[:1])
    known = Project(table, ((CITY, Ref(4)), (Column(40, "d"), Cast(NULL, "long"))))
    assert notation(known) == "γ city, Σw ( Δsales ⋈ stores_new )"


def test_long_lists_and_texts_are_cut() -> None:
    wide = tuple(Column(i, f"c{i}") for i in range(9))
    some = Project(Changes("t", wide), tuple((c, Ref(c.id)) for c in wide[:8]))
    assert notation(some) == "π c0, c1, c2, c3, c4, c5, … 2 more ( Δt )"
    long = Filter(SOLD, Compare("=", Ref(2), Constant("'" + "x" * 99 + "'")))
    assert notation(long).endswith("x… ( Δsales )")


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
    assert tree(TWICE, lambda leaf: "big" if isinstance(leaf, Scan) else "") == Node(
        "⋈ store", (drawn, Node("π store, amount", (Node("big_old"),)))
    )


# Formulas of views


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
        "Δv = net ( π sale_id, city ( σ amount > 900 ( Δstores ⋈ sales_new ) ) )",
    )


def test_the_terms_of_a_long_formula_stand_below_each_other() -> None:
    sql = CITY_SALES.replace("GROUP", "WHERE amount > 3 AND city <> 'Bern' GROUP")
    assert formula("city_sales", plan(sql, SALES, STORES)) == (
        "Δcity_sales = γ city, Σw, Σw·amount (",
        "      σ amount > 3 and city <> 'Bern' ( Δsales ⋈ stores_new )",
        "    + σ amount > 3 and city <> 'Bern' ( Δstores ⋈ sales_old )",
        ")",
    )
    signed = UnionAll((Negate(PAIRS), *[PAIRS] * 4), ALL)
    assert formula("v", signed)[1:3] == ("    - Δsales ⋈ stores_new", "    + Δsales ⋈ stores_new")


def test_a_tree_has_the_join_columns_and_what_is_known_of_leaves() -> None:
    rel = plan(CITY_SALES.replace("GROUP", "WHERE amount > 3 GROUP"), SALES, STORES)
    found = tree(rel, lambda leaf: "big" if isinstance(leaf, Scan) else "")
    assert found == Node(
        "γ city, Σw, Σw·amount",
        (
            Node(
                "+",
                (
                    Node(
                        "⋈ store_id, amount > 3",
                        (Node("Δsales · broadcast"), Node("stores_new  big")),
                    ),
                    Node(
                        "⋈ store_id, amount > 3",
                        (Node("Δstores · broadcast"), Node("sales_old  big")),
                    ),
                ),
            ),
        ),
    )


def test_a_tree_shows_differences_and_marks() -> None:
    assert tree(GONE_SALES) == Node("−all", (Node("sales_old"), Node("sales_new")))
    assert tree(Distinct(OLD)) == Node("δ", (Node("sales_old"),))
    mark = Join("mark", SOLD, SHOPS, And((ON, MANY)), mark=FOUND)
    assert tree(mark).label == "⋉? store = id, amount > 9 → found"
    assert tree(Join("full", OLD, SHOPS, ON)).label == "⟗ store = id"


def test_a_tree_names_both_columns_where_they_differ() -> None:
    assert tree(PAIRS).label == "⋈ store = id"
    assert tree(Join("cross", SOLD, SHOPS)).label == "×"
    assert tree(UnionAll((SOLD, Negate(SOLD)), (ID, CITY))).children[1] == Node(
        "-", (Node("Δsales"),)
    )


# Scalars


@pytest.mark.parametrize(
    ("scalar", "text"),
    [
        (Ref(1), "store"),
        (Ref(99), "#99"),
        (Outer(1), "outer.store"),
        (Outer(99), "outer.#99"),
        (NULL, "NULL"),
        (Or((MANY, And((MANY, TRUE)))), "amount > 9 or (amount > 9 and TRUE)"),
        (And(()), "true"),
        (Or(()), "false"),
        (Not(Or((MANY, MANY))), "not (amount > 9 or amount > 9)"),
        (IsNull(Ref(1)), "store is null"),
        (Cast(Ref(1), "long"), "cast(store as long)"),
        (Case(((MANY, Ref(1)),), NULL), "case when amount > 9 then store else NULL end"),
        (comparable(Ref(1), "double"), "store"),
        (Call("+", (Ref(1), Call("*", (Ref(2), integer(2))))), "store + (amount * 2)"),
        (Call("coalesce", (Ref(1), integer(0))), "coalesce(store, 0)"),
        (Compare("=", Call("abs", (Ref(1),)), integer(0)), "abs(store) = 0"),
        (Opaque(("upper(", Ref(1), ")  ||\n 'x'")), "upper(store) || 'x'"),
    ],
)
def test_scalars_read_well(scalar: Scalar, text: str) -> None:
    assert scalar_notation(scalar, {1: "store", 2: "amount"}) == text
