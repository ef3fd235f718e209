"""Chains of neighbouring inner joins, whose order is free."""

from __future__ import annotations

from collections.abc import Sequence

from everview.algebra.derive.equalities import equalities
from everview.algebra.relations import Filter, Join, Rel
from everview.algebra.scalars import Scalar, conjuncts


def is_inner(rel: Rel) -> bool:
    return isinstance(rel, Join) and rel.kind in ("inner", "cross")


def flattened_joins(rel: Rel) -> tuple[list[Rel], list[Scalar]]:
    """The inputs of neighbouring inner joins, and the conditions of joins and filters."""
    if isinstance(rel, Filter) and is_inner(rel.input):
        leaves, conditions = flattened_joins(rel.input)
        return leaves, [*conditions, *conjuncts(rel.condition)]
    if isinstance(rel, Join) and is_inner(rel):
        left, left_conditions = flattened_joins(rel.left)
        right, right_conditions = flattened_joins(rel.right)
        own = list(conjuncts(rel.condition))
        return left + right, left_conditions + right_conditions + own
    return [rel], []


def next_linked(
    reached: set[int], leaves: Sequence[Rel], conditions: Sequence[Scalar]
) -> Rel | None:
    """The first input that an equality leads to from the columns reached so far."""
    return next((x for x in leaves if _is_linked(reached, x, conditions)), None)


def _is_linked(reached: set[int], leaf: Rel, conditions: Sequence[Scalar]) -> bool:
    ids = {c.id for c in leaf.columns}
    return any(equalities(c, reached, ids) for c in conditions)
