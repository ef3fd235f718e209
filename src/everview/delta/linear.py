"""Which relations gain rows only, whenever their tables gain rows only."""

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
from everview.algebra.walk import walk_plan


def is_linear(rel: Rel) -> bool:
    """Whether insertions into tables are insertions into the relation, line by line."""
    return all(map(_is_linear, walk_plan(rel)))


def _is_linear(rel: Rel) -> bool:
    match rel:
        case Scan() | Values() | TableFunction() | Filter() | Project() | Generate() | Unpivot():
            return True
        case Shared() | UnionAll():
            return True
        case Join(kind):
            return kind in ("inner", "cross")
        case Except() | Intersect() | Distinct() | Aggregate() | Window() | TopK() | Pivot():
            return False
        case Changes() | Local() | Signed() | Negate() | Net() | Touched() | ChangeTable():
            return False
        case _:
            assert_never(rel)
