"""Groups merged over values at hand, against their recomputation, and what is left to Spark."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from everview.algebra.scalars import (
    NULL,
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
    Ref,
    Scalar,
    comparable,
    integer,
    string,
)
from everview.apply.exact import LeftToSpark, compiled, exactly
from tests.laws.merge_law import check_merge
from tests.laws.met import Seen
from tests.laws.test_laws import CASES, random_cases, seeds

SEEN = Seen()


@pytest.mark.fuzz
@random_cases
@given(seeds)
def test_groups_at_hand_become_what_they_are(seed: int) -> None:
    check_merge(seed, SEEN)


@pytest.mark.fuzz
def test_the_merges_met_everything() -> None:
    """Runs after the one above: pytest keeps the order of a file."""
    kinds = ("born", "died", "updated", "without keys", "to recompute")
    rare = {k: SEEN.counts[f"merge: {k}"] for k in kinds if SEEN.counts[f"merge: {k}"] < CASES / 50}
    assert not rare, f"of {CASES} cases too few met {rare}"


X, Y = Ref(1), Ref(2)
STORED_X, STORED_Y = (comparable(part, "double") for part in (X, Y))


@pytest.mark.parametrize(
    ("scalar", "row", "expected"),
    [
        (Call("+", (X, Call("coalesce", (Y, integer(0))))), (5, None), 5),
        (Call("+", (X, Y)), (5, None), None),
        (Cast(Call("+", (X, Y)), "decimal(12,2)"), (Decimal("1.10"), 2), Decimal("3.10")),
        (Cast(Call("/", (X, Y)), "decimal(5,2)"), (Decimal("-1"), 8), Decimal("-0.13")),
        (Cast(Call("/", (X, Y)), "decimal(5,2)"), (1, 3), Decimal("0.33")),
        (Call("%", (X, Y)), (Decimal("-7.5"), 2), Decimal("-1.5")),
        (Call("greatest", (X, Y)), (None, "b"), "b"),
        (Call("least", (X, Y)), (3, 2), 2),
        (Case(((Compare("=", X, integer(0)), Cast(NULL, "long")),), Y), (0, 9), None),
        (Case(((Compare("=", X, integer(0)), NULL),), Y), (None, 9), 9),
        (Or((Compare("=", X, Y), IsNull(X))), (None, 1), True),
        (And((Compare("<", X, Y), Not(IsNull(X)))), (None, 1), False),
        (Compare("<=>", X, Y), (None, None), True),
        (Compare("<=>", X, Y), (None, 1), False),
        (Compare("=", STORED_X, STORED_Y), (0.0, -0.0), False),
        (Compare("=", STORED_X, STORED_Y), (math.nan, math.nan), True),
        (Call("+", (X, Y)), (0.1, 0.2), 0.1 + 0.2),
        (Cast(X, "double"), (Decimal("0.1"), 0), 0.1),
    ],
)  # fmt: skip
def test_a_value(scalar: Scalar, row: tuple[Any, Any], expected: Any) -> None:
    with exactly():
        found = compiled(scalar)({1: row[0], 2: row[1]})
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("scalar", "row"),
    [
        (Call("+", (X, Y)), (2**63 - 1, 1)),
        (Cast(X, "decimal(3,1)"), (Decimal("99.95"), 0)),
        (Cast(X, "integer"), (2**31, 0)),
        (Cast(X, "long"), (1.0, 0)),
        (Cast(X, "double"), ("1", 0)),
        (Cast(X, "string"), (1, 0)),
        (Compare("=", X, Y), (math.nan, math.nan)),
        (Call("greatest", (X, Y)), (0.0, -0.0)),
        (Call("least", (X, Y)), ({"a": 1}, {"a": 2})),
        (Compare("<", X, Y), ([1], [2])),
        (Call("/", (X, Y)), (1, 0)),
        (Call("+", (X, Y)), (1, 0.5)),
        (Call("raise_error", (string("no"),)), (0, 0)),
    ],
)
def test_a_value_that_is_left_to_spark(scalar: Scalar, row: tuple[Any, Any]) -> None:
    function = compiled(scalar)
    with exactly(), pytest.raises(LeftToSpark):
        function({1: row[0], 2: row[1]})


@pytest.mark.parametrize(
    "scalar", [Opaque(("abs(", X, ")")), Call("sqrt", (X,)), Constant("DATE'1'")]
)
def test_a_scalar_that_is_left_to_spark(scalar: Scalar) -> None:
    with pytest.raises(LeftToSpark):
        compiled(scalar)
