"""Scalars of our own computed over Python values, exactly as Spark would, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any, assert_never

from everview.algebra.scalars import (
    And,
    Call,
    Case,
    Cast,
    ColumnId,
    Compare,
    Constant,
    IsNull,
    Not,
    Opaque,
    Or,
    Outer,
    Ref,
    Scalar,
)
from everview.algebra.types import Characters, DecimalOf, Plain, type_of

# A scalar becomes a Python function of a row. Wherever Spark's answer depends on more than the
# values (an overflow, a NaN in a comparison, a text that is Spark's own) there is no answer here:
# `LeftToSpark` is raised, and the same work is done by a query. So nothing has to be told apart
# that Spark might decide otherwise under other settings.
#
#     s + coalesce(d, 0)    over {s: 5, d: None} is 5;  over {s: 2^63 - 1, d: 1} it is left to Spark

RowValues = Mapping[ColumnId, Any]
Function = Callable[[RowValues], Any]


class LeftToSpark(Exception):
    """Only Spark can tell the value."""


_WIDE = Context(prec=100, rounding=ROUND_HALF_UP)  # decimals are added and rounded exactly in it
_ORDERED = (int, float, Decimal, str, bytes, date)
_INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64}


def exactly() -> Any:
    """The context in which the functions must be called."""
    return localcontext(_WIDE)


def compiled(scalar: Scalar) -> Function:
    """The scalar as a function of a row; LeftToSpark if it has a part that is Spark's own."""
    match scalar:
        case Ref(id_):
            return lambda row: row[id_]
        case Constant(text, value):
            if value is None and text != "NULL":
                raise LeftToSpark(text)
            return lambda row: value
        case Compare("<=>", left, right):
            one, other = compiled(left), compiled(right)
            return lambda row: _same(one(row), other(row))
        case Compare(op, left, right):
            return _comparison(op, compiled(left), compiled(right))
        case And(parts):
            return _conjunction([compiled(p) for p in parts])
        case Or(parts):
            negated = _conjunction([_negation(compiled(p)) for p in parts])
            return _negation(negated)
        case Not(input_):
            return _negation(compiled(input_))
        case IsNull(input_):
            inner = compiled(input_)
            return lambda row: inner(row) is None
        case Cast(input_, type_):
            return _cast(compiled(input_), type_)
        case Case(branches, otherwise):
            return _case([(compiled(c), compiled(v)) for c, v in branches], compiled(otherwise))
        case Call(function, args):
            return _call(function, args)
        case Opaque() | Outer():
            raise LeftToSpark(repr(scalar))
        case _:
            assert_never(scalar)


def _comparison(op: str, one: Function, other: Function) -> Function:
    def compare(row: RowValues) -> bool | None:
        left, right = one(row), other(row)
        if left is None or right is None:
            return None
        _require_ordered(left, right)
        match op:
            case "=":
                return bool(left == right)
            case "<>":
                return bool(left != right)
            case "<":
                return bool(left < right)
            case "<=":
                return bool(left <= right)
            case ">":
                return bool(left > right)
            case _:
                return bool(left >= right)

    return compare


def _same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    _require_ordered(left, right)
    return bool(left == right)


def _require_ordered(*values: Any) -> None:
    """Python compares these as Spark does: not NaN, nor values that are made of parts."""
    for value in values:
        if not isinstance(value, _ORDERED) or value != value:
            raise LeftToSpark("an order of Spark's own")


def _conjunction(parts: list[Function]) -> Function:
    def every(row: RowValues) -> bool | None:
        unknown = False
        for part in parts:
            value = part(row)
            if value is False:
                return False
            unknown = unknown or value is None
        return None if unknown else True

    return every


def _negation(inner: Function) -> Function:
    def negated(row: RowValues) -> bool | None:
        value = inner(row)
        return None if value is None else not value

    return negated


def _case(branches: list[tuple[Function, Function]], otherwise: Function) -> Function:
    def chosen(row: RowValues) -> Any:
        for condition, result in branches:
            if condition(row) is True:
                return result(row)
        return otherwise(row)

    return chosen


def _cast(inner: Function, type_: str) -> Function:
    wanted = type_of(type_)
    match wanted:
        case DecimalOf(precision, scale):
            return _decimal(inner, precision, scale)
        case Plain(name) if name in _INTEGERS:
            most = 1 << (_INTEGERS[name] - 1)
            return lambda row: _whole(inner(row), most)
        case Plain("double"):
            return lambda row: _float(inner(row))
        case Plain("string") | Characters():
            return lambda row: _of_class(inner(row), str)
        case Plain("boolean"):
            return lambda row: _of_class(inner(row), bool)
        case Plain("date" | "timestamp" | "timestamp_ntz"):
            return lambda row: _of_class(inner(row), date)
        case _:
            return lambda row: _of_class(inner(row), ())


def _of_class(value: Any, classes: type | tuple[type, ...]) -> Any:
    if value is None or isinstance(value, classes):
        return value
    raise LeftToSpark("a cast to another type")


def _decimal(inner: Function, precision: int, scale: int) -> Function:
    last, least_too_large = Decimal(1).scaleb(-scale), Decimal(10) ** (precision - scale)

    def rounded(row: RowValues) -> Decimal | None:
        value = inner(row)
        if value is None:
            return None
        if not isinstance(value, Decimal):
            if isinstance(value, bool) or not isinstance(value, int):
                raise LeftToSpark("a cast to a decimal")
            value = Decimal(value)
        result = value.quantize(last, context=_WIDE)
        if abs(result) >= least_too_large:
            raise LeftToSpark("an overflow")
        return result

    return rounded


def _whole(value: Any, most: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool | float) or value != int(value):
        raise LeftToSpark("a cast to an integer")
    if not -most <= value < most:
        raise LeftToSpark("an overflow")
    return int(value)


def _float(value: Any) -> float | None:
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise LeftToSpark("a cast to a float")
    return float(value)  # the nearest one, as Java's


def _call(function: str, args: tuple[Scalar, ...]) -> Function:
    if function == "comparable":
        inner = compiled(args[0])
        return lambda row: _comparable(inner(row))
    parts = [compiled(a) for a in args]
    match function:
        case "coalesce":
            return lambda row: next((v for p in parts if (v := p(row)) is not None), None)
        case "greatest" | "least":
            return _extreme(max if function == "greatest" else min, parts)
        case "raise_error":  # Spark's error names the place, and is answered in one place
            return lambda row: _fail(parts[0](row))
        case "+" | "-" | "/" | "%":
            one, other = parts
            compute = _ARITHMETIC[function]
            return lambda row: _arithmetic(compute, one(row), other(row))
        case _:
            raise LeftToSpark(function)


def _comparable(value: Any) -> Any:
    """Floats by their text, and what is made of parts by a text of these."""
    return repr(value) if isinstance(value, float | list | dict | tuple) else value


def _extreme(best: Callable[..., Any], parts: list[Function]) -> Function:
    def extreme(row: RowValues) -> Any:
        present = [v for p in parts if (v := p(row)) is not None]
        _require_ordered(*present)
        if any(isinstance(v, float) and v == 0.0 for v in present):
            raise LeftToSpark("which zero")
        return best(present) if present else None

    return extreme


def _fail(text: str) -> Any:
    raise LeftToSpark(text)


def _arithmetic(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if left is None or right is None:
        return None
    if isinstance(left, float) != isinstance(right, float):
        raise LeftToSpark("numbers of two kinds")
    found = compute(left, right)
    if isinstance(found, int) and not -(1 << 63) <= found < 1 << 63:
        raise LeftToSpark("an overflow")
    return found


def _quotient(left: Any, right: Any) -> Any:
    """To a hundred digits: a fraction of numbers of at most 38 digits does not come that near to a
    half without being one, so that rounding it later is rounding once.
    """
    if right == 0:
        raise LeftToSpark("a division by zero")
    return left / right if isinstance(left, float) else Decimal(left) / Decimal(right)


def _remainder(left: Any, right: Any) -> Any:
    if right == 0 or isinstance(left, float):
        raise LeftToSpark("a remainder")
    return Decimal(left) % Decimal(right)  # with the sign of the first, as Spark's


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "/": _quotient,
    "%": _remainder,
}
