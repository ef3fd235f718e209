"""What windows, limits and pivots mean, with NULLs and copies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from everview.algebra.calls import SortKey, WindowCall
from everview.algebra.meaning.plans import State, lines, rows
from everview.algebra.relations import At, Pivot, Scan, TopK, Values, Window
from everview.algebra.scalars import NULL, Call, Column, Ref, Scalar, integer
from tests.algebra.rows import (
    DOWN,
    NO_T,
    NO_U,
    SALES,
    SOLD,
    STATE,
    UP,
    A,
    B,
    C,
    D,
    E,
    T,
    X,
    Y,
    over,
)

RANKED = State(
    tables={
        ("t", At.NEW): ((1, 30), (1, 10), (2, 5), (1, 10), (1, None), (None, 7), (None, 7)),
        ("none", At.NEW): (),
    }
)


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
