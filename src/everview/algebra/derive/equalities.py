"""The equalities of a join's condition, by which partners are found without looking at all rows."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Literal

from everview.algebra.joins import Join
from everview.algebra.scalars import ColumnId, Compare, Scalar, conjuncts, refs


@dataclass(frozen=True, slots=True)
class Equality:
    """A scalar of one side that must equal one of the other; `<=>` if NULLs are equal."""

    left: Scalar
    right: Scalar
    op: Literal["=", "<=>"]


def equalities(
    condition: Scalar | None, left: Set[ColumnId], right: Set[ColumnId]
) -> tuple[Equality, ...]:
    """The conjuncts that equate a scalar of the left columns with one of the right."""
    found = (_equality(c, left, right) for c in conjuncts(condition))
    return tuple(e for e in found if e is not None)


def join_equalities(join: Join) -> tuple[Equality, ...]:
    """Those between the two sides of a join."""
    left, right = ({c.id for c in side.columns} for side in (join.left, join.right))
    return equalities(join.condition, left, right)


def _equality(condition: Scalar, left: Set[ColumnId], right: Set[ColumnId]) -> Equality | None:
    if not isinstance(condition, Compare) or condition.op not in ("=", "<=>"):
        return None
    op: Literal["=", "<=>"] = "=" if condition.op == "=" else "<=>"
    one, other = condition.left, condition.right
    if not refs(one) or not refs(other):
        return None
    if refs(one) <= left and refs(other) <= right:
        return Equality(one, other, op)
    if refs(one) <= right and refs(other) <= left:
        return Equality(other, one, op)
    return None
