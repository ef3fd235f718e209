"""What a join of groups equates, and what else it asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from everview.algebra.derive.conditions import alike
from everview.algebra.relations import Join
from everview.algebra.scalars import ColumnId, Compare, Ref, Scalar, conjuncts
from everview.rewrite.group_form.form import Making


@dataclass(frozen=True, slots=True)
class Equated:
    """A column of the left input and one of the right that must be equal."""

    left: ColumnId
    right: ColumnId
    op: Literal["=", "<=>"]


@dataclass(frozen=True, slots=True)
class JoinConditions:
    """The equalities between columns of one type, and all other conditions."""

    equated: tuple[Equated, ...]
    rest: tuple[Scalar, ...]


def conditions_of(join: Join, making: Making) -> JoinConditions:
    equated, rest = [], []
    for condition in conjuncts(join.condition):
        one = _equated(condition, join, making)
        if one is None:
            rest.append(condition)
        else:
            equated.append(one)
    return JoinConditions(tuple(equated), tuple(rest))


def _equated(condition: Scalar, join: Join, making: Making) -> Equated | None:
    match condition:
        case Compare("=" | "<=>" as op, Ref(x), Ref(y)):
            known = making.type_of(x), making.type_of(y)
            if known[0] != known[1] or not alike(*known):
                return None
        case _:
            return None
    lefts, rights = ({c.id for c in side.columns} for side in (join.left, join.right))
    if x in lefts and y in rights:
        return Equated(x, y, op)
    return Equated(y, x, op) if y in lefts and x in rights else None
