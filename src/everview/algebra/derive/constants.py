"""Columns that have the same value in every row of a relation (Vista, 5.6: bound attributes)."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.derive.conditions import Fixed, Types, alike, said, spread
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
from everview.algebra.scalars import ColumnId, Constant, Ref
from everview.algebra.walk import inputs


def constants(rel: Rel, types: Types) -> Fixed:
    """The value of each column that is known to have one only."""
    match rel:
        case Scan() | Changes() | Local() | TableFunction():
            return {}
        case Values(rows, columns):
            each = zip(columns, zip(*rows, strict=True), strict=True)
            return {
                c.id: some[0]
                for c, some in each
                if len(set(some)) == 1 and isinstance(some[0], Constant)
            }
        case Filter(input_, condition):
            what = said(condition, types)
            return spread({**constants(input_, types), **what.fixed}, what.equal)
        case Project():
            return _projected(rel, types)
        case Join():
            return _joined(rel, types)
        case UnionAll() | Except() | Intersect():
            return _by_place(rel, types)
        case Aggregate() | Pivot() | Unpivot() | Touched() | ChangeTable():
            below = rel.changes if isinstance(rel, Touched | ChangeTable) else rel.input
            shown = {c.id for c in rel.columns}
            return {c: v for c, v in constants(below, types).items() if c in shown}
        case (
            Shared() | Generate() | Distinct() | Window() | TopK() | Signed() | Negate() | Net()
            | Copies()
        ):  # fmt: skip
            return constants(rel.input, types)
        case _:
            assert_never(rel)


def _projected(rel: Project, types: Types) -> Fixed:
    below = constants(rel.input, types)
    found: dict[ColumnId, Constant] = {}
    for column, scalar in rel.outputs:
        match scalar:
            case Constant():
                found[column.id] = scalar
            case Ref(id_) if id_ in below:
                found[column.id] = below[id_]
            case _:
                pass
    return found


def _joined(join: Join, types: Types) -> Fixed:
    """Of a side that may be padded, nothing: there its columns are NULL."""
    left, right = constants(join.left, types), constants(join.right, types)
    match join.kind:
        case "inner" | "cross" | "semi":
            what = said(join.condition, types)
            found = spread({**left, **right, **what.fixed}, what.equal)
            shown = {c.id for c in join.columns}
            return {c: v for c, v in found.items() if c in shown}
        case "left" | "anti" | "mark":
            return left
        case "right":
            return right
        case "full":
            return {}
        case _:
            assert_never(join.kind)


def _by_place(rel: UnionAll | Except | Intersect, types: Types) -> Fixed:
    """Of a union what all inputs say; of a difference what the left one says; of rows on both
    sides what either says.
    """
    found: dict[ColumnId, Constant] = {}
    sides = inputs(rel)
    known = [constants(side, types) for side in sides]
    for column, *own in zip(rel.columns, *(side.columns for side in sides), strict=True):
        each = [values.get(c.id) for values, c in zip(known, own, strict=True)]
        if isinstance(rel, Except):
            each = each[:1]
        if isinstance(rel, Intersect):
            each = [value for value in each if value is not None] or [None]
        is_known = isinstance(rel, UnionAll) or alike(*(types.get(c.id) for c in own))
        if is_known and each[0] is not None and len(set(each)) == 1:
            found[column.id] = each[0]
    return found
