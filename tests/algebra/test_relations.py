"""An operator that denotes nothing cannot be built; each one knows its columns and weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everview.algebra.calls import AggregateCall, WorkDelta
from everview.algebra.fresh import Fresh
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Filter,
    Join,
    Local,
    Negate,
    Net,
    PlanError,
    Project,
    Rel,
    Scan,
    UnionAll,
    Values,
)
from everview.algebra.scalars import TRUE, Column, Compare, IsNull, Ref, integer
from everview.algebra.walk import (
    at,
    highest_id,
    inputs,
    tables,
    used_columns,
    walk_plan,
    with_inputs,
)

A, B, C, D = Column(1, "a"), Column(2, "b"), Column(3, "c"), Column(4, "d")
T, U = Scan("t", At.NEW, (A, B)), Scan("u", At.OLD, (C,))
D_T, D_U = Changes("t", (A, B)), Changes("u", (C,))
SAME = Compare("=", Ref(1), Ref(3))


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: Scan("t", At.NEW, (A, A)), "scan repeats a column"),
        (lambda: Scan("t", At.NEW, (A,), weighted=True), "a scan is plain"),
        (lambda: Changes("t", (A,), weighted=False), "changes are weighted"),
        (lambda: Changes("t", (A, A)), "changes repeats a column"),
        (lambda: Values(((integer(1), integer(2)),), (A,)), "width"),
        (lambda: Values(((integer(1),),), (A,), weighted=True), "values are plain"),
        (lambda: Filter(T, IsNull(Ref(9))), r"filter reads columns \[9\]"),
        (lambda: Project(T, ((C, Ref(9)),)), r"projection reads columns \[9\]"),
        (lambda: Project(T, ((C, Ref(1)), (C, Ref(2)))), "projection repeats"),
        (lambda: Join("inner", T, T, SAME), "join repeats"),
        (lambda: Join("inner", T, U), "condition of inner"),
        (lambda: Join("cross", T, U, TRUE), "condition of cross"),
        (lambda: Join("inner", T, U, IsNull(Ref(9))), r"join reads columns \[9\]"),
        (lambda: Join("inner", D_T, D_U, SAME), "two weighted sides"),
        (lambda: Join("semi", T, D_U, SAME), "the tested side of a semi join is weighted"),
        (lambda: Join("anti", T, D_U, SAME), "the tested side of a anti join is weighted"),
        (lambda: Join("left", T, D_U, SAME), "the tested side of a left join is weighted"),
        (lambda: UnionAll((), ()), "a union of nothing"),
        (lambda: UnionAll((T, U), (A, B)), "different widths"),
        (lambda: UnionAll((U,), (A, A)), "union repeats"),
        (lambda: UnionAll((U, D_U), (D,)), "plain and weighted"),
        (lambda: Aggregate(D_T, (A,), ()), "aggregate over a weighted input"),
        (lambda: Aggregate(T, (C,), ()), r"aggregate reads columns \[3\]"),
        (lambda: Aggregate(T, (A,), ((A, AggregateCall("count", ())),)), "aggregate repeats"),
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
    assert with_inputs(rel, inputs(rel)) == rel


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
    ],
)
def test_the_columns_that_a_plan_reads(rel: Rel, used: set[int]) -> None:
    assert used_columns(rel) == used
