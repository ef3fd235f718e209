"""Columns that are NULL in no row of a relation, whatever the tables hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from everview.algebra.calls import AggregateCall
from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Local,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    TableFunction,
    TopK,
    Touched,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import (
    Column,
    ColumnId,
    Compare,
    Constant,
    IsNull,
    Not,
    Ref,
    Scalar,
    called,
    conjuncts,
)

Columns = frozenset[ColumnId]


def never_null(rel: Rel) -> Columns:
    """Set operations say nothing: a cast to a common type may give NULL."""
    match rel:
        case Scan() | Changes() | Local() | TableFunction():
            return frozenset()
        case UnionAll() | Except() | Intersect() | Touched() | ChangeTable():
            return frozenset()
        case Values(rows, columns):
            each = zip(columns, zip(*rows, strict=True), strict=True)
            return frozenset(c.id for c, some in each if all(map(_is_value, some)))
        case Filter(input_, condition):
            return never_null(input_) | _required(condition)
        case Project(input_, outputs):
            below = never_null(input_)
            return frozenset(
                c.id for c, s in outputs if _is_value(s) or (isinstance(s, Ref) and s.id in below)
            )
        case Join():
            return _joined(rel)
        case Aggregate(input_, keys, calls):
            counts = (c for c, f in calls if isinstance(f, AggregateCall) and f.function == "count")
            return _ids(counts) | (never_null(input_) & _ids(keys))
        case Pivot(input_, keys):
            return never_null(input_) & _ids(keys)
        case Unpivot(input_, kept, label):
            return (never_null(input_) & _ids(kept)) | {label.id}
        case Window(input_, _, calls):
            numbered = (c for c, f in calls if called(f.function) == "row_number")
            return never_null(input_) | _ids(numbered)
        case Shared() | Generate() | Distinct() | TopK() | Signed() | Negate() | Net() | Copies():
            return never_null(rel.input)
        case _:
            assert_never(rel)


def _joined(join: Join) -> Columns:
    """Of a side that may be padded, nothing."""
    left, right = never_null(join.left), never_null(join.right)
    match join.kind:
        case "inner" | "cross":
            return left | right | _required(join.condition)
        case "left" | "anti":
            return left
        case "semi":
            return left | (_required(join.condition) & _ids(join.left.columns))
        case "mark":
            return left | (_ids(join.columns) - _ids(join.left.columns))
        case "right":
            return right
        case "full":
            return frozenset()
        case _:
            assert_never(join.kind)


def _required(condition: Scalar | None) -> Columns:
    """The columns that are not NULL where the condition is true."""
    found: set[ColumnId] = set()
    for part in conjuncts(condition):
        match part:
            case Compare(op, left, right) if op != "<=>":
                found |= {side.id for side in (left, right) if isinstance(side, Ref)}
            case Ref(column) | Not(Ref(column)) | Not(IsNull(Ref(column))):
                found.add(column)
            case _:
                pass
    return frozenset(found)


def _is_value(scalar: Scalar) -> bool:
    return isinstance(scalar, Constant) and scalar.text.upper() != "NULL"


def _ids(columns: Iterable[Column]) -> Columns:
    return frozenset(c.id for c in columns)
