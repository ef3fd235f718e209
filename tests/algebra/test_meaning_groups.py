"""What operators over sets and groups of rows mean, with NULLs and copies."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from everview.algebra.calls import AggregateCall, AggregateName, DeltaName, Extreme, WorkDelta
from everview.algebra.meaning.plans import Line, State, bag, lines, minus, rows
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Distinct,
    Except,
    Intersect,
    Negate,
    Net,
    Rel,
    Scan,
    UnionAll,
)
from tests.algebra.rows import STATE, A, B, C, D, T

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
