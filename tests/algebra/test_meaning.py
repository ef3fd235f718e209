"""What each operator and scalar means, over rows with NULLs and copies."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from everview.algebra.calls import AggregateCall, AggregateName, DeltaName, Extreme, WorkDelta
from everview.algebra.meaning import Line, State, bag, lines, minus, rows
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Filter,
    Join,
    JoinKind,
    Local,
    Negate,
    Net,
    Project,
    Scan,
    UnionAll,
    Values,
)
from everview.algebra.scalar_meaning import NoMeaning, Raised, value
from everview.algebra.scalars import (
    FALSE,
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
    Ref,
    Scalar,
    all_of,
    children,
    comparable,
    conjuncts,
    integer,
    refs,
    string,
    substitute,
    walk,
)

A, B, C, D = Column(1, "a"), Column(2, "b"), Column(3, "c"), Column(4, "d")
T, U = Scan("t", At.NEW, (A, B)), Scan("u", At.NEW, (C,))
STATE = State(
    tables={
        ("t", At.NEW): ((1, 10), (1, 10), (1, None), (2, 5), (None, 7), (None, None)),
        ("t", At.OLD): ((9, 9),),
        ("u", At.NEW): ((1,), (None,), (3,)),
        ("none", At.NEW): (),
    },
    changes={"t": (((1, 10), 2), ((1, 10), -1), ((1, 4), -3), ((2, None), 1), ((2, 5), 1))},
    local={"kept": (((5,), 1), ((5,), 1))},
)


# Operators


def test_leaves() -> None:
    assert rows(T, STATE) == Counter(STATE.tables["t", At.NEW])
    assert rows(Scan("t", At.OLD, (A, B)), STATE) == {(9, 9): 1}
    assert rows(Changes("t", (A, B)), STATE) == {
        (1, 10): 1, (1, 4): -3, (2, None): 1, (2, 5): 1,
    }  # fmt: skip
    assert rows(Local("kept", (A,)), STATE) == {(5,): 2}
    assert rows(Values(((integer(1),), (NULL,)), (A,)), STATE) == {(1,): 1, (None,): 1}


def test_filter_wants_true_not_null() -> None:
    over = Filter(T, Compare(">", Ref(2), integer(5)))
    assert rows(over, STATE) == {(1, 10): 2, (None, 7): 1}


def test_project_keeps_copies() -> None:
    assert rows(Project(T, ((C, Ref(1)),)), STATE) == {(1,): 3, (2,): 1, (None,): 2}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("inner", {(1, 10, 1): 2, (1, None, 1): 1}),
        (
            "left",
            {
                (1, 10, 1): 2, (1, None, 1): 1, (2, 5, None): 1,
                (None, 7, None): 1, (None, None, None): 1,
            },
        ),
        ("semi", {(1, 10): 2, (1, None): 1}),
        ("anti", {(2, 5): 1, (None, 7): 1, (None, None): 1}),
    ],
)  # fmt: skip
def test_joins_never_match_null(kind: JoinKind, expected: dict[Any, int]) -> None:
    assert rows(Join(kind, T, U, Compare("=", Ref(1), Ref(3))), STATE) == expected


def test_null_safe_equality_matches_null() -> None:
    same = Join("inner", T, U, Compare("<=>", Ref(1), Ref(3)))
    assert rows(same, STATE)[None, 7, None] == 1


def test_cross_join_multiplies_weights() -> None:
    assert rows(Join("cross", Changes("t", (A, B)), U), STATE)[1, 4, 3] == -3


def test_union_and_negate() -> None:
    both = UnionAll((Changes("t", (A, B)), Negate(Changes("t", (A, B)))), (C, D))
    assert rows(both, STATE) == {}
    assert len(lines(both, STATE)) == 10


def test_net_has_one_line_per_row_and_no_zero() -> None:
    zero = Changes("z", (A,))
    state = State(changes={"z": (((1,), 1), ((2,), 1), ((1,), -1), ((2,), 2))})
    assert lines(Net(zero), state) == [((2,), 3)]


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        ("count", (), {1: 3, 2: 1, None: 2}),
        ("count", (2,), {1: 2, 2: 1, None: 1}),
        ("sum", (2,), {1: 20, 2: 5, None: 7}),
        ("avg", (2,), {1: 10, 2: 5, None: 7}),
        ("min", (2,), {1: 10, 2: 5, None: 7}),
        ("max", (2,), {1: 10, 2: 5, None: 7}),
        ("copies_of_min", (2,), {1: 2, 2: 1, None: 1}),
        ("copies_of_max", (2,), {1: 2, 2: 1, None: 1}),
    ],
)
def test_aggregates_by_group(function: AggregateName, args: tuple[int, ...], expected: Any) -> None:
    groups = Aggregate(T, (A,), ((C, AggregateCall(function, args)),))
    assert dict(row for row, _ in lines(groups, STATE)) == expected


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        ("count", (), 0),
        ("count", (1,), 0),
        ("sum", (1,), None),
        ("avg", (1,), None),
        ("min", (1,), None),
        ("copies_of_max", (1,), 0),
    ],
)
def test_aggregates_over_nothing(
    function: AggregateName, args: tuple[int, ...], expected: Any
) -> None:
    nothing = Scan("none", At.NEW, (A,))
    call = ((C, AggregateCall(function, args)),)
    assert rows(Aggregate(nothing, (), call), STATE) == {(expected,): 1}
    assert rows(Aggregate(nothing, (A,), call), STATE) == {}


def test_a_mean_is_exact() -> None:
    thirds = State(tables={("t", At.NEW): ((1, 1), (1, 0), (1, 0))})
    assert rows(Aggregate(T, (), ((C, AggregateCall("avg", (2,))),)), thirds) == {
        (Fraction(1, 3),): 1
    }


@pytest.mark.parametrize(
    ("function", "extreme", "expected"),
    [
        ("weight", None, {1: -2, 2: 1}),
        ("sum", None, {1: -2, 2: 5}),
        ("removed", None, {1: 4, 2: 0}),
        ("overflowed", None, {1: 0, 2: 0}),
        ("inserted", "max", {1: 10, 2: 5}),
        ("inserted_copies", "max", {1: 2, 2: 1}),
        ("deleted", "max", {1: 10, 2: None}),
        ("deleted", "min", {1: 4, 2: None}),
        ("deleted_copies", "min", {1: 3, 2: 0}),
        ("deleted_copies", "max", {1: 1, 2: 0}),
    ],
)
def test_a_change_table_says_of_each_area(
    function: DeltaName, extreme: Extreme | None, expected: Any
) -> None:
    area = WorkDelta(function, 2, extreme)
    table = ChangeTable(Changes("t", (A, B)), (A,), ((C, area),))
    assert dict(row for row, _ in lines(table, STATE)) == expected


def test_all_rows_weigh_in_a_count_of_rows() -> None:
    table = ChangeTable(Changes("t", (A, B)), (A,), ((C, WorkDelta("weight")),))
    assert rows(table, STATE) == {(1, -2): 1, (2, 2): 1}


def test_a_sum_of_nothing_but_nulls_is_null() -> None:
    state = State(changes={"t": (((1, None), 1),)})
    table = ChangeTable(Changes("t", (A, B)), (A,), ((C, WorkDelta("sum", 2)),))
    assert rows(table, state) == {(1, None): 1}


def test_differences_have_signs() -> None:
    some: list[Line] = [(("a",), 1), (("b",), 2), (("b",), -2)]
    assert bag(some) == {("a",): 1}
    assert minus(Counter({("a",): 1}), Counter({("a",): 3})) == {("a",): -2}
    assert minus(Counter({("a",): -1}), Counter()) == {("a",): -1}


# Scalars

ROW = {1: 3, 2: None, 3: True}


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        (Ref(1), 3),
        (string("plain text"), "plain text"),
        (Compare("=", Ref(1), integer(3)), True),
        (Compare("<>", Ref(1), integer(3)), False),
        (Compare("<", Ref(1), Ref(2)), None),
        (Compare("<=", Ref(1), integer(3)), True),
        (Compare(">=", Ref(1), integer(4)), False),
        (Compare("<=>", Ref(2), NULL), True),
        (Compare("<=>", Ref(1), NULL), False),
        (And(()), True),
        (And((NULL, FALSE)), False),
        (And((NULL, TRUE)), None),
        (Or(()), False),
        (Or((NULL, TRUE)), True),
        (Or((NULL, FALSE)), None),
        (Not(NULL), None),
        (Not(FALSE), True),
        (IsNull(Ref(2)), True),
        (Cast(Ref(1), "string"), 3),
        (Case(((NULL, integer(1)), (TRUE, integer(2))), integer(3)), 2),
        (Case(((NULL, integer(1)),), integer(3)), 3),
        (Call("coalesce", (Ref(2), Ref(1))), 3),
        (Call("coalesce", (Ref(2),)), None),
        (Call("greatest", (Ref(1), Ref(2), integer(9))), 9),
        (Call("least", (Ref(2),)), None),
        (Call("+", (Ref(1), integer(1))), 4),
        (Call("-", (Ref(1), Ref(2))), None),
        (Call("%", (integer(-7), integer(3))), -1),
        (Call("abs", (integer(-7),)), 7),
        (comparable(Ref(1), "double"), 3),
    ],
)
def test_a_scalar_means(scalar: Scalar, expected: Any) -> None:
    assert value(scalar, ROW) == expected


def test_sparks_own_text_has_no_meaning_here() -> None:
    with pytest.raises(NoMeaning):
        value(Opaque(("f(", Ref(1), ")")), ROW)


def test_raising_is_a_meaning_and_only_where_it_is_reached() -> None:
    fails = Call("raise_error", (string("no"),))
    with pytest.raises(Raised, match="no"):
        value(fails, ROW)
    assert value(Case(((FALSE, fails),), integer(1)), ROW) == 1


EVERY: Scalar = Case(
    ((And((Compare("=", Ref(1), Ref(2)), Or((Not(IsNull(Ref(3))),)))), Cast(Ref(4), "long")),),
    Call("+", (Opaque(("f(", Ref(5), ")")), Constant("1", 1))),
)


def test_scalars_are_walked_and_substituted() -> None:
    assert refs(EVERY) == {1, 2, 3, 4, 5}
    moved = substitute(EVERY, {i: Ref(i + 10) for i in range(6)})
    assert refs(moved) == {11, 12, 13, 14, 15}
    assert substitute(moved, {}) == moved
    assert children(Ref(1)) == ()
    assert sum(isinstance(s, Constant) for s in walk(EVERY)) == 1


def test_conjuncts() -> None:
    parts = (Ref(1), Ref(2), Ref(3))
    assert conjuncts(And((And(parts[:2]), Ref(3)))) == parts
    assert conjuncts(None) == ()
    assert all_of(parts[:1]) == Ref(1)
    assert all_of(parts) == And(parts)


def test_only_plain_strings_are_ours() -> None:
    with pytest.raises(ValueError, match="plain"):
        string("it's")
