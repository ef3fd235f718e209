"""What each operator over single rows and pairs of them means, with NULLs and copies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from everview.algebra.calls import VerbatimCall, WindowCall
from everview.algebra.meaning.plans import State, lines, rows
from everview.algebra.meaning.scalars import NoMeaning
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    Filter,
    Generate,
    Join,
    JoinKind,
    Local,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    TableFunction,
    TopK,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import (
    NULL,
    Call,
    Column,
    Compare,
    Constant,
    Opaque,
    Outer,
    Ref,
    integer,
)
from tests.algebra.rows import NO_T, NO_U, SALES, SOLD, STATE, UP, A, B, C, D, E, T, U, X


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
