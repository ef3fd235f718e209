"""Order inner joins so that each finds its partners by an equality, where the text has them."""

from __future__ import annotations

from collections.abc import Callable

from everview.algebra.derive.equalities import join_equalities
from everview.algebra.memo import Memo
from everview.algebra.relations import Filter, Join, Project, Rel
from everview.algebra.scalars import Ref, Scalar, all_of, refs
from everview.algebra.walk import over_inputs
from everview.rewrite.chains import flattened_joins, is_inner, next_linked


def connected_joins(rel: Rel) -> Rel:
    """σ_{a=c ∧ b=c} ((A × B) × C)  =  (A ⋈_{a=c} C) ⋈_{b=c} B, its columns as before.

    The changes of a chain in which every join is by equality never meet a product of tables. A
    chain that is so already, or cannot be, stays as it is.
    """
    memo = Memo[Rel]()

    def find_order(some: Rel) -> Rel:
        return _chain(some, connect) or over_inputs(some, tuple(map(connect, some.inputs)))

    def connect(some: Rel) -> Rel:
        return memo.of(some, find_order)

    return connect(rel)


def _chain(rel: Rel, connect: Callable[[Rel], Rel]) -> Rel | None:
    """The chain in a connected order; None where there is none or none is needed."""
    top = rel.input if isinstance(rel, Filter) else rel
    if rel.weighted or not is_inner(top) or not _has_product(top):
        return None
    leaves, conditions = flattened_joins(rel)
    current, rest = leaves[0], leaves[1:]
    joins: list[Rel] = []
    reached = {c.id for c in current.columns}
    while rest:
        linked = next_linked(reached, rest, conditions)
        if linked is None:
            return None
        joins.append(linked)
        reached |= {c.id for c in linked.columns}
        rest = [leaf for leaf in rest if leaf is not linked]
    return _build_chain(connect(current), [connect(j) for j in joins], conditions, rel)


def _build_chain(first: Rel, joins: list[Rel], conditions: list[Scalar], rel: Rel) -> Rel:
    current, left = _with_own_conditions(first, conditions)
    for leaf in joins:
        right, left = _with_own_conditions(leaf, left)
        reached = {c.id for c in (*current.columns, *right.columns)}
        now = tuple(c for c in left if refs(c) <= reached)
        left = [c for c in left if not refs(c) <= reached]
        current = Join("inner", current, right, all_of(now))
    if current.columns != rel.columns:
        current = Project(current, tuple((c, Ref(c.id)) for c in rel.columns))
    return current


def _with_own_conditions(leaf: Rel, conditions: list[Scalar]) -> tuple[Rel, list[Scalar]]:
    """The leaf with the conditions that read nothing else, and the other conditions."""
    ids = {c.id for c in leaf.columns}
    own = tuple(c for c in conditions if refs(c) and refs(c) <= ids)
    if not own:
        return leaf, conditions
    return Filter(leaf, all_of(own)), [c for c in conditions if c not in own]


def _has_product(rel: Rel) -> bool:
    """Whether some join of the chain has no equality between its sides."""
    if isinstance(rel, Filter):
        return _has_product(rel.input)
    if not isinstance(rel, Join) or not is_inner(rel):
        return False
    return not join_equalities(rel) or _has_product(rel.left) or _has_product(rel.right)
