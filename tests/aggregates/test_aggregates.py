"""What is stored of a group, for each function and type."""

from __future__ import annotations

import pytest

from everview.aggregates.functions import Maintained, Recomputed, upkeep
from everview.aggregates.numbers import decimal, decimal_of
from everview.algebra.calls import AggregateCall, AggregateName
from tests.aggregates.upkeeps import kept


def stored_types(function: AggregateName, type_: str) -> list[str]:
    found = kept(function, type_)
    assert isinstance(found, Maintained)
    return [f.type for area in found.areas for f in area.fields]


@pytest.mark.parametrize(
    ("function", "type_", "types"),
    [
        ("count", "string", ["long"]),
        ("sum", "byte", ["long", "long"]),
        ("sum", "long", ["long", "long"]),
        ("sum", "float", ["long", "double"]),
        ("sum", "double", ["long", "double"]),
        ("sum", "string", ["long", "double"]),
        ("sum", "decimal(1,0)", ["long", "decimal(11,0)"]),
        ("sum", "decimal(27,9)", ["long", "decimal(37,9)"]),
        ("avg", "integer", ["long", "long"]),
        ("avg", "long", ["long", "decimal(30,0)"]),
        ("avg", "double", ["long", "double"]),
        ("avg", "decimal(25,2)", ["long", "decimal(35,2)"]),
        ("min", "date", ["date", "long"]),
        ("max", "string", ["string", "long"]),
    ],
)
def test_what_is_stored(function: AggregateName, type_: str, types: list[str]) -> None:
    assert stored_types(function, type_) == types


@pytest.mark.parametrize(
    ("function", "type_", "why"),
    [
        ("sum", "decimal(38,10)", "all 38 digits"),
        ("avg", "decimal(38,10)", "all 38 digits"),
        ("avg", "decimal(20,18)", "round otherwise"),
        ("sum", "interval day to second", "not kept"),
        ("avg", "interval year to month", "not kept"),
    ],
)
def test_what_is_recomputed_and_why(function: AggregateName, type_: str, why: str) -> None:
    found = kept(function, type_)
    assert isinstance(found, Recomputed)
    assert why in found.reason


def test_count_of_rows_needs_no_argument() -> None:
    found = upkeep(AggregateCall("count", ()), {})
    assert isinstance(found, Maintained)
    assert found.areas[0].name == "count"


def test_copies_are_no_function_of_sql() -> None:
    with pytest.raises(AssertionError, match="copies_of_min"):
        kept("copies_of_min", "long")


def test_decimal_types() -> None:
    assert decimal_of("decimal(10, 2)") == (10, 2)
    assert decimal_of("decimal(10,-2)") == (10, -2)
    assert decimal_of("double") is None
    assert decimal(40, 3) == "decimal(38,3)"
