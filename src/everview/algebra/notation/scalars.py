"""Scalars as a person writes them in a formula: no quoting, few parentheses, never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

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

_OPERATORS = frozenset("+-*/%")


def scalar_notation(scalar: Scalar, names: Mapping[ColumnId, str]) -> str:
    """The scalar for reading; `names` says what each column is called."""

    def part(inner: Scalar) -> str:
        return _enclosed(inner, scalar_notation(inner, names))

    match scalar:
        case Ref(id_):
            return names.get(id_, f"#{id_}")
        case Outer(id_):
            return f"outer.{names.get(id_, f'#{id_}')}"
        case Constant(text, _):
            return text
        case Compare(op, left, right):
            return f"{part(left)} {op} {part(right)}"
        case And(parts):
            return " and ".join(map(part, parts)) or "true"
        case Or(parts):
            return " or ".join(map(part, parts)) or "false"
        case Not(input_):
            return f"not {part(input_)}"
        case IsNull(input_):
            return f"{part(input_)} is null"
        case Case(branches, otherwise):
            whens = " ".join(f"when {part(c)} then {part(v)}" for c, v in branches)
            return f"case {whens} else {part(otherwise)} end"
        case Cast(input_, type_):
            return f"cast({scalar_notation(input_, names)} as {type_})"
        case Call("comparable", (value, *_)):
            return scalar_notation(value, names)
        case Call(function, (left, right)) if function in _OPERATORS:
            return f"{part(left)} {function} {part(right)}"
        case Call(function, args):
            return f"{function}({', '.join(scalar_notation(a, names) for a in args)})"
        case Opaque(pieces, _):
            said = "".join(p if isinstance(p, str) else part(p) for p in pieces)
            return " ".join(said.split())
        case _:
            assert_never(scalar)


def _enclosed(scalar: Scalar, text: str) -> str:
    """In parentheses where it would run into what stands around it."""
    match scalar:
        case Ref() | Constant() | Cast() | Case():
            return text
        case Call(function, _) if function not in _OPERATORS:
            return text
        case Compare():
            return text
        case _:
            return f"({text})" if " " in text else text
