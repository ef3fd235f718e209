"""Which operators of a plan cannot be maintained by what changed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from everview.algebra.calls import VerbatimCall
from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    JoinKind,
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
from everview.algebra.scalars import Opaque, walk
from everview.algebra.walk import scalars, walk_plan

# The value of these is the same within one query, but not from one refresh to the next.
PER_QUERY = frozenset(
    {
        "current_catalog", "current_database", "current_date", "current_path", "current_role",
        "current_schema", "current_time", "current_timestamp", "current_timezone",
        "current_user", "curdate", "localtimestamp", "now", "session_user", "unix_timestamp",
        "user", "version",
    }
)  # fmt: skip

_JOINS: dict[JoinKind, str] = {
    "left": "LEFT JOIN (or a scalar subquery)",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "semi": "LEFT SEMI JOIN, EXISTS or IN",
    "anti": "LEFT ANTI JOIN, NOT EXISTS or NOT IN",
    "mark": "EXISTS or IN inside an expression",
}


@dataclass(frozen=True, slots=True)
class Unmaintained:
    """Why a plan is recomputed in full: the reason, and the operator or function it lies in."""

    reason: str
    operator: Rel | None = None
    function: str = ""


def unmaintained(rel: Rel) -> Unmaintained | None:
    """The first operator, root first, that has no delta rule; None if all have one."""
    for operator in walk_plan(rel):
        what = _without_rule(operator)
        if what:
            return Unmaintained(f"{what} is not maintained incrementally", operator)
        for function in _per_query(operator):
            reason = f"{function}() has another value at every refresh"
            return Unmaintained(reason, operator, function)
    return None


def _per_query(rel: Rel) -> list[str]:
    texts = [s for scalar in scalars(rel) for s in walk(scalar) if isinstance(s, Opaque)]
    return sorted({f for text in texts for f in text.functions} & PER_QUERY)


def _without_rule(rel: Rel) -> str:
    """What the operator is called in SQL if it has no delta rule, else ""."""
    match rel:
        case (
            Scan() | Changes() | Local() | Project() | UnionAll() | Signed() | Negate() | Net()
            | Touched() | ChangeTable()
        ):  # fmt: skip
            return ""
        case Filter(Aggregate() | Project(Aggregate(), _), _):
            return "HAVING"
        case Filter():
            return ""
        case Join(kind):
            return _JOINS.get(kind, "")
        case Aggregate():
            return _function_without_rule(rel)
        case Distinct(UnionAll()):
            return "UNION without ALL (it removes duplicates)"
        case Distinct() | Except() | Intersect():
            return type(rel).__name__.upper()
        case Window():
            return "a window function"
        case TopK():
            return "LIMIT or OFFSET"
        case Generate():
            return "a function that makes rows, such as explode,"
        case Pivot() | Unpivot():
            return type(rel).__name__.upper()
        case Values():
            return "VALUES, or a SELECT without FROM,"
        case TableFunction():
            return "a table function"
        case Shared():
            return "ROLLUP, CUBE, GROUPING SETS or a subquery that reads the row around it"
        case _:
            assert_never(rel)


def _function_without_rule(rel: Aggregate) -> str:
    for column, call in rel.calls:
        if isinstance(call, VerbatimCall):
            return f"{column.name}(...)"
        if call.distinct:
            return f"{call.function}(DISTINCT ...)"
    return ""
