"""The values that a query's conditions compare its columns with."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

Wanted = dict[str, list[Any]]  # per column, values for which some condition holds

MOST_VALUES = 40


@dataclass(frozen=True)
class Conditions:
    """What a query asks of its columns; of conditions joined by OR one alternative."""

    wanted: Wanted = field(default_factory=dict)
    denied: Wanted = field(default_factory=dict)


def conditions(tree: exp.Expr, rng: Random) -> Conditions:
    found = Conditions()
    _gather(tree, rng, found)
    return found


def _gather(node: exp.Expr, rng: Random, found: Conditions) -> None:
    if isinstance(node, exp.Or):
        branches = list(node.flatten())
        _gather(branches[rng.randrange(len(branches))], rng, found)
        return
    is_denied = isinstance(node, exp.Not | exp.NEQ)
    column, values = _compared(node.this if isinstance(node, exp.Not) else node)
    if values:
        (found.denied if is_denied else found.wanted).setdefault(column, []).extend(values)
        return
    if not (is_denied and isinstance(node.this, exp.In)):
        for child in node.iter_expressions():
            _gather(child, rng, found)


def _compared(node: exp.Expr) -> tuple[str, list[Any]]:
    """The column of one condition, and values for which it holds."""
    match node:
        case exp.EQ() | exp.NEQ() | exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
            bounds = [node.expression]
        case exp.Between():
            bounds = [node.args["low"], node.args["high"]]
        case exp.In():
            bounds = node.expressions
        case exp.Like():
            bounds = [node.expression]
        case exp.Is(this=exp.Column() as column, expression=exp.Null()):
            return column.name.lower(), [None]
        case _:
            return "", []
    column = node.this.this if isinstance(node.this, exp.Cast | exp.Substring) else node.this
    constants = [_constant(bound) for bound in bounds]
    if not isinstance(column, exp.Column) or not constants or None in constants:
        return "", []
    return column.name.lower(), _holding(node, constants)


def _holding(node: exp.Expr, constants: list[Any]) -> list[Any]:
    first = constants[0]
    match node:
        case exp.Between():
            return _between(first, constants[1])
        case exp.Like():
            return [first.replace("%", " ").strip()]
        case exp.GT() | exp.GTE() if not isinstance(first, str):
            return [_shifted(first, by) for by in _steps(first)]
        case exp.LT() | exp.LTE() if not isinstance(first, str):
            return [_shifted(first, -by) for by in _steps(first)]
        case _:
            return constants


def _between(low: Any, high: Any) -> list[Any]:
    if isinstance(low, str):
        return [low, high]
    steps = int((high - low).days) if isinstance(low, datetime.date) else int(high - low)
    stride = max(1, steps // MOST_VALUES)
    return [_shifted(low, by) for by in range(0, steps + 1, stride)] or [low, high]


def _steps(bound: Any) -> tuple[int, ...]:
    """How far beyond a bound: a sum of money may be far off."""
    return (1, 100, 9000) if isinstance(bound, Decimal) else (1, 2, 10)


def _shifted(value: Any, by: int) -> Any:
    return value + datetime.timedelta(days=by) if isinstance(value, datetime.date) else value + by


def _constant(node: exp.Expr) -> Any:
    """What a text without columns denotes, None if it is not that plain."""
    if node.find(exp.Column, exp.Query):
        return None
    plain = simplify(node.copy(), dialect="duckdb")
    while isinstance(plain, exp.Paren | exp.Cast):
        plain = plain.this
    sign = -1 if isinstance(plain, exp.Neg) else 1
    literal = plain.this if isinstance(plain, exp.Neg) else plain
    if not isinstance(literal, exp.Literal):
        return None
    if not literal.is_string:
        return sign * (Decimal(literal.name) if "." in literal.name else int(literal.name))
    try:
        return datetime.date.fromisoformat(literal.name)
    except ValueError:
        return literal.name


def typed(value: Any, type_: pa.DataType) -> Any:
    """The value as one of a column's type; the value itself if it is already."""
    if value is None:
        return None
    if pa.types.is_decimal(type_) and not isinstance(value, str):
        return Decimal(value).quantize(Decimal(1).scaleb(-type_.scale))
    if pa.types.is_integer(type_):
        return int(value)
    if pa.types.is_string(type_):
        return str(value)
    return value
