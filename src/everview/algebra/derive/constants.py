"""Columns that have the same value in every row of a relation (Vista, 5.6: bound attributes)."""

from __future__ import annotations

from everview.algebra.derive.conditions import Fixed, alike, said, spread
from everview.algebra.relations import (
    Except,
    Filter,
    Intersect,
    Join,
    Project,
    Rel,
    UnionAll,
    Values,
)
from everview.algebra.scalars import ColumnId, Constant, Types


def constants(rel: Rel, types: Types) -> Fixed:
    """The value of each column that is known to have one only."""
    match rel:
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
            made = {c.id: s for c, s in rel.outputs if isinstance(s, Constant)}
            return {**made, **_passed_on(rel, types)}
        case Join(kind="inner" | "cross" | "semi"):
            return _of_pairs(rel, types)
        case UnionAll() | Except() | Intersect():
            return _by_place(rel, types)
        case _:
            return _passed_on(rel, types)


def _passed_on(rel: Rel, types: Types) -> Fixed:
    """The values of columns that come from an input as they are."""
    below = {id(i): constants(i, types) for i in rel.inputs}
    single = ((column, *origins) for column, origins in rel.origins.items() if len(origins) == 1)
    return {c: below[id(o.input)][o.column] for c, o in single if o.column in below[id(o.input)]}


def _of_pairs(join: Join, types: Types) -> Fixed:
    """What either side says, and the condition, which is true of every row."""
    what = said(join.condition, types)
    both = {**constants(join.left, types), **constants(join.right, types)}
    shown = {c.id for c in join.columns}
    found = spread({**both, **what.fixed}, what.equal)
    return {c: v for c, v in found.items() if c in shown}


def _by_place(rel: UnionAll | Except | Intersect, types: Types) -> Fixed:
    """Of a union what all inputs say; of a difference what the left one says; of rows on both
    sides what either says.
    """
    found: dict[ColumnId, Constant] = {}
    known = [constants(side, types) for side in rel.inputs]
    for column, *own in zip(rel.columns, *(i.columns for i in rel.inputs), strict=True):
        each = [values.get(c.id) for values, c in zip(known, own, strict=True)]
        if isinstance(rel, Except):
            each = each[:1]
        if isinstance(rel, Intersect):
            each = [value for value in each if value is not None] or [None]
        is_known = isinstance(rel, UnionAll) or alike(*(types.get(c.id) for c in own))
        if is_known and each[0] is not None and len(set(each)) == 1:
            found[column.id] = each[0]
    return found
