"""Types of columns as far as they follow from others: what passes a column on keeps its type."""

from __future__ import annotations

from everview.algebra.calls import AggregateCall
from everview.algebra.derive.conditions import Types
from everview.algebra.relations import (
    Aggregate,
    Except,
    Intersect,
    Project,
    Rel,
    UnionAll,
    Window,
)
from everview.algebra.scalars import ColumnId, Ref, called
from everview.algebra.walk import inputs, walk_plan


def typed(rel: Rel, types: Types) -> Types:
    """The given types, and those of more columns of the plan."""
    found = dict(types)
    for operator in reversed(list(walk_plan(rel))):
        for column, type_ in _made(operator, found).items():
            found.setdefault(column, type_)
    return found


def _made(rel: Rel, types: Types) -> dict[ColumnId, str]:
    """The types of columns that the operator itself makes."""
    match rel:
        case Project(_, outputs):
            passed = [(c.id, types.get(s.id)) for c, s in outputs if isinstance(s, Ref)]
            return {c: type_ for c, type_ in passed if type_ is not None}
        case UnionAll() | Except() | Intersect():
            found = {}
            for column, *own in zip(rel.columns, *(i.columns for i in inputs(rel)), strict=True):
                each = {types.get(c.id, "") for c in own}
                if len(each) == 1 and each != {""}:
                    found[column.id] = each.pop()
            return found
        case Aggregate(_, _, calls):
            counts = (c for c, f in calls if isinstance(f, AggregateCall) and f.function == "count")
            return {c.id: "long" for c in counts}
        case Window(_, _, calls):
            return {c.id: "integer" for c, f in calls if called(f.function) == "row_number"}
        case _:
            return {}
