"""Small tables with NULLs and copies."""

from __future__ import annotations

from everview.algebra.calls import SortKey, WindowCall
from everview.algebra.meaning.plans import State
from everview.algebra.relations import At, Scan, Window
from everview.algebra.scalars import Call, Column, Scalar, string

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


UP, DOWN = SortKey(2, descending=False, nulls_first=True), SortKey(2, True, nulls_first=False)


def over(function: str, *args: Scalar, order: tuple[SortKey, ...] = ()) -> Window:
    return Window(T, (A,), ((C, WindowCall(Call(function, args), order)),))


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
NO_T, NO_U = Scan("none", At.NEW, (A, B)), Scan("none", At.NEW, (C,))
