"""Changes of which no row can reach the view, as the bounds of their files tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Any, assert_never

from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Filter,
    Join,
    Negate,
    Net,
    Project,
    Rel,
    Shared,
    Signed,
    Touched,
    UnionAll,
)
from everview.algebra.scalars import (
    And,
    Cast,
    ColumnId,
    Compare,
    Comparison,
    Constant,
    IsNull,
    Or,
    Ref,
    Scalar,
    Types,
    conjuncts,
    refs,
    substitute,
)
from everview.algebra.types import DecimalOf, type_of
from everview.facts.files import Bounds, DataFile, TableFile
from everview.facts.tables import TableChanges

# What goes in: the plan of a view's changes, and the changes of its tables as files with the lowest
# and the highest value of their columns. What comes out: whether the plan has no row, whatever the
# files hold otherwise. Conditions go down the plan, as far as they read columns of one input, until
# they meet changes; these have no row that counts if every file fails one of the conditions as a
# whole. An inner join without rows on one side has none, a union has none if no input has, and so
# on. Then nothing needs to be read, and only the watermark moves.
#
#     σ region = 'north' (Δsales) ⋈ stores      files of Δsales: region from 'south' to 'south'
#     no row passes, so the join has none
#
# It is a proof or nothing: of what is not known here a row may be left.

# The changes of a table, None if its files do not tell what changed of the rows that are read.
ChangesOf = Callable[[str], TableChanges | None]
BoundsOf = Callable[[ColumnId], Bounds]
Conditions = tuple[Scalar, ...]

_WHOLE = ("byte", "short", "integer", "long")
_DIGITS_OF_LONG, _MOST_DIGITS = 20, 38
_INTEGER = re.compile(r"-?\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def has_no_rows(rel: Rel, changes_of: ChangesOf) -> bool:
    """Whether the files of the changes exclude that the plan has a row."""
    return _has_none(rel, (), changes_of)


def _has_none(rel: Rel, conditions: Conditions, changes_of: ChangesOf) -> bool:
    """The same of its rows that pass these conditions."""
    match rel:
        case Changes():
            changes = changes_of(rel.table)
            return changes is not None and _none_passes(rel, conditions, changes)
        case Filter(input_, condition):
            return _has_none(input_, (*conditions, *conjuncts(condition)), changes_of)
        case Project(input_, outputs):
            values = {column.id: scalar for column, scalar in outputs}
            below = tuple(substitute(c, values) for c in conditions)
            return _has_none(input_, below, changes_of)
        case UnionAll(inputs):
            return all(_has_none(i, _renamed(conditions, rel, i), changes_of) for i in inputs)
        case Join():
            return _join_has_none(rel, conditions, changes_of)
        case Net(input_) | Negate(input_) | Shared(_, input_) | Signed(input_, _):
            return _has_none(input_, conditions, changes_of)
        case Touched(changes, _):
            return _has_none(changes, conditions, changes_of)
        case ChangeTable(changes):
            return _has_none(changes, (), changes_of)
        case Aggregate(input_, keys, _) if keys:
            return _has_none(input_, (), changes_of)
        case _:
            return False


def _join_has_none(join: Join, conditions: Conditions, changes_of: ChangesOf) -> bool:
    """A row of a side that the join keeps whole is tested by what stands above alone."""

    def none_of(side: Rel, own: Conditions) -> bool:
        known = {c.id for c in side.columns}
        return _has_none(side, tuple(c for c in own if refs(c) <= known), changes_of)

    match join.kind:
        case "inner" | "cross" | "semi":
            own = (*conditions, *conjuncts(join.condition))
            return none_of(join.left, own) or none_of(join.right, own)
        case "left" | "anti" | "mark":
            return none_of(join.left, conditions)
        case "right" | "full":
            return False  # no rule of changes makes one
        case _:
            assert_never(join.kind)


def _renamed(conditions: Conditions, union: UnionAll, input_: Rel) -> Conditions:
    pairs = zip(union.columns, input_.columns, strict=True)
    place: dict[ColumnId, Scalar] = {c.id: Ref(own.id) for c, own in pairs}
    return tuple(substitute(c, place) for c in conditions)


def _none_passes(rel: Changes, conditions: Conditions, changes: TableChanges) -> bool:
    names = {c.id: c.name for c in rel.columns if c.name in changes.schema}
    types = {column: changes.schema[name].type for column, name in names.items()}

    def bounds_in(file: TableFile) -> BoundsOf:
        return lambda c: _bounds(file, names[c], types[c]) if c in names else Bounds()

    return all(
        not all(_may_hold(c, types, bounds_in(changed.file)) for c in conditions)
        for changed in changes.files
    )


def _bounds(file: TableFile, name: str, type_: str) -> Bounds:
    """The bounds of a column in a file; of one by which the table is partitioned, its value."""
    if not isinstance(file, DataFile) or name not in dict(file.partition):
        return file.bounds_of(name)
    value = _value(dict(file.partition)[name], type_)
    return Bounds() if value is None else Bounds(value, value, 0)


def _may_hold(condition: Scalar, types: Types, bounds_of: BoundsOf) -> bool:
    """Whether the condition may be true of a row within these bounds."""
    match condition:
        case And(parts):
            return all(_may_hold(p, types, bounds_of) for p in parts)
        case Or(parts):
            return any(_may_hold(p, types, bounds_of) for p in parts)
        case IsNull(Ref(column)):
            return bounds_of(column).nulls != 0
        case Compare(op, Ref(column), other):
            value = _value_of(other, types.get(column, ""))
            return value is None or _may_compare(op, bounds_of(column), value)
        case Compare(op, other, Ref(column)):
            value = _value_of(other, types.get(column, ""))
            return value is None or _may_compare(_TURNED[op], bounds_of(column), value)
        case _:
            return True


_TURNED: dict[Comparison, Comparison] = {
    "=": "=",
    "<=>": "<=>",
    "<>": "<>",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


def _may_compare(op: Comparison, bounds: Bounds, value: Any) -> bool:
    """Whether a column within these bounds may compare so with the value."""
    if bounds.low is None or bounds.high is None:
        return True
    low, high = bounds.low, bounds.high
    match op:
        case "=" | "<=>":
            return bool(low <= value <= high)
        case "<":
            return bool(low < value)
        case "<=":
            return bool(low <= value)
        case ">":
            return bool(high > value)
        case ">=":
            return bool(high >= value)
        case "<>":
            return True
        case _:
            assert_never(op)


def _value_of(scalar: Scalar, type_: str) -> Any:
    """The literal as a value of a column's type, None if Spark may compare it in another way."""
    match scalar:
        case Constant(_, bool()):
            return None
        case Constant(_, int() as value) if type_ in _WHOLE or _holds_integers(type_):
            return value
        case Constant(_, str() as value) if type_ == "string":
            return value
        case Constant(_, str() as value) | Cast(Constant(_, str() as value), "date") if (
            type_ == "date"
        ):
            return _value(value, "date")
        case _:
            return None


def _value(text: str | None, type_: str) -> Any:
    """What a text of a partition, or of a day, stands for; None if that is not plain."""
    if not text:
        return None
    if type_ == "string":
        return text
    if type_ in _WHOLE and _INTEGER.fullmatch(text):
        return int(text)
    if type_ == "date" and _DAY.fullmatch(text):
        with suppress(ValueError):
            return date.fromisoformat(text)
    return None


def _holds_integers(type_: str) -> bool:
    """Whether Spark compares a decimal with any whole number without cutting digits off."""
    known = type_of(type_)
    if not isinstance(known, DecimalOf):
        return False
    return known.scale + max(known.precision - known.scale, _DIGITS_OF_LONG) <= _MOST_DIGITS
