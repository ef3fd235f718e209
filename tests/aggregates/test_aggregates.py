"""What is stored of a group, for each function and type, and that means of decimals are exact."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from random import Random
from typing import Any

import pytest

from everview.aggregates.areas import SumTypes, count_area, extreme_area, sum_area
from everview.aggregates.functions import Maintained, Recomputed, upkeep
from everview.aggregates.keyed import keyed_view
from everview.aggregates.numbers import decimal, decimal_of
from everview.algebra.calls import AggregateCall, AggregateName, Extreme
from everview.algebra.meaning.scalars import Raised, value
from everview.algebra.relations import Aggregate, At, Project, Scan
from everview.algebra.scalars import (
    NULL,
    Call,
    Case,
    Cast,
    Column,
    Constant,
    Ref,
    Scalar,
    integer,
    walk,
)

X = 1  # the argument


def kept(function: AggregateName, type_: str) -> Maintained | Recomputed:
    return upkeep(AggregateCall(function, (X,)), {X: type_})


def stored_types(function: AggregateName, type_: str) -> list[str]:
    found = kept(function, type_)
    assert isinstance(found, Maintained)
    return [f.type for area in found.areas for f in area.fields]


# Types


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


# Work areas: new values from old ones and changes


def constants(values: tuple[Any, ...]) -> tuple[Scalar, ...]:
    return tuple(Constant(str(v), v) for v in values)


def merged(area: Any, old: tuple[Any, ...], deltas: tuple[Any, ...]) -> list[Any]:
    return [value(s, {}) for s in area.merge(constants(old), constants(deltas))]


def empty(area: Any) -> tuple[Any, ...]:
    return tuple(value(s, {}) for s in area.empty)


def test_a_count_adds_up() -> None:
    area = count_area(X)
    assert merged(area, empty(area), (3,)) == [3]
    assert merged(area, (3,), (-3,)) == [0]
    assert merged(area, (3,), (None,)) == [3]


LONGS = SumTypes("", "long", "decimal(38,0)")
FLOATS = SumTypes("", "double", "double")


@pytest.mark.parametrize(
    ("old", "deltas", "new"),
    [
        ((0, None), (2, 7), [2, 7]),
        ((2, 7), (-2, -7), [0, None]),
        ((2, 7), (0, 5), [2, 12]),
        ((2, 7), (0, None), [2, 7]),
        ((0, None), (0, None), [0, None]),
    ],
)
def test_a_sum_is_null_when_nothing_is_left_to_add(old: Any, deltas: Any, new: list[Any]) -> None:
    assert merged(sum_area(X, LONGS), old, deltas) == new


def test_a_stored_sum_that_overflowed_is_never_added_to() -> None:
    with pytest.raises(Raised, match="overflow"):
        merged(sum_area(X, LONGS), (1, None), (1, 5))


def test_longs_are_added_wide_and_narrowed_at_the_end_so_that_an_overflow_shows() -> None:
    _, total = sum_area(X, LONGS).merge((Ref(1), Ref(2)), (Ref(3), Ref(4)))
    casts = [s.type for s in walk(total) if isinstance(s, Cast)]
    assert "decimal(38,0)" in casts
    assert "long" in casts
    _, total = sum_area(X, SumTypes("", "decimal(20,2)", "decimal(20,2)")).merge(
        (Ref(1), Ref(2)), (Ref(3), Ref(4))
    )
    assert {s.type for s in walk(total) if isinstance(s, Cast)} == {"decimal(20,2)"}


def test_sums_of_floats_are_recomputed_after_deletions_only() -> None:
    area = sum_area(X, FLOATS)
    assert [d.function for d in area.deltas] == ["weight", "sum", "removed"]
    assert area.recompute is not None
    assert value(area.recompute(constants((-1, -0.5, 1))), {}) is True
    assert value(area.recompute(constants((1, 0.5, 0))), {}) is False
    assert not area.exact


def test_exact_sums_are_recomputed_where_the_changes_alone_overflow() -> None:
    area = sum_area(X, LONGS)
    assert [d.function for d in area.deltas] == ["weight", "sum", "overflowed"]
    assert area.recompute is not None
    assert value(area.recompute(constants((-1, None, 1))), {}) is True
    assert value(area.recompute(constants((-1, -5, 0))), {}) is False
    assert area.exact


def test_a_sum_and_a_mean_of_longs_are_kept_apart() -> None:
    """The mean of longs is over an exact sum, the sum of longs overflows as Spark's does."""
    assert sum_area(X, LONGS).name != sum_area(X, SumTypes("decimal(20,0)", "x", "y")).name


@pytest.mark.parametrize(
    ("extreme", "old", "deltas", "new", "lost"),
    [
        # stored: the extreme and its copies; changes: the best inserted and deleted, with copies
        ("max", (None, 0), (5, 2, None, 0), [5, 2], False),
        ("max", (5, 2), (7, 1, None, 0), [7, 1], False),
        ("max", (5, 2), (5, 1, None, 0), [5, 3], False),
        ("max", (5, 2), (4, 9, 5, 1), [5, 1], False),
        ("max", (5, 2), (None, 0, 5, 2), [5, 0], True),
        ("max", (5, 2), (4, 9, 5, 2), [5, 0], True),
        ("max", (5, 2), (None, 0, 3, 8), [5, 2], False),
        ("min", (5, 2), (4, 1, 5, 2), [4, 1], False),
        ("min", (5, 2), (6, 1, 5, 2), [5, 0], True),
        ("min", (None, 0), (None, 0, None, 0), [None, 0], False),
        ("max", (None, 0), (5, 1, 9, 1), [5, 1], True),  # not net: better recomputed than wrong
    ],
)
def test_an_extreme_keeps_its_copies_until_it_is_lost(
    extreme: Extreme, old: Any, deltas: Any, new: list[Any], lost: bool
) -> None:
    area = extreme_area(X, "long", extreme)
    assert merged(area, old, deltas) == new
    assert area.lost is not None
    assert (value(area.lost(constants(old), constants(deltas)), {}) is True) == lost


# Means of decimals, against Python's own


def exact_value(scalar: Scalar) -> Any:
    """The value with decimals as Spark computes them: casts round, quotients keep some digits."""
    match scalar:
        case Cast(inner, type_) if (to := decimal_of(type_)) is not None:
            some = exact_value(inner)
            return None if some is None else fitted(Decimal(some), *to)
        case Cast(inner, _):
            return exact_value(inner)
        case Call("/", (a, b)):
            return quotient(exact_value(a), exact_value(b))
        case Call("%", (a, b)):
            return exact_value(a) % exact_value(b)
        case Call("+", (a, b)):
            return exact_value(a) + exact_value(b)
        case Call("-", (a, b)):
            return exact_value(a) - exact_value(b)
        case Call("coalesce", args):
            return next((v for a in args if (v := exact_value(a)) is not None), None)
        case Case(branches, otherwise):
            for condition, result in branches:
                if value(condition, {}) is True:
                    return exact_value(result)
            return exact_value(otherwise)
        case _:
            return value(scalar, {})


def fitted(number: Decimal, precision: int, scale: int) -> Decimal | None:
    """Rounded half up to the scale; NULL if it has too many digits, as a cast without ANSI."""
    rounded = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    return rounded if abs(rounded) < Decimal(10) ** (precision - scale) else None


def quotient(a: Decimal, b: Decimal) -> Decimal:
    """As Spark divides by a DECIMAL(20,0): the scale and 21 digits more, at most 29 of them."""
    digits = min(29, 21 - int(Decimal(a).as_tuple().exponent))
    return (Decimal(a) / b).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


@pytest.mark.parametrize(
    ("precision", "scale"),
    [(1, 0), (5, 5), (10, 2), (18, 6), (20, 16), (25, 0), (25, 12), (25, 16)],
)
def test_a_mean_of_decimals_rounds_as_the_exact_one(precision: int, scale: int) -> None:
    found = kept("avg", f"decimal({precision},{scale})")
    assert isinstance(found, Maintained)
    rng = Random(precision * 100 + scale)
    largest = 10**precision - 1
    for _ in range(300):
        count = rng.choice((1, 2, 3, 7, 16, 999, 10**6 + 3, rng.randint(1, 999_999_999)))
        total = sum(rng.randint(-largest, largest) for _ in range(min(count, 3)))
        total = total * (count // min(count, 3)) + rng.randint(0, 1)
        total = max(-largest * count, min(largest * count, total))
        number = Decimal(total).scaleb(-scale)
        with localcontext() as wide:
            wide.prec = 80
            mean = exact_value(found.value((integer(count), Constant("s", number))))
            exact = (number / count).quantize(Decimal(1).scaleb(-scale - 4), ROUND_HALF_UP)
        assert mean == exact, f"{number} / {count}"


def test_a_mean_of_nothing_is_null_and_of_too_many_an_error() -> None:
    for type_ in ("decimal(10,2)", "double"):
        found = kept("avg", type_)
        assert isinstance(found, Maintained)
        assert value(found.value((integer(0), NULL)), {}) is None
    found = kept("avg", "decimal(10,2)")
    assert isinstance(found, Maintained)
    with pytest.raises(Raised):
        value(found.value((integer(10**9), integer(1))), {})


def test_a_mean_of_floats_is_a_quotient() -> None:
    found = kept("avg", "integer")
    assert isinstance(found, Maintained)
    assert value(found.value((integer(4), integer(10))), {}) == 2.5


# The view as one value

A, B, C = Column(1, "Key!"), Column(2, "b"), Column(3, "c")
TABLE = Scan("t", At.NEW, (A, B, C))
TYPES = {1: "long", 2: "long", 3: "decimal(38,10)", **dict.fromkeys(range(4, 30), "long")}


def view_of(*outputs: tuple[Column, Scalar], calls: dict[int, AggregateCall]) -> Any:
    named = tuple((Column(i, f"c{i}"), call) for i, call in calls.items())
    return keyed_view(Project(Aggregate(TABLE, (A,), named), outputs), TYPES)


def test_a_value_that_is_public_has_no_hidden_copy() -> None:
    view = view_of(
        (Column(20, "k"), Ref(1)),
        (Column(21, "n"), Ref(10)),
        (Column(22, "s"), Ref(11)),
        calls={10: AggregateCall("count", ()), 11: AggregateCall("sum", (2,))},
    )
    assert [c.name for c in view.stored_columns] == ["k", "n", "s", "__ev.h0_sum_2_n"]


def test_keys_and_areas_that_are_not_public_are_hidden() -> None:
    view = view_of(
        (Column(21, "twice"), Call("+", (Ref(10), Ref(10)))),
        calls={10: AggregateCall("max", (2,))},
    )
    names = [c.name for c in view.stored_columns]
    assert names == [
        "twice",
        "__ev.h0_key_",
        "__ev.h1_count_n",
        "__ev.h2_max_2_x",
        "__ev.h3_max_2_copies",
    ]


def test_a_key_shown_twice_is_held_once() -> None:
    view = view_of((Column(20, "k"), Ref(1)), (Column(21, "again"), Ref(1)), calls={})
    assert [(c.name, held.id) for c, held in view.stored][:2] == [("k", 1), ("again", 21)]


def test_functions_share_their_areas() -> None:
    calls = {
        10: AggregateCall("sum", (2,)),
        11: AggregateCall("count", ()),
        12: AggregateCall("sum", (2,)),
    }
    view = view_of((Column(20, "k"), Ref(1)), calls=calls)
    assert [kept.area.name for kept in view.areas] == ["count", "sum_2"]
    assert view.count.area.name == "count"


def test_what_cannot_be_kept_is_stored_as_it_is_and_said() -> None:
    view = view_of(
        (Column(20, "k"), Ref(1)),
        (Column(21, "s"), Ref(10)),
        calls={10: AggregateCall("sum", (3,))},
    )
    assert [c.id for c, _ in view.recomputed] == [10]
    assert "38 digits" in view.reasons[0]
    assert view.highest_id() >= max(c.id for c in view.stored_columns)


def test_a_view_is_a_projection_over_a_group() -> None:
    with pytest.raises(AssertionError):
        keyed_view(Project(TABLE, ()), {})
