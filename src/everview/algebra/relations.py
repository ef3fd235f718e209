"""All operators: frozen values; a wrong one cannot be built."""

from __future__ import annotations

from everview.algebra.grouping import Aggregate, ChangeTable, Pivot, TopK, Window
from everview.algebra.integrity import At, PlanError
from everview.algebra.joins import Join, JoinKind, Side
from everview.algebra.leaves import Changes, Local, Scan, TableFunction, Values
from everview.algebra.rowwise import Filter, Generate, Negate, Project, Shared, Signed, Unpivot
from everview.algebra.sets import Copies, Distinct, Except, Intersect, Net, Touched, UnionAll

__all__ = [
    "Aggregate", "At", "ChangeTable", "Changes", "Copies", "Distinct", "Except", "Filter",
    "Generate", "Intersect", "Join", "JoinKind", "Local", "Negate", "Net", "Pivot", "PlanError",
    "Project", "Rel", "Scan", "Shared", "Side", "Signed", "SourceLeaf", "TableFunction", "TopK",
    "Touched", "UnionAll", "Unpivot", "Values", "Window",
]  # fmt: skip

SourceLeaf = Scan | Changes | Local  # whose rows are given to a plan from outside
Rel = (
    Scan
    | Changes
    | Local
    | Values
    | TableFunction
    | Shared
    | Filter
    | Project
    | Generate
    | Unpivot
    | Join
    | UnionAll
    | Except
    | Intersect
    | Distinct
    | Aggregate
    | Window
    | TopK
    | Pivot
    | Signed
    | Negate
    | Net
    | Copies
    | Touched
    | ChangeTable
)
