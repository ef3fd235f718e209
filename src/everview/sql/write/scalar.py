"""Scalars as Spark SQL text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from everview.algebra.integrity import PlanError
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
from everview.sql.names import escaped, is_name, sql_type
from everview.sql.write.comparable import comparable_text

ColumnTexts = Mapping[ColumnId, str]  # how each column is written

_OPERATORS = frozenset("+-*/%")


def scalar_text(scalar: Scalar, names: ColumnTexts) -> str:
    """The text of a scalar; `names` gives the text of each column it reads."""

    def text(part: Scalar) -> str:
        return scalar_text(part, names)

    match scalar:
        case Ref(id_):
            return names[id_]
        case Constant(constant, _):
            return escaped(constant)
        case Compare(op, left, right):
            return f"({text(left)} {op} {text(right)})"
        case And(parts):
            return _joined("AND", [text(p) for p in parts], "TRUE")
        case Or(parts):
            return _joined("OR", [text(p) for p in parts], "FALSE")
        case Not(input_):
            return f"(NOT {text(input_)})"
        case IsNull(input_):
            return f"({text(input_)} IS NULL)"
        case Cast(input_, type_):
            return f"CAST({text(input_)} AS {sql_type(type_)})"
        case Case(branches, otherwise):
            whens = " ".join(f"WHEN {text(c)} THEN {text(v)}" for c, v in branches)
            return f"CASE {whens} ELSE {text(otherwise)} END"
        case Call("comparable", (value, Constant(type_, _))):
            return comparable_text(text(value), type_)
        case Call("count", ()):
            return "count(*)"
        case Call(function, (left, right)) if function in _OPERATORS:
            return f"({text(left)} {function} {text(right)})"
        case Call(function, args):
            return f"{function}({', '.join(text(a) for a in args)})"
        case Opaque():
            return f"({bare_text(scalar, names)})"
        case Outer(id_):
            raise PlanError(f"a column of the row around is left in a plan: {id_}")
        case _:
            assert_never(scalar)


def bare_text(scalar: Scalar, names: ColumnTexts) -> str:
    """The text of a function call where Spark wants it without parentheses around."""
    if not isinstance(scalar, Opaque):
        return scalar_text(scalar, names)
    return "".join(
        escaped(p) if isinstance(p, str) else _piece(scalar_text(p, names)) for p in scalar.pieces
    )


def _joined(word: str, parts: list[str], empty: str) -> str:
    return f"({f' {word} '.join(parts)})" if parts else empty


def _piece(text: str) -> str:
    """A part of a verbatim text: a name stands as it is, anything longer in parentheses."""
    return text if is_name(text) else f"({text})"
