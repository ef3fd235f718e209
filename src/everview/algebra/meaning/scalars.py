"""What our own scalars mean, over Python values with None for NULL."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
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


class NoMeaning(Exception):
    """The scalar is Spark's own text: only Spark knows its value."""


class Raised(Exception):
    """The scalar `raise_error` was reached."""


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

# Functions that are NULL if an argument is.
_STRICT: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: Fraction(a) / Fraction(b),
    "%": lambda a, b: a - b * int(Fraction(a) / Fraction(b)),
    "abs": abs,
    "negative": operator.neg,
}


def value(scalar: Scalar, row: Mapping[ColumnId, Any]) -> Any:
    """The scalar's value for a row, which maps column ids to values."""
    match scalar:
        case Ref(id_):
            return row[id_]
        case Constant(_, constant):
            return constant
        case Compare(op, left, right):
            return _compare(op, value(left, row), value(right, row))
        case And(parts):
            return _every([value(p, row) for p in parts])
        case Or(parts):
            return _negated(_every([_negated(value(p, row)) for p in parts]))
        case Not(input_):
            return _negated(value(input_, row))
        case IsNull(input_):
            return value(input_, row) is None
        case Cast(input_, _):
            return value(input_, row)
        case Case(branches, otherwise):
            for condition, result in branches:
                if value(condition, row) is True:
                    return value(result, row)
            return value(otherwise, row)
        case Call("coalesce", args):
            return next((v for a in args if (v := value(a, row)) is not None), None)
        case Call(function, args):
            return _call(function, [value(a, row) for a in args])
        case Opaque() | Outer():
            raise NoMeaning(repr(scalar))
        case _:
            assert_never(scalar)


def _compare(op: str, left: Any, right: Any) -> bool | None:
    if op == "<=>":
        return bool(left == right)
    if left is None or right is None:
        return None
    return _COMPARISONS[op](left, right)


def _every(values: list[Any]) -> bool | None:
    if any(v is False for v in values):
        return False
    return None if any(v is None for v in values) else True


def _negated(some: bool | None) -> bool | None:
    return None if some is None else not some


def _call(function: str, args: list[Any]) -> Any:
    present = [a for a in args if a is not None]
    match function:
        case "greatest":
            return max(present, default=None)
        case "least":
            return min(present, default=None)
        case "comparable":
            return args[0]
        case "raise_error":
            raise Raised(args[0])
        case _:
            return None if len(present) < len(args) else _STRICT[function](*args)
