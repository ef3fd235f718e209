"""Change propagation: the one dispatch from an operator to its delta rule."""

from __future__ import annotations

from typing import assert_never

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
    Local,
    Negate,
    Net,
    Pivot,
    PlanError,
    Project,
    Rel,
    Scan,
    Shared,
    TableFunction,
    TopK,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.delta.filter import delta_filter
from everview.delta.join import delta_join
from everview.delta.project import delta_project
from everview.delta.union_all import delta_union_all


def delta(rel: Rel, changed: frozenset[str]) -> Rel | None:
    """The query of the changes of `rel` when these tables changed; None if it cannot have changed.

    `rows(delta(q)) == rows(q at NEW) - rows(q at OLD)`, under the columns of `rel`.
    """
    match rel:
        case Scan(table, _, columns):
            return Changes(table, columns) if table in changed else None
        case Filter():
            return delta_filter(rel, delta(rel.input, changed))
        case Project():
            return delta_project(rel, delta(rel.input, changed))
        case Join(kind="inner" | "cross"):
            return delta_join(rel, delta(rel.left, changed), delta(rel.right, changed))
        case UnionAll():
            return delta_union_all(rel, tuple(delta(i, changed) for i in rel.inputs))
        case (
            Join() | Aggregate() | Values() | TableFunction() | Shared() | Generate() | Unpivot()
            | Except() | Intersect() | Distinct() | Window() | TopK() | Pivot()
            | Changes() | Local() | Negate() | Net() | ChangeTable()
        ):  # fmt: skip
            raise PlanError(f"no delta rule for {type(rel).__name__}: {rel}")
        case _:
            assert_never(rel)
