"""An operator that denotes nothing cannot be built; each one knows its columns and weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall, WorkDelta
from everview.algebra.fresh import Fresh
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
    PlanError,
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
    TRUE,
    Call,
    Column,
    Compare,
    IsNull,
    Opaque,
    Ref,
    Scalar,
    integer,
)
from everview.algebra.walk import at, highest_id, tables, used_columns, walk_plan

A, B, C, D = Column(1, "a"), Column(2, "b"), Column(3, "c"), Column(4, "d")
T, U = Scan("t", At.NEW, (A, B)), Scan("u", At.OLD, (C,))
D_T, D_U = Changes("t", (A, B)), Changes("u", (C,))
SAME = Compare("=", Ref(1), Ref(3))
ABSENT = IsNull(Ref(1))
EACH, COUNT = Call("explode", (Ref(1),)), Call("count", ())
ONE, TWO = (integer(1),), (integer(2),)


def sort(column: int) -> SortKey:
    return SortKey(column, descending=False, nulls_first=True)


def over(*columns: int) -> WindowCall:
    return WindowCall(Call("sum", tuple(map(Ref, columns[:1]))), tuple(map(sort, columns[1:])))


def entries(*columns: tuple[int, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((f"entry {i}", entry) for i, entry in enumerate(columns))


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: Scan("t", At.NEW, (A, A)), "scan repeats a column"),
        (lambda: Scan("t", At.NEW, (A,), weighted=True), "a scan is plain"),
        (lambda: Changes("t", (A,), weighted=False), "changes are weighted"),
        (lambda: Changes("t", (A, A)), "changes repeats a column"),
        (lambda: Values(((integer(1), integer(2)),), (A,)), "width"),
        (lambda: Values(((integer(1),),), (A,), weighted=True), "values are plain"),
        (lambda: Values(((),), (A,)), "width"),
        (lambda: Values(((IsNull(Ref(1)),),), (A,)), "values read columns"),
        (lambda: TableFunction(Call("range", (Ref(1),)), (A,)), "a table function reads columns"),
        (lambda: TableFunction(Call("range", ONE), (A,), weighted=True), "of a function are plain"),
        (lambda: Filter(T, IsNull(Ref(9))), r"filter reads columns \[9\]"),
        (lambda: Project(T, ((C, Ref(9)),)), r"projection reads columns \[9\]"),
        (lambda: Project(T, ((C, Ref(1)), (C, Ref(2)))), "projection repeats"),
        (lambda: Join("inner", T, T, SAME), "join repeats"),
        (lambda: Join("inner", T, U), "condition of inner"),
        (lambda: Join("cross", T, U, TRUE), "condition of cross"),
        (lambda: Join("inner", T, U, IsNull(Ref(9))), r"join reads columns \[9\]"),
        (lambda: Join("inner", D_T, D_U, SAME), "two weighted sides"),
        (lambda: Join("semi", T, D_U, SAME), "the right of a semi join is weighted"),
        (lambda: Join("anti", T, D_U, SAME), "the right of a anti join is weighted"),
        (lambda: Join("left", T, D_U, SAME), "the right of a left join is weighted"),
        (lambda: Join("full", T, D_U, SAME), "the right of a full join is weighted"),
        (lambda: Join("mark", T, D_U, SAME, mark=D), "the right of a mark join is weighted"),
        (lambda: Join("right", D_T, U, SAME), "the left of a right join is weighted"),
        (lambda: Join("full", D_T, U, SAME), "the left of a full join is weighted"),
        (lambda: Join("right", T, U), "condition of right"),
        (lambda: Join("mark", T, U, mark=D), "condition of mark"),
        (lambda: Join("mark", T, U, SAME), "mark of mark"),
        (lambda: Join("semi", T, U, SAME, mark=D), "mark of semi"),
        (lambda: Join("mark", T, U, SAME, mark=A), "join repeats"),
        (lambda: Join("mark", T, U, SAME, mark=C), "join repeats"),
        (lambda: Join("mark", T, U, IsNull(Ref(4)), mark=D), r"join reads columns \[4\]"),
        (lambda: Generate(T, Call("explode", (Ref(9),)), (C,)), r"generate reads columns \[9\]"),
        (lambda: Generate(T, EACH, (B,)), "generate repeats"),
        (lambda: Unpivot(T, (C,), C, (D,), entries((2,))), r"unpivot reads columns \[3\]"),
        (lambda: Unpivot(T, (A,), C, (D,), entries((2,), (9,))), r"unpivot reads columns \[9\]"),
        (lambda: Unpivot(T, (A,), C, (C,), entries((2,))), "unpivot repeats"),
        (lambda: Unpivot(T, (A,), C, (D,), entries((2,), (1, 2))), "unpivot of .* into"),
        (lambda: Unpivot(T, (A,), C, (D,), ()), "unpivot of .* into"),
        (lambda: Except(T, U, (C, D), all=True), "except of inputs of different widths"),
        (lambda: Except(U, U, (C, D), all=True), "except of inputs of different widths"),
        (lambda: Except(T, T, (C, C), all=False), "except repeats"),
        (lambda: Except(D_U, U, (D,), all=True), "except: plain"),
        (lambda: Except(U, D_U, (D,), all=True), "except: plain"),
        (lambda: Except(U, U, (D,), all=True, weighted=True), "except: plain"),
        (lambda: Intersect(T, U, (C, D), all=True), "intersect of inputs of different widths"),
        (lambda: Intersect(T, T, (C, C), all=False), "intersect repeats"),
        (lambda: Intersect(D_U, U, (D,), all=True), "intersect: plain"),
        (lambda: Intersect(U, D_U, (D,), all=True), "intersect: plain"),
        (lambda: Intersect(U, U, (D,), all=True, weighted=True), "intersect: plain"),
        (lambda: Distinct(D_T), "distinct over a weighted input"),
        (lambda: UnionAll((), ()), "a union of nothing"),
        (lambda: UnionAll((T, U), (A, B)), "different widths"),
        (lambda: UnionAll((U,), (A, A)), "union repeats"),
        (lambda: UnionAll((U, D_U), (D,)), "plain and weighted"),
        (lambda: Aggregate(D_T, (A,), ()), "aggregate over a weighted input"),
        (lambda: Aggregate(T, (C,), ()), r"aggregate reads columns \[3\]"),
        (lambda: Aggregate(T, (A,), ((A, AggregateCall("count", ())),)), "aggregate repeats"),
        (lambda: Aggregate(T, (), ((C, VerbatimCall(Opaque(("f(", Ref(9), ")")))),)), r"\[9\]"),
        (lambda: Window(D_T, (A,), ((C, over(2)),)), "window over a weighted input"),
        (lambda: Window(T, (C,), ((D, over(2)),)), r"window reads columns \[3\]"),
        (lambda: Window(T, (A,), ((D, over(9)),)), r"window reads columns \[9\]"),
        (lambda: Window(T, (A,), ((D, over(2, 9)),)), r"window reads columns \[9\]"),
        (lambda: Window(T, (A,), ((B, over(2)),)), "window repeats"),
        (lambda: TopK(D_T, (), integer(1)), "a limit of a weighted input"),
        (lambda: TopK(T, (sort(9),), integer(1)), r"order reads columns \[9\]"),
        (lambda: TopK(T, (), Ref(1)), "a limit reads columns"),
        (lambda: TopK(T, (), None, Ref(1)), "a limit reads columns"),
        (lambda: Pivot(D_T, (A,), (B,), (ONE,), (COUNT,), (C,)), "pivot of a weighted input"),
        (lambda: Pivot(T, (D,), (B,), (ONE,), (COUNT,), (C,)), r"pivot reads columns \[4\]"),
        (lambda: Pivot(T, (A,), (D,), (ONE,), (COUNT,), (C,)), r"pivot reads columns \[4\]"),
        (lambda: Pivot(T, (A,), (B,), (ONE,), (IsNull(Ref(9)),), (C,)), r"reads columns \[9\]"),
        (lambda: Pivot(T, (A,), (B,), (ONE, TWO), (COUNT,), (C, C)), "pivot repeats"),
        (lambda: Pivot(T, (A,), (B,), (ONE + TWO,), (COUNT,), (C,)), "pivot: "),
        (lambda: Pivot(T, (), (A, B), (ONE,), (COUNT,), (C,)), "pivot: "),
        (lambda: Pivot(T, (A,), (B,), (), (COUNT,), ()), "pivot: "),
        (lambda: Pivot(T, (A,), (B,), (ONE, TWO), (COUNT,), (C,)), "2 values in 1 cells"),
        (lambda: Negate(T), "negation of a plain relation"),
        (lambda: Net(T), "net of a plain relation"),
        (lambda: ChangeTable(T, (A,), ()), "a change table of a plain relation"),
        (lambda: ChangeTable(D_T, (C,), ()), r"change table reads columns \[3\]"),
        (lambda: ChangeTable(D_T, (), ((C, WorkDelta("weight", 9)),)), r"columns \[9\]"),
        (lambda: ChangeTable(D_T, (A, A), ()), "change table repeats"),
    ],
)
def test_a_wrong_operator_cannot_be_built(build: Callable[[], Rel], why: str) -> None:
    with pytest.raises(PlanError, match=why):
        build()


GROUPS = Aggregate(T, (A,), ((D, AggregateCall("sum", (2,))),))
VERBATIM = Opaque(("any_value(", Ref(2), ")"))
RANKS = Window(T, (A,), ((C, over(2, 1)), (D, WindowCall(Call("rank", ()), (sort(2),)))))
PIVOT = Pivot(T, (), (A,), (ONE, TWO), (Call("max", (Ref(2),)),), (C, D))
LONG = Unpivot(D_T, (A,), C, (D,), entries((2,), (1,)))
FIRST = TopK(T, (sort(2),), integer(1), integer(2))
TABLE = ChangeTable(D_T, (A,), ((D, WorkDelta("weight", 2)), (C, WorkDelta("weight"))))
ALL: list[tuple[Rel, tuple[Column, ...], bool]] = [
    (T, (A, B), False),
    (D_T, (A, B), True),
    (Local("x", (A,)), (A,), False),
    (Values(((integer(1),),), (C,)), (C,), False),
    (Filter(D_T, IsNull(Ref(1))), (A, B), True),
    (Project(T, ((C, Ref(1)),)), (C,), False),
    (Join("inner", D_T, U, SAME), (A, B, C), True),
    (Join("cross", T, D_U), (A, B, C), True),
    (Join("left", T, U, SAME), (A, B, C), False),
    (Join("semi", T, U, SAME), (A, B), False),
    (Join("anti", D_T, U, SAME), (A, B), True),
    (Join("right", U, D_T, SAME), (C, A, B), True),
    (Join("right", T, U, SAME), (A, B, C), False),
    (Join("full", T, U, SAME), (A, B, C), False),
    (Join("mark", D_T, U, SAME, mark=D), (A, B, D), True),
    (Join("mark", T, U, SAME, mark=D), (A, B, D), False),
    (Values(((), ()), ()), (), False),
    (TableFunction(Call("range", ONE), (C,)), (C,), False),
    (Shared("s", T), (A, B), False),
    (Shared("s", D_T), (A, B), True),
    (Generate(D_T, EACH, (C, D)), (A, B, C, D), True),
    (Generate(T, EACH, (C,), outer=True), (A, B, C), False),
    (LONG, (A, C, D), True),
    (Except(T, T, (C, D), all=True), (C, D), False),
    (Intersect(U, U, (D,), all=False), (D,), False),
    (Distinct(T), (A, B), False),
    (Aggregate(T, (A,), ((C, VerbatimCall(VERBATIM)),)), (A, C), False),
    (RANKS, (A, B, C, D), False),
    (FIRST, (A, B), False),
    (PIVOT, (C, D), False),
    (UnionAll((D_U, D_U), (D,)), (D,), True),
    (GROUPS, (A, D), False),
    (Negate(D_T), (A, B), True),
    (Net(D_T), (A, B), True),
    (TABLE, (A, D, C), False),
]


@pytest.mark.parametrize(("rel", "columns", "weighted"), ALL, ids=lambda x: type(x).__name__)
def test_an_operator_knows_its_columns_and_weights(
    rel: Rel, columns: tuple[Column, ...], weighted: bool
) -> None:
    assert rel.columns == columns
    assert rel.weighted is weighted
    assert rel.over(rel.inputs) == rel


def test_walking() -> None:
    plan = Filter(Join("inner", T, U, SAME), IsNull(Ref(2)))
    assert list(walk_plan(plan)) == [plan, plan.input, T, U]
    assert tables(UnionAll((Project(plan, ((D, Ref(1)),)), U), (Column(7, "x"),))) == {"t", "u"}
    assert {r.at for r in walk_plan(at(plan, At.OLD)) if isinstance(r, Scan)} == {At.OLD}
    assert highest_id(plan) == 3
    assert highest_id(Local("nothing", ())) == 0
    assert Fresh(highest_id(plan)).columns("xy") == (Column(4, "x"), Column(5, "y"))


@pytest.mark.parametrize(
    ("rel", "used"),
    [
        (T, {1, 2}),
        (Project(Filter(T, IsNull(Ref(2))), ((C, integer(1)),)), {2, 3}),
        (Project(Join("semi", T, U, SAME), ((D, Ref(2)),)), {1, 2, 3, 4}),
        (Project(Join("cross", T, U), ((D, Ref(2)),)), {2, 4}),
        (Project(GROUPS, ((C, Ref(4)),)), {1, 2, 3, 4}),
        (Project(Net(D_T), ((C, Ref(1)),)), {1, 2, 3}),
        (Project(TABLE, ((Column(5, "e"), Ref(4)),)), {1, 2, 4, 5}),
        (Project(UnionAll((U,), (D,)), ((A, integer(1)),)), {1, 3}),
        (Project(Except(U, U, (D,), all=True), ((A, integer(1)),)), {1, 3}),
        (Project(Distinct(T), ((C, integer(1)),)), {1, 2, 3}),
        (Project(Generate(T, EACH, (C,)), ((D, integer(1)),)), {1, 4}),
        (Project(LONG, ((Column(5, "e"), integer(1)),)), {1, 2, 5}),
        (Project(RANKS, ((Column(5, "e"), integer(1)),)), {1, 2, 5}),
        (Project(FIRST, ((C, integer(1)),)), {2, 3}),
        (Project(PIVOT, ((Column(5, "e"), integer(1)),)), {1, 2, 5}),
        (Project(Shared("s", T), ((C, Ref(1)),)), {1, 3}),
        (Project(TableFunction(Call("range", ONE), (A, B)), ((C, Ref(1)),)), {1, 3}),
    ],
)
def test_the_columns_that_a_plan_reads(rel: Rel, used: set[int]) -> None:
    assert used_columns(rel) == used


@pytest.mark.parametrize(
    ("rel", "own"),
    [
        (T, ()),
        (D_T, ()),
        (Local("x", (A,)), ()),
        (Values((ONE, TWO), (A,)), (*ONE, *TWO)),
        (TableFunction(COUNT, (A,)), (COUNT,)),
        (Shared("s", T), ()),
        (Filter(T, ABSENT), (ABSENT,)),
        (Project(T, ((C, Ref(1)), (D, Ref(2)))), (Ref(1), Ref(2))),
        (Generate(T, EACH, (C,)), (EACH,)),
        (LONG, ()),
        (Join("inner", T, U, SAME), (SAME,)),
        (Join("cross", T, U), ()),
        (GROUPS, ()),
        (Aggregate(T, (A,), ((C, VerbatimCall(VERBATIM)),)), (VERBATIM,)),
        (RANKS, (Call("sum", (Ref(2),)), Call("rank", ()))),
        (FIRST, (integer(1), integer(2))),
        (TopK(T, (), None, integer(2)), (integer(2),)),
        (PIVOT, (*ONE, *TWO, Call("max", (Ref(2),)))),
        (TABLE, ()),
    ],
    ids=lambda x: type(x).__name__,
)
def test_the_scalars_of_an_operator(rel: Rel, own: tuple[Scalar, ...]) -> None:
    assert rel.scalars == own


def test_a_verbatim_call_reads_the_columns_of_its_text() -> None:
    assert VerbatimCall(Opaque(("f(", Ref(2), ", ", Ref(1), ")"))).args == (1, 2)
    assert over(2, 1).args == {1, 2}
