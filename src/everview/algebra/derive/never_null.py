"""Columns that are NULL in no row of a relation, whatever the tables hold."""

from __future__ import annotations

from collections.abc import Iterable

from everview.algebra.calls import AggregateCall
from everview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    Project,
    Rel,
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

ColumnIds = frozenset[ColumnId]


def never_null(rel: Rel) -> ColumnIds:
    """What comes from an input as it is, unless it is cast: a cast to a common type may give NULL;
    and what the operator itself makes or asks for.
    """
    return _passed_on(rel) | _own(rel)


def _passed_on(rel: Rel) -> ColumnIds:
    below = {id(i): never_null(i) for i in rel.inputs}
    return frozenset(
        column
        for column, origins in rel.origins.items()
        if len(origins) == 1 and origins[0].column in below[id(origins[0].input)]
    )


def _own(rel: Rel) -> ColumnIds:
    """The columns that are not NULL because of what the operator itself does."""
    match rel:
        case Values(rows, columns):
            each = zip(columns, zip(*rows, strict=True), strict=True)
            return _ids(c for c, some in each if all(map(_is_value, some)))
        case Filter(_, condition) | Join("inner", _, _, condition):
            return not_null_where(condition)
        case Join("semi", left, _, condition):
            return not_null_where(condition) & _ids(left.columns)
        case Join("mark", mark=Column() as mark):
            return _ids([mark])
        case Project(_, outputs):
            return _ids(c for c, s in outputs if _is_value(s))
        case Aggregate(_, _, calls):
            return _ids(
                c for c, f in calls if isinstance(f, AggregateCall) and f.function == "count"
            )
        case Unpivot(_, _, label):
            return _ids([label])
        case Window(_, _, calls):
            return _ids(c for c, f in calls if called(f.function) == "row_number")
        case _:
            return frozenset()


def not_null_where(condition: Scalar | None) -> ColumnIds:
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


def _ids(columns: Iterable[Column]) -> ColumnIds:
    return frozenset(c.id for c in columns)
