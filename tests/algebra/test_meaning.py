"""What each operator and scalar means, over rows with NULLs and copies."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from everview.algebra.calls import (
    AggregateCall,
    AggregateName,
    DeltaName,
    Extreme,
    SortKey,
    VerbatimCall,
    WindowCall,
    WorkDelta,
)
from everview.algebra.meaning.plans import Line, State, bag, lines, minus, rows
from everview.algebra.meaning.scalars import NoMeaning, Raised, value
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
    JoinKind,
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
    Outer,
    Ref,
    Scalar,
    all_of,
    children,
    comparable,
    conjuncts,
    integer,
    outers,
    refs,
    string,
    substitute,
    substitute_outer,
    walk,
)

A, B, C, D, E = (Column(i, name) for i, name in enumerate("abcde", 1))
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


def test_values_are_scalars_and_may_have_no_columns() -> None:
    three = Call("+", (integer(1), integer(2)))
    assert rows(Values(((three, NULL), (three, NULL)), (A, B)), STATE) == {(3, None): 2}
    assert rows(Values(((),), ()), STATE) == {(): 1}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((3,), [0, 1, 2]),
        ((0,), []),
        ((2, 5), [2, 3, 4]),
        ((5, 2), []),
        ((0, 5, 2), [0, 2, 4]),
        ((5, 2, -2), [5, 3]),
    ],
)
def test_a_table_function_means_a_range(args: tuple[int, ...], expected: list[int]) -> None:
    numbers = TableFunction(Call("range", tuple(map(integer, args))), (A,))
    assert lines(numbers, STATE) == [((n,), 1) for n in expected]


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
        ("right", {(1, 10, 1): 2, (1, None, 1): 1, (None, None, None): 1, (None, None, 3): 1}),
        (
            "full",
            {
                (1, 10, 1): 2, (1, None, 1): 1, (2, 5, None): 1,
                (None, 7, None): 1, (None, None, None): 2, (None, None, 3): 1,
            },
        ),
        ("semi", {(1, 10): 2, (1, None): 1}),
        ("anti", {(2, 5): 1, (None, 7): 1, (None, None): 1}),
    ],
)  # fmt: skip
def test_joins_never_match_null(kind: JoinKind, expected: dict[Any, int]) -> None:
    assert rows(Join(kind, T, U, Compare("=", Ref(1), Ref(3))), STATE) == expected


SAME = Compare("=", Ref(1), Ref(3))
NO_T, NO_U = Scan("none", At.NEW, (A, B)), Scan("none", At.NEW, (C,))


@pytest.mark.parametrize(
    ("kind", "left", "right", "expected"),
    [
        ("left", NO_T, U, {}),
        ("right", NO_T, U, {(None, None, 1): 1, (None, None, None): 1, (None, None, 3): 1}),
        ("full", NO_T, U, {(None, None, 1): 1, (None, None, None): 1, (None, None, 3): 1}),
        ("right", T, NO_U, {}),
        ("full", U, NO_T, {(1, None, None): 1, (None, None, None): 1, (3, None, None): 1}),
        ("full", NO_T, NO_U, {}),
        ("semi", U, NO_T, {}),
        ("anti", U, NO_T, {(1,): 1, (None,): 1, (3,): 1}),
    ],
)
def test_joins_with_nothing(kind: JoinKind, left: Rel, right: Rel, expected: Any) -> None:
    assert rows(Join(kind, left, right, SAME), STATE) == expected


def test_a_row_with_several_partners_is_never_padded() -> None:
    one = Values(((integer(1),),), (C,))
    assert rows(Join("right", T, one, SAME), STATE) == {(1, 10, 1): 2, (1, None, 1): 1}
    assert rows(Join("full", one, T, SAME), STATE) == {
        (1, 1, 10): 2, (1, 1, None): 1,
        (None, 2, 5): 1, (None, None, 7): 1, (None, None, None): 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "marks"),
    [
        ((), {1: False, 2: False, None: False}),
        ((1, 3), {1: True, 2: False, None: False}),
        ((1, 1, None), {1: True, 2: False, None: False}),
        ((None,), {1: False, 2: False, None: False}),
    ],
)
def test_a_mark_is_true_or_false(found: tuple[int | None, ...], marks: Any) -> None:
    state = State(tables={
        ("t", At.NEW): ((1, 0), (2, 0), (None, 0)),
        ("u", At.NEW): tuple((v,) for v in found),
    })  # fmt: skip
    assert rows(Join("mark", T, U, SAME, mark=D), state) == {
        (a, 0, mark): 1 for a, mark in marks.items()
    }


def test_a_mark_keeps_every_left_row_once() -> None:
    everything = Join("mark", T, U, Compare("<=>", Ref(1), Ref(3)), mark=D)
    assert rows(everything, STATE) == {
        (1, 10, True): 2, (1, None, True): 1, (2, 5, False): 1,
        (None, 7, True): 1, (None, None, True): 1,
    }  # fmt: skip


def test_the_weights_of_the_side_that_is_not_tested_pass_on() -> None:
    changes = Changes("t", (A, B))
    padded = Join("left", changes, U, SAME)
    assert rows(padded, STATE) == {
        (1, 10, 1): 1, (1, 4, 1): -3, (2, None, None): 1, (2, 5, None): 1,
    }  # fmt: skip
    assert rows(Join("right", U, changes, SAME), STATE) == {
        (1, 1, 10): 1, (1, 1, 4): -3, (None, 2, None): 1, (None, 2, 5): 1,
    }  # fmt: skip
    assert rows(Join("semi", changes, U, SAME), STATE) == {(1, 10): 1, (1, 4): -3}
    assert rows(Join("anti", changes, U, SAME), STATE) == {(2, None): 1, (2, 5): 1}
    assert rows(Join("mark", changes, U, SAME, mark=D), STATE)[1, 4, True] == -3


def test_null_safe_equality_matches_null() -> None:
    same = Join("inner", T, U, Compare("<=>", Ref(1), Ref(3)))
    assert rows(same, STATE)[None, 7, None] == 1


def test_cross_join_multiplies_weights() -> None:
    assert rows(Join("cross", Changes("t", (A, B)), U), STATE)[1, 4, 3] == -3


ARRAYS = Local("arrays", (A, B), weighted=True)
ARRAYS_STATE = State(
    local={
        "arrays": (((1, (7, 7, None)), 2), ((2, [8]), -1), ((3, ()), 4), ((4, None), -5)),
    }
)


def test_generate_gives_a_row_per_element() -> None:
    each = Project(Generate(ARRAYS, Call("explode", (Ref(2),)), (C,)), ((D, Ref(1)), (E, Ref(3))))
    assert rows(each, ARRAYS_STATE) == {(1, 7): 4, (1, None): 2, (2, 8): -1}


def test_an_outer_generate_keeps_rows_without_elements() -> None:
    each = Generate(ARRAYS, Call("explode", (Ref(2),)), (C,), outer=True)
    assert rows(Project(each, ((D, Ref(1)), (E, Ref(3)))), ARRAYS_STATE) == {
        (1, 7): 4, (1, None): 2, (2, 8): -1, (3, None): 4, (4, None): -5,
    }  # fmt: skip


PAIRED = Column(6, "p"), Column(7, "q")
WIDE = Local("wide", (A, B, C, *PAIRED), weighted=True)
WIDE_STATE = State(
    local={"wide": (((1, 10, 20, 30, 40), 2), ((2, None, 20, None, None), -1),
                    ((3, None, None, None, None), 1))}
)  # fmt: skip


def test_unpivot_leaves_out_nulls() -> None:
    long = Unpivot(WIDE, (A,), D, (E,), (("b", (2,)), ("c", (3,))))
    assert rows(long, WIDE_STATE) == {(1, "b", 10): 2, (1, "c", 20): 2, (2, "c", 20): -1}


def test_unpivot_keeps_nulls_if_it_says_so() -> None:
    long = Unpivot(WIDE, (A,), D, (E,), (("b", (2,)), ("c", (3,))), keeps_nulls=True)
    assert rows(long, WIDE_STATE) == {
        (1, "b", 10): 2, (1, "c", 20): 2, (2, "b", None): -1, (2, "c", 20): -1,
        (3, "b", None): 1, (3, "c", None): 1,
    }  # fmt: skip


def test_unpivot_of_pairs_leaves_out_what_is_all_null() -> None:
    long = Unpivot(WIDE, (A,), D, (E, Column(8, "f")), (("x", (2, 3)), ("y", (6, 7))))
    assert rows(long, WIDE_STATE) == {
        (1, "x", 10, 20): 2, (1, "y", 30, 40): 2, (2, "x", None, 20): -1,
    }  # fmt: skip


def test_what_is_shared_means_its_input() -> None:
    assert lines(Shared("s", T), STATE) == lines(T, STATE)
    assert lines(Shared("s", Changes("t", (A, B))), STATE) == list(STATE.changes["t"])


# Twice 1, twice NULL, once 2; three times 1, once NULL, once 3.
LEFT, RIGHT = Scan("left", At.NEW, (A,)), Scan("right", At.NEW, (B,))
SETS = State(
    tables={
        ("left", At.NEW): ((1,), (None,), (1,), (2,), (None,)),
        ("right", At.NEW): ((1,), (1,), (1,), (None,), (3,)),
        ("none", At.NEW): (),
    }
)
NO_RIGHT = Scan("none", At.NEW, (B,))


@pytest.mark.parametrize(
    ("rel", "expected"),
    [
        (Except(LEFT, RIGHT, (C,), all=True), {(None,): 1, (2,): 1}),
        (Except(LEFT, RIGHT, (C,), all=False), {(2,): 1}),
        (Except(RIGHT, LEFT, (C,), all=True), {(1,): 1, (3,): 1}),
        (Except(RIGHT, LEFT, (C,), all=False), {(3,): 1}),
        (Except(LEFT, NO_RIGHT, (C,), all=True), {(1,): 2, (None,): 2, (2,): 1}),
        (Except(LEFT, NO_RIGHT, (C,), all=False), {(1,): 1, (None,): 1, (2,): 1}),
        (Except(NO_RIGHT, LEFT, (C,), all=True), {}),
        (Intersect(LEFT, RIGHT, (C,), all=True), {(1,): 2, (None,): 1}),
        (Intersect(LEFT, RIGHT, (C,), all=False), {(1,): 1, (None,): 1}),
        (Intersect(LEFT, NO_RIGHT, (C,), all=True), {}),
        (Intersect(NO_RIGHT, LEFT, (C,), all=False), {}),
        (Distinct(LEFT), {(1,): 1, (None,): 1, (2,): 1}),
        (Distinct(NO_RIGHT), {}),
    ],
)
def test_whole_rows_are_compared_with_nulls_equal(rel: Rel, expected: Any) -> None:
    assert rows(rel, SETS) == expected


def test_a_plain_relation_has_a_line_per_copy() -> None:
    counted = Aggregate(
        Except(LEFT, NO_RIGHT, (C,), all=True), (), ((D, AggregateCall("count", ())),)
    )
    assert rows(counted, SETS) == {(5,): 1}


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


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        ("count", (2,), {1: 2, 2: 0}),
        ("count", (2, 3), {1: 3, 2: 0}),
        ("sum", (2,), {1: 30, 2: None}),
        ("avg", (2,), {1: 15, 2: None}),
        ("min", (2,), {1: 10, 2: None}),
        ("max", (2,), {1: 20, 2: None}),
    ],
)
def test_distinct_aggregates(function: AggregateName, args: tuple[int, ...], expected: Any) -> None:
    state = State(
        tables={
            ("t", At.NEW): (
                (1, 10, 1), (1, 10, 1), (1, 10, 2), (1, 20, 1), (1, 20, None), (1, None, 1),
                (2, None, 1),
            )
        }
    )  # fmt: skip
    call = AggregateCall(function, args, distinct=True)
    groups = Aggregate(Scan("t", At.NEW, (A, B, C)), (A,), ((D, call),))
    assert dict(row for row, _ in lines(groups, state)) == expected
    nothing = Aggregate(Scan("none", At.NEW, (A, B, C)), (), ((D, call),))
    assert rows(nothing, STATE) == {(0 if function == "count" else None,): 1}


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


# Windows, limits, pivots

UP, DOWN = SortKey(2, descending=False, nulls_first=True), SortKey(2, True, nulls_first=False)
RANKED = State(
    tables={
        ("t", At.NEW): ((1, 30), (1, 10), (2, 5), (1, 10), (1, None), (None, 7), (None, 7)),
        ("none", At.NEW): (),
    }
)


def over(function: str, *args: Scalar, order: tuple[SortKey, ...] = ()) -> Window:
    return Window(T, (A,), ((C, WindowCall(Call(function, args), order)),))


@pytest.mark.parametrize(
    ("window", "of_one"),
    [
        (over("row_number", order=(UP,)), [(None, 1), (10, 2), (10, 3), (30, 4)]),
        (over("rank", order=(UP,)), [(None, 1), (10, 2), (10, 2), (30, 4)]),
        (over("dense_rank", order=(UP,)), [(None, 1), (10, 2), (10, 2), (30, 3)]),
        (over("row_number", order=(DOWN,)), [(30, 1), (10, 2), (10, 3), (None, 4)]),
        (over("rank", order=(DOWN,)), [(30, 1), (10, 2), (10, 2), (None, 4)]),
        (over("dense_rank", order=(DOWN,)), [(30, 1), (10, 2), (10, 2), (None, 3)]),
        (over("count"), [(None, 4), (10, 4), (10, 4), (30, 4)]),
        (over("count", Ref(2)), [(None, 3), (10, 3), (10, 3), (30, 3)]),
        (over("sum", Ref(2)), [(None, 50), (10, 50), (10, 50), (30, 50)]),
        (over("min", Ref(2)), [(None, 10), (10, 10), (10, 10), (30, 10)]),
        (over("count", order=(UP,)), [(None, 1), (10, 3), (10, 3), (30, 4)]),
        (over("count", Ref(2), order=(UP,)), [(None, 0), (10, 2), (10, 2), (30, 3)]),
        (over("sum", Ref(2), order=(UP,)), [(None, None), (10, 20), (10, 20), (30, 50)]),
        (over("sum", Ref(2), order=(DOWN,)), [(30, 30), (10, 50), (10, 50), (None, 50)]),
        (over("max", Ref(2), order=(UP,)), [(None, None), (10, 10), (10, 10), (30, 30)]),
        (over("sum", Call("*", (Ref(2), integer(2)))), [(None, 100), (10, 100), (10, 100),
                                                        (30, 100)]),
    ],
)  # fmt: skip
def test_a_window_says_of_each_row_of_a_partition(window: Window, of_one: list[Any]) -> None:
    found = rows(window, RANKED)
    assert {row: n for row, n in found.items() if row[0] == 1} == Counter(
        (1, b, c) for b, c in of_one
    )


def test_nulls_are_one_partition_and_ties_are_peers() -> None:
    window = Window(T, (A,), (
        (C, WindowCall(Call("row_number", ()), (UP,))),
        (D, WindowCall(Call("sum", (Ref(2),)), (UP,))),
    ))  # fmt: skip
    found = rows(window, RANKED)
    assert {row: n for row, n in found.items() if row[0] is None} == {
        (None, 7, 1, 14): 1, (None, 7, 2, 14): 1,
    }  # fmt: skip
    assert found[2, 5, 1, 5] == 1


def test_a_window_without_partition_sees_all_rows() -> None:
    everyone = Window(T, (), ((C, WindowCall(Call("count", ()))),))
    assert {row[2] for row in rows(everyone, RANKED)} == {7}
    assert rows(Window(T, (A,), ()), RANKED) == rows(T, RANKED)


def test_a_window_over_nothing_is_empty() -> None:
    calls = ((C, WindowCall(Call("count", ()))), (D, WindowCall(Call("rank", ()), (UP,))))
    assert lines(Window(NO_T, (A,), calls), RANKED) == []
    assert lines(Window(NO_T, (), calls), RANKED) == []


def test_a_second_key_decides_between_ties_of_the_first() -> None:
    first = SortKey(1, descending=True, nulls_first=True)
    ordered = lines(TopK(T, (first, UP), None), RANKED)
    assert [row for row, _ in ordered] == [
        (None, 7), (None, 7), (2, 5), (1, None), (1, 10), (1, 10), (1, 30),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (SortKey(1, False, True), ["n1", "n2", "x1", "x2", "y"]),
        (SortKey(1, False, False), ["x1", "x2", "y", "n1", "n2"]),
        (SortKey(1, True, True), ["n1", "n2", "y", "x1", "x2"]),
        (SortKey(1, True, False), ["y", "x1", "x2", "n1", "n2"]),
    ],
)
def test_an_order_places_nulls_and_leaves_ties_as_they_come(
    key: SortKey, expected: list[str]
) -> None:
    some = ((2, "y"), (None, "n1"), (1, "x1"), (1, "x2"), (None, "n2"))
    state = State(tables={("t", At.NEW): some})
    assert [row[1] for row, _ in lines(TopK(T, (key,), None), state)] == expected


@pytest.mark.parametrize(
    ("limit", "offset", "expected"),
    [
        (2, None, [1, 2]),
        (2, 1, [2, 3]),
        (None, 2, [3, 4]),
        (None, None, [1, 2, 3, 4]),
        (0, None, []),
        (9, 3, [4]),
        (9, 9, []),
    ],
)
def test_a_limit_counts_after_the_offset(
    limit: int | None, offset: int | None, expected: list[int]
) -> None:
    some = Values(tuple((integer(n),) for n in (3, 1, 4, 2)), (A,))
    wanted = [None if n is None else integer(n) for n in (limit, offset)]
    top = TopK(some, (SortKey(1, False, True),), *wanted)
    assert lines(top, STATE) == [((n,), 1) for n in expected]
    assert lines(TopK(NO_U, (), *wanted), STATE) == []


def test_a_limit_without_order_takes_rows_as_they_come() -> None:
    assert lines(TopK(T, (), integer(2)), RANKED) == [((1, 30), 1), ((1, 10), 1)]


SALES = Scan("sales", At.NEW, (A, B, C))  # key, dimension, amount
SOLD = State(
    tables={
        ("sales", At.NEW): (
            (1, "x", 10), (1, "x", 5), (1, "x", None), (1, "y", None),
            (2, "x", 5), (2, None, 7), (None, "x", 1), (3, "z", 1),
        ),
        ("none", At.NEW): (),
    }
)  # fmt: skip
X, Y = (string("x"),), (string("y"),)


def pivoted(function: str, *values: tuple[Scalar, ...]) -> Pivot:
    cells = tuple(Column(20 + i, f"cell{i}") for i in range(len(values)))
    return Pivot(SALES, (A,), (B,), values, (Call(function, (Ref(3),)),), cells)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("count", {(1, 2, 0), (2, 1, None), (None, 1, None), (3, None, None)}),
        ("sum", {(1, 15, None), (2, 5, None), (None, 1, None), (3, None, None)}),
        ("min", {(1, 5, None), (2, 5, None), (None, 1, None), (3, None, None)}),
        ("max", {(1, 10, None), (2, 5, None), (None, 1, None), (3, None, None)}),
    ],
)
def test_a_cell_without_rows_is_null_also_of_a_count(function: str, expected: Any) -> None:
    assert rows(pivoted(function, X, Y), SOLD) == dict.fromkeys(expected, 1)


def test_a_pivot_may_ask_for_null() -> None:
    assert rows(pivoted("sum", (NULL,)), SOLD) == dict.fromkeys(
        {(1, None), (2, 7), (None, None), (3, None)}, 1
    )


def test_cells_of_one_value_stand_together() -> None:
    measures = (Call("count", (Ref(3),)), Call("sum", (Ref(3),)))
    cells = tuple(Column(20 + i, f"cell{i}") for i in range(4))
    pivot = Pivot(SALES, (A,), (B,), (X, Y), measures, cells)
    assert rows(pivot, SOLD)[1, 2, 15, 0, None] == 1


def test_a_pivot_by_two_dimensions() -> None:
    values = ((integer(1), *X), (integer(2), NULL))
    pivot = Pivot(SALES, (), (A, B), values, (Call("sum", (Ref(3),)),), (D, E))
    assert rows(pivot, SOLD) == {(15, 7): 1}


def test_a_pivot_over_nothing_has_a_row_only_without_keys() -> None:
    nothing = Scan("none", At.NEW, (A, B, C))
    counted = (Call("count", (Ref(3),)),)
    assert rows(Pivot(nothing, (A,), (B,), (X, Y), counted, (D, E)), SOLD) == {}
    assert rows(Pivot(nothing, (), (B,), (X, Y), counted, (D, E)), SOLD) == {(None, None): 1}


OPAQUE = Opaque(("f()",))
ONLY_SPARK_KNOWS: list[Rel] = [
    Values(((OPAQUE,),), (A,)),
    Filter(T, OPAQUE),
    Filter(T, Outer(1)),
    TableFunction(OPAQUE, (A,)),
    TableFunction(Call("range", ()), (A,)),
    TableFunction(Call("range", (Constant("5"),)), (A,)),
    TableFunction(Call("explode", (NULL,)), (A,)),
    Generate(T, OPAQUE, (C,)),
    Generate(T, Call("explode", (OPAQUE,)), (C,)),
    Generate(T, Call("explode", (Ref(2),)), (C,)),
    Generate(T, Call("posexplode", (Ref(2),)), (C, D)),
    Aggregate(T, (A,), ((C, VerbatimCall(Opaque(("f(", Ref(2), ")")))),)),
    Window(T, (A,), ((C, WindowCall(OPAQUE)),)),
    Window(T, (A,), ((C, WindowCall(Call("avg", (Ref(2),)))),)),
    Window(T, (A,), ((C, WindowCall(Call("count", ()), (UP,), "ROWS UNBOUNDED PRECEDING")),)),
    TopK(T, (), OPAQUE),
    TopK(T, (), Constant("5")),
    TopK(T, (), None, integer(-1)),
    Pivot(SALES, (A,), (B,), (X,), (OPAQUE,), (D,)),
    Pivot(SALES, (A,), (B,), (X,), (Call("avg", (Ref(3),)),), (D,)),
    Pivot(SALES, (A,), (B,), ((OPAQUE,),), (Call("sum", (Ref(3),)),), (D,)),
]


@pytest.mark.parametrize("rel", ONLY_SPARK_KNOWS, ids=lambda rel: type(rel).__name__)
def test_what_only_spark_knows_has_no_meaning_here(rel: Rel) -> None:
    state = State(tables={**STATE.tables, **SOLD.tables})
    with pytest.raises(NoMeaning):
        rows(rel, state)


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
    with pytest.raises(NoMeaning):
        value(Outer(1), ROW)


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


def test_columns_of_the_row_around_are_told_apart() -> None:
    both = Compare("=", Ref(1), Call("+", (Outer(1), Outer(2))))
    assert refs(both) == {1}
    assert outers(both) == {1, 2}
    assert substitute(both, {1: Ref(9)}) == Compare("=", Ref(9), Call("+", (Outer(1), Outer(2))))
    bound = Compare("=", Ref(1), Call("+", (Ref(9), Outer(2))))
    assert substitute_outer(both, {1: Ref(9)}) == bound


def test_conjuncts() -> None:
    parts = (Ref(1), Ref(2), Ref(3))
    assert conjuncts(And((And(parts[:2]), Ref(3)))) == parts
    assert conjuncts(None) == ()
    assert all_of(parts[:1]) == Ref(1)
    assert all_of(parts) == And(parts)


def test_only_plain_strings_are_ours() -> None:
    with pytest.raises(ValueError, match="plain"):
        string("it's")
