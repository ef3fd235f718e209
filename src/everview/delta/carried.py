"""Changes of the matched rows of one outer join as changes of the rows of the view."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import At, Filter, Join, JoinKind, Project, Rel
from everview.delta.context import DeltaContext
from everview.delta.stored_rows import stands_at
from everview.rewrite.marked_joins import JoinMark

# What each kind of join does with rows that come in on one side: what it would pad on the other
# side does not come of them.
_FROM_LEFT: dict[JoinKind, JoinKind] = {
    "inner": "inner", "cross": "cross", "semi": "semi", "anti": "anti",
    "left": "left", "full": "left",
}  # fmt: skip
_FROM_RIGHT: dict[JoinKind, JoinKind] = {
    "inner": "inner", "cross": "cross", "right": "right", "full": "right",
}  # fmt: skip


def carried(rel: Rel, mark: JoinMark, changes: Rel, context: DeltaContext) -> Rel | None:
    """The definition over these changes in place of the join that the mark is of, all other tables
    as they were; None if the join does not stand in it, or stands below another operator.

    Each operator on the way treats row by row what comes in on this side, so that
    (stored rows) + carried(changes) is the definition over (A_old ⋈ B_old + changes).
    """
    if stands_at(mark, rel):
        return changes
    match rel:
        case Project(input_) | Filter(input_):
            below = carried(input_, mark, changes, context)
            return None if below is None else replace(rel, input=below)
        case Join():
            return _of_join(rel, mark, changes, context)
        case _:
            return None


def _of_join(join: Join, mark: JoinMark, changes: Rel, context: DeltaContext) -> Rel | None:
    left = carried(join.left, mark, changes, context)
    if left is not None:
        other = context.at(join.right, At.OLD)
        kind = _FROM_LEFT.get(join.kind)
        return None if kind is None else replace(join, kind=kind, left=left, right=other)
    right = carried(join.right, mark, changes, context)
    if right is not None:
        other = context.at(join.left, At.OLD)
        kind = _FROM_RIGHT.get(join.kind)
        return None if kind is None else replace(join, kind=kind, left=other, right=right)
    return None
