"""Which operators no change table gets past, and why (singularity points: Gupta & Mumick, 5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everview.algebra.calls import AggregateCall
from everview.algebra.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    Join,
    Project,
    Rel,
    Shared,
    UnionAll,
    Window,
)
from everview.algebra.scalars import ColumnId, refs
from everview.rewrite.group_form.form import Passing
from everview.shape.group_changes import GroupChanges


def singular(rel: Rel, anew: Sequence[tuple[int, GroupChanges]], how: Passing | None) -> str:
    """Why the changes of these groups, by the input that they are handed up by, do not get past the
    operator as a change table; "" if they might.
    """
    values = {c: name for _, one in anew for c, name in one.values.items()}
    match rel:
        case Filter(_, condition):
            return _reading("it tests", refs(condition), values)
        case Join():
            if how is Passing.LOOKUP:
                return "the groups that are looked up become keys of the other ones"
            if rel.kind in ("semi", "anti", "mark") and {side for side, _ in anew} == {1}:
                return "it only tests whether there is a group"
            read = frozenset[ColumnId]() if rel.condition is None else refs(rel.condition)
            return _reading("it joins by", read, values)
        case UnionAll(inputs, _):
            some = {side for side, _ in anew}
            return "" if len(some) == len(inputs) else "it unites groups with what is none"
        case Aggregate():
            return _grouped(rel, values)
        case Distinct():
            return _reading("it compares", [c.id for c in rel.columns], values)
        case Window():
            return "it looks at all rows of a partition"
        case Except() | Intersect():
            return "it counts equal rows of both sides"
        case Project() | Shared():
            return ""
        case _:
            return "it makes other rows of them"


def _reading(what: str, read: Iterable[ColumnId], values: dict[ColumnId, str]) -> str:
    """`it tests total, which is computed of a group`"""
    found = list(dict.fromkeys(values[c] for c in read if c in values))
    if not found:
        return ""
    return f"{what} {', '.join(found)}, which {_IS[len(found) > 1]} computed of a group"


_IS = {False: "is", True: "are"}


def _grouped(rel: Aggregate, values: dict[ColumnId, str]) -> str:
    by = _reading("it groups by", [k.id for k in rel.keys], values)
    if by:
        return by
    for _, call in rel.calls:
        if not isinstance(call, AggregateCall):
            return "it has a function that is asked of all groups"
        if call.function not in ("sum", "min", "max"):
            return f"its {call.function} depends on how many groups there are"
    return "its functions are not those that the groups add up to"
