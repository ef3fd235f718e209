"""Groups merged over values at hand, against their recomputation, and what is left to Spark."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
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
from everview.run.driver.exact_columns import Batch, column_of
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
    kinds = [
        *(f"merge: {k}" for k in ("born", "died", "updated", "without keys", "to recompute")),
        *(f"columns: {k}" for k in ("born", "died", "updated", "unseen", "to recompute")),
    ]
    rare = {k: SEEN.counts[k] for k in kinds if SEEN.counts[k] < CASES / 50}
    assert not rare, f"of {CASES} cases too few met {rare}"


X, Y = Ref(1), Ref(2)
FAILS = Call("raise_error", (string("no"),))
LONG, REAL, TEXT, FLAG = pa.int64(), pa.float64(), pa.string(), pa.bool_()
WIDE, FINE = pa.decimal128(38, 2), pa.decimal128(20, 3)
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


# Values in a column of the type that they are of, and what only Python tells apart.
@pytest.mark.parametrize(
    ("scalar", "types", "rows", "expected"),
    [
        (Call("+", (X, Call("coalesce", (Y, integer(0))))), (LONG, LONG), [(5, None), (2, 1)],
         pa.array([5, 3])),
        (Call("-", (X, Y)), (LONG, pa.int32()), [(5, None), (2, 3)], pa.array([None, -1])),
        (Cast(Call("+", (X, Y)), "decimal(38,2)"), (WIDE, LONG), [(Decimal("1.10"), 2)],
         pa.array([Decimal("3.10")], WIDE)),
        (Cast(X, "decimal(38,2)"), (FINE, LONG), [(Decimal("0.125"), 0), (Decimal("-0.125"), 0)],
         pa.array([Decimal("0.13"), Decimal("-0.13")], WIDE)),
        (Cast(Call("/", (X, Y)), "decimal(38,2)"), (LONG, LONG), [(1, 3), (None, 0)],
         pa.array([Decimal("0.33"), None], WIDE)),
        (Call("greatest", (X, Y)), (WIDE, FINE), [(None, Decimal("0.125")), (Decimal(1), None)],
         pa.array([Decimal("0.125"), Decimal(1)], FINE)),
        (Call("least", (X, Y)), (TEXT, TEXT), [("b", "a"), (None, None)], pa.array(["a", None])),
        (Call("least", (X, Y)), (FLAG, FLAG), [(True, False)], pa.array([False])),
        (Case(((Compare("=", X, integer(0)), FAILS),), Y), (LONG, LONG), [(None, 9), (1, 8)],
         pa.array([9, 8])),
        (Case(((Compare("<", X, Y), X), (IsNull(X), integer(7))), Y), (LONG, LONG),
         [(None, 9), (8, 1), (1, 8)], pa.array([7, 1, 1])),
        (Case(((Compare("=", X, integer(0)), Cast(NULL, "long")),), Y), (LONG, LONG),
         [(0, 9), (1, 8)], pa.array([None, 8])),
        (Or((Compare("=", X, Y), IsNull(X))), (LONG, LONG), [(None, 1), (1, 2)],
         pa.array([True, False])),
        (And((Compare("<", X, Y), Not(IsNull(X)))), (LONG, WIDE), [(None, 1), (1, Decimal("1.5"))],
         pa.array([False, True])),
        (Compare("<=>", X, Y), (LONG, LONG), [(None, None), (None, 1), (1, 1), (1, 2)],
         pa.array([True, False, True, False])),
        (Call("+", (X, Y)), (REAL, REAL), [(0.1, 0.2), (None, 1.0)],
         pa.array([0.1 + 0.2, None])),
        (Call("coalesce", (X, Y)), (REAL, REAL), [(None, -0.0)], pa.array([-0.0])),
    ],
)  # fmt: skip
def test_a_column(
    scalar: Scalar, types: tuple[Any, Any], rows: list[Any], expected: pa.Array
) -> None:
    assert column_of(scalar, _batch(rows, types), expected.type).equals(expected)


@pytest.mark.parametrize(
    ("scalar", "types", "row", "wanted"),
    [
        (Call("+", (X, Y)), (LONG, LONG), (2**63 - 1, 1), LONG),
        (Call("-", (X, Y)), (LONG, LONG), (-(2**63), 1), LONG),
        (Cast(X, "decimal(3,1)"), (WIDE, LONG), (Decimal("99.95"), 0), pa.decimal128(3, 1)),
        (Cast(X, "integer"), (LONG, LONG), (2**31, 0), pa.int32()),
        (Cast(X, "long"), (WIDE, LONG), (Decimal("1.5"), 0), LONG),
        (Compare("=", X, Y), (REAL, REAL), (math.nan, math.nan), FLAG),
        (Call("greatest", (X, Y)), (REAL, REAL), (0.0, -0.0), REAL),
        (Call("/", (X, Y)), (LONG, LONG), (1, 0), WIDE),
        (Opaque(("abs(", X, ")")), (LONG, LONG), (1, 0), LONG),
        (Case(((Compare("=", X, integer(0)), FAILS),), Y), (LONG, LONG), (0, 1), LONG),
    ],
)
def test_a_column_that_is_left_to_spark(
    scalar: Scalar, types: tuple[Any, Any], row: tuple[Any, Any], wanted: Any
) -> None:
    with pytest.raises((LeftToSpark, pa.ArrowInvalid)):
        column_of(scalar, _batch([row], types), wanted)


def _batch(rows: list[tuple[Any, Any]], types: tuple[Any, Any]) -> Batch:
    columns = zip(zip(*rows, strict=True), types, strict=True)
    return Batch({i: pa.array(c, t) for i, (c, t) in enumerate(columns, 1)}, len(rows))


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
