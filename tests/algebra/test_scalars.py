"""What each scalar means, and how it is walked."""

from __future__ import annotations

from typing import Any

import pytest

from everview.algebra.meaning.scalars import NoMeaning, Raised, value
from everview.algebra.scalars import (
    FALSE,
    NULL,
    TRUE,
    And,
    Call,
    Case,
    Cast,
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
