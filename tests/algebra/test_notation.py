"""Plans in the notation of the seeds: a line per operator, and scalars."""

from __future__ import annotations

import pytest

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall, WorkDelta
from everview.algebra.notation.plans import notation
from everview.algebra.notation.scalars import scalar_notation
from everview.algebra.relations import (
    Aggregate,
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
from tests.algebra.sales import (
    ALL,
    AMOUNT,
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
    STORE,
    UP,
)


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


SUM, RANK = Call("sum", (Ref(2),)), Call("rank", ())


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
