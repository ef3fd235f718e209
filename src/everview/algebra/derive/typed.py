"""Types of columns as far as they follow from others: what passes a column on keeps its type."""

from __future__ import annotations

from everview.algebra.calls import AggregateCall
from everview.algebra.relations import Aggregate, Project, Rel, Window
from everview.algebra.scalars import Cast, ColumnId, Types, called
from everview.algebra.walk import bottom_up


def typed(rel: Rel, types: Types) -> Types:
    """The given types, and those of more columns of the plan."""
    found = dict(types)
    for operator in bottom_up(rel):
        for column, type_ in (_passed_on(operator, found) | _made(operator)).items():
            found.setdefault(column, type_)
    return found


def _passed_on(rel: Rel, types: Types) -> dict[ColumnId, str]:
    """The types of columns that come from columns of one type."""
    found = {}
    for column, origins in rel.origins.items():
        each = {types.get(o.column, "") for o in origins}
        if len(each) == 1 and each != {""}:
            found[column] = each.pop()
    return found


def _made(rel: Rel) -> dict[ColumnId, str]:
    """The types of columns that the operator itself computes."""
    match rel:
        case Aggregate(_, _, calls):
            counts = (c for c, f in calls if isinstance(f, AggregateCall) and f.function == "count")
            return {c.id: "long" for c in counts}
        case Project(_, outputs):
            return {c.id: s.type for c, s in outputs if isinstance(s, Cast)}
        case Window(_, _, calls):
            return {c.id: "integer" for c, f in calls if called(f.function) == "row_number"}
        case _:
            return {}
