"""Means of decimals are exact: compared with Python's own."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from random import Random
from typing import Any

import pytest

from everview.aggregates.functions import Maintained
from everview.aggregates.numbers import decimal_of
from everview.algebra.meaning.scalars import Raised, value
from everview.algebra.scalars import NULL, Call, Case, Cast, Constant, Scalar, integer
from tests.aggregates.upkeeps import kept


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
