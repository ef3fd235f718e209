"""Scalars of our own computed over Arrow columns, exactly as over Python values, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, assert_never

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    refs,
)
from everview.algebra.types import DecimalOf, type_of
from everview.apply.exact import LeftToSpark, compiled, exactly
from everview.run.driver.arrow_types import arrow_type

# What goes in: a scalar and columns of many rows. What comes out: the column of its values. Where
# `apply/exact.py` computes row by row, here one call of Arrow computes all rows. Decimals have 256
# bits meanwhile, so that nothing is rounded before a cast says so. What Arrow would compute in
# another way (a division, a float) is computed row by row, and where a value is such that only
# Spark decides, an error is raised here as there.
#
#     s + coalesce(d, 0)    over s = [5, 2], d = [NULL, 1] is [5, 3]

_LONG_DIGITS = 19
_COMPARISONS: Mapping[str, Callable[..., pa.Array]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


@dataclass(frozen=True, slots=True)
class Batch:
    """Columns of some rows, by their ids."""

    columns: Mapping[ColumnId, pa.Array]
    rows: int

    def take(self, numbers: Any) -> Batch:
        """These rows, by their numbers."""
        chosen = pa.array(numbers)
        columns = {i: column.take(chosen) for i, column in self.columns.items()}
        return Batch(columns, len(numbers))


def column_of(scalar: Scalar, batch: Batch, type_: pa.DataType) -> pa.Array:
    """The values of a scalar as this type; LeftToSpark, or an error of Arrow, where only Spark
    can tell one of them.
    """
    needed = Batch({i: batch.columns[i] for i in refs(scalar)}, batch.rows)
    try:
        return _as(_computed(scalar, needed), type_)
    except (LeftToSpark, pa.ArrowNotImplementedError):
        return _by_rows(scalar, needed, type_)


def _by_rows(scalar: Scalar, batch: Batch, type_: pa.DataType) -> pa.Array:
    function = compiled(scalar)
    columns = [column.to_pylist() for column in batch.columns.values()]
    rows = zip(*columns, strict=True) if columns else [()] * batch.rows
    with exactly():
        values = [function(dict(zip(batch.columns, row, strict=True))) for row in rows]
    return pa.array(values, type_)


def _as(column: pa.Array, type_: pa.DataType) -> pa.Array:
    return column if column.type == type_ else column.cast(type_)


def _computed(scalar: Scalar, batch: Batch) -> pa.Array:
    match scalar:
        case Ref(id_):
            return batch.columns[id_]
        case Constant(text, value):
            if value is None and text != "NULL":
                raise LeftToSpark(text)
            return pa.repeat(pa.scalar(value), batch.rows)
        case Compare(op, left, right):
            return _compared(op, *_alike([_computed(left, batch), _computed(right, batch)]))
        case And(parts):
            true = pa.repeat(pa.scalar(True), batch.rows)
            return reduce(pc.and_kleene, (_truth(p, batch) for p in parts), true)
        case Or(parts):
            false = pa.repeat(pa.scalar(False), batch.rows)
            return reduce(pc.or_kleene, (_truth(p, batch) for p in parts), false)
        case Not(input_):
            return pc.invert(_truth(input_, batch))
        case IsNull(input_):
            return pc.is_null(_computed(input_, batch))
        case Cast(input_, type_):
            return _cast(_computed(input_, batch), type_)
        case Case():
            return _case(scalar, batch)
        case Call(function, args):
            return _call(function, args, batch)
        case Opaque() | Outer():
            raise LeftToSpark(repr(scalar))
        case _:
            assert_never(scalar)


def _truth(scalar: Scalar, batch: Batch) -> pa.Array:
    return _as(_computed(scalar, batch), pa.bool_())


def _compared(op: str, left: pa.Array, right: pa.Array) -> pa.Array:
    if op != "<=>":
        return _COMPARISONS[op](left, right)
    both = pc.and_(pc.is_null(left), pc.is_null(right))
    return pc.or_(both, pc.fill_null(pc.equal(left, right), fill_value=False))


def _alike(columns: Sequence[pa.Array]) -> list[pa.Array]:
    """The columns as one type in which Arrow computes and compares as Spark does."""
    types = {c.type for c in columns if not pa.types.is_null(c.type)}
    if not types:
        raise LeftToSpark("no value at all")
    if all(map(pa.types.is_integer, types)):
        return [_as(c, pa.int64()) for c in columns]
    if all(pa.types.is_integer(t) or pa.types.is_decimal(t) for t in types):
        scale = max(_places(t) for t in types)
        digits = max(_digits(t) - _places(t) for t in types)
        return [_as_decimal(c, pa.decimal256(digits + scale, scale)) for c in columns]
    one = types.pop()
    if types or pa.types.is_floating(one) or pa.types.is_nested(one):
        raise LeftToSpark("an order of Spark's own")
    return [_as(c, one) for c in columns]


def _digits(type_: pa.DataType) -> int:
    return type_.precision if pa.types.is_decimal(type_) else _LONG_DIGITS


def _places(type_: pa.DataType) -> int:
    return type_.scale if pa.types.is_decimal(type_) else 0


def _as_decimal(column: pa.Array, type_: pa.DataType) -> pa.Array:
    """Integers and decimals as a decimal that loses nothing of them."""
    if pa.types.is_integer(column.type):
        column = _as(column, pa.int64())
    return _as(column, type_)


def _cast(column: pa.Array, type_: str) -> pa.Array:
    parsed = type_of(type_)
    wanted = arrow_type(parsed)
    found = column.type
    if wanted is None:
        raise LeftToSpark("a cast to another type")
    if pa.types.is_null(found) or found == wanted:
        return _as(column, wanted)
    is_exact = pa.types.is_integer(found) or pa.types.is_decimal(found)
    if is_exact and isinstance(parsed, DecimalOf):
        return _rounded(column, parsed.scale).cast(wanted)
    if is_exact and pa.types.is_integer(wanted):
        return column.cast(wanted)
    raise LeftToSpark("a cast to another type")


def _rounded(column: pa.Array, scale: int) -> pa.Array:
    """Integers and decimals with at most so many places, halves away from zero."""
    places, digits = _places(column.type), _digits(column.type)
    wide = pa.decimal256(digits - places + max(places, scale) + 1, max(places, scale))
    exact = _as_decimal(column, wide)
    if places <= scale:
        return exact
    return pc.round(exact, ndigits=scale, round_mode="half_towards_infinity")


def _case(case: Case, batch: Batch) -> pa.Array:
    """Each branch computed for the rows that it is for, so that a failing one fails no others."""
    left = np.arange(batch.rows)
    chosen: list[tuple[Any, pa.Array]] = []
    for condition, value in case.branches:
        rest = batch.take(left)
        is_true = pc.fill_null(_truth(condition, rest), fill_value=False)
        holds = is_true.to_numpy(zero_copy_only=False).astype(bool)
        if holds.any() or not batch.rows:
            chosen.append((left[holds], _computed(value, batch.take(left[holds]))))
        left = left[~holds]
    if len(left) or not chosen:
        chosen.append((left, _computed(case.otherwise, batch.take(left))))
    values = [column for _, column in chosen]
    if len(values) > 1 and any(not pa.types.is_null(c.type) for c in values):
        values = _alike(values) if len({c.type for c in values}) > 1 else values
    order = np.argsort(np.concatenate([numbers for numbers, _ in chosen]))
    return pa.concat_arrays(values).take(pa.array(order))


def _call(function: str, args: tuple[Scalar, ...], batch: Batch) -> pa.Array:
    if function == "raise_error" and batch.rows:
        raise LeftToSpark("an error that Spark words")
    columns = [_computed(a, batch) for a in args]
    match function:
        case "raise_error":
            return pa.nulls(0)
        case "coalesce":
            return pc.coalesce(*_same_type(columns))
        case "greatest":
            return pc.max_element_wise(*_alike(columns))
        case "least":
            return pc.min_element_wise(*_alike(columns))
        case "+":
            return pc.add_checked(*_numbers(columns))
        case "-":
            return pc.subtract_checked(*_numbers(columns))
        case _:
            raise LeftToSpark(function)


def _same_type(columns: Sequence[pa.Array]) -> Sequence[pa.Array]:
    """The columns as they are where they have one type, floats too, else as numbers of one."""
    return columns if len({c.type for c in columns}) == 1 else _alike(columns)


def _numbers(columns: Sequence[pa.Array]) -> list[pa.Array]:
    alike = _alike(columns)
    kind = alike[0].type
    if not (pa.types.is_integer(kind) or pa.types.is_decimal(kind)):
        raise LeftToSpark("numbers of another kind")
    return alike
