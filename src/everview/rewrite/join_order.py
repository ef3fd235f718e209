"""Order a chain of inner joins so that it starts from the changes and stays small."""

from __future__ import annotations

from everview.algebra.relations import Join, Project, Rel
from everview.algebra.scalars import Column, Compare, Ref, Scalar, all_of, conjuncts, refs


def join_order(rel: Rel) -> Rel:
    """A ⋈ B ⋈ ΔC  =  (ΔC ⋈ B) ⋈ A: from the changes on, next a table that an equality leads to."""
    if not isinstance(rel, Join) or rel.kind not in ("inner", "cross") or not rel.weighted:
        return rel
    leaves, conditions = _flatten(rel)
    current = next(leaf for leaf in leaves if leaf.weighted)
    rest = [leaf for leaf in leaves if leaf is not current]
    while rest:
        reached = {c.id for c in current.columns}
        chosen = next((leaf for leaf in rest if _linked(reached, leaf, conditions)), rest[0])
        rest = [leaf for leaf in rest if leaf is not chosen]
        reached |= {c.id for c in chosen.columns}
        now = tuple(c for c in conditions if refs(c) <= reached)
        conditions = [c for c in conditions if not refs(c) <= reached]
        current = _joined(current, chosen, now)
    return _in_order(current, rel.columns)


def _joined(small: Rel, next_: Rel, conditions: tuple[Scalar, ...]) -> Join:
    if not conditions:
        return Join("cross", small, next_, broadcast="left")
    return Join("inner", small, next_, all_of(conditions), broadcast="left")


def _flatten(rel: Rel) -> tuple[list[Rel], list[Scalar]]:
    """The inputs of neighbouring inner joins, and all their conditions."""
    if isinstance(rel, Join) and rel.kind in ("inner", "cross"):
        left, left_conditions = _flatten(rel.left)
        right, right_conditions = _flatten(rel.right)
        own = list(conjuncts(rel.condition))
        return left + right, left_conditions + right_conditions + own
    return [rel], []


def _linked(reached: set[int], leaf: Rel, conditions: list[Scalar]) -> bool:
    ids = {c.id for c in leaf.columns}
    return any(_links(c, reached, ids) for c in conditions)


def _links(condition: Scalar, reached: set[int], ids: set[int]) -> bool:
    if not isinstance(condition, Compare) or condition.op not in ("=", "<=>"):
        return False
    left, right = refs(condition.left), refs(condition.right)
    if not left or not right:
        return False
    return (left <= reached and right <= ids) or (left <= ids and right <= reached)


def _in_order(rel: Rel, columns: tuple[Column, ...]) -> Rel:
    if rel.columns == columns:
        return rel
    return Project(rel, tuple((c, Ref(c.id)) for c in columns))
