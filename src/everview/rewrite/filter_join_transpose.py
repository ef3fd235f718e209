"""Move a filter below a join that keeps or tests the rows it reads, however the text orders
them.
"""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Filter, Join, JoinKind, Rel, Side
from everview.algebra.scalars import Scalar, all_of, conjuncts, refs

# The side of which every row passes or not by its own, whatever the other side pads.
_OWN: dict[JoinKind, Side] = {
    "left": "left", "semi": "left", "anti": "left", "mark": "left", "right": "right",
}  # fmt: skip


def filter_join_transpose(rel: Rel) -> Rel:
    """σ_p(A ⟕ B)  =  σ_p A ⟕ B  where p reads A alone; so too for ⋉, ▷, ⋉?, and for B of ⟖.

    A filter between two subqueries of a WHERE is met by the joins of its FROM.
    """
    if not isinstance(rel, Filter) or not isinstance(rel.input, Join):
        return rel
    join = rel.input
    side = _OWN.get(join.kind)
    if side is None:
        return rel
    kept = join.left if side == "left" else join.right
    ids = {c.id for c in kept.columns}
    own = tuple(c for c in conjuncts(rel.condition) if refs(c) and refs(c) <= ids)
    if not own:
        return rel
    below = Filter(kept, all_of(own))
    moved = replace(join, left=below) if side == "left" else replace(join, right=below)
    return _filter_by(moved, tuple(c for c in conjuncts(rel.condition) if c not in own))


def _filter_by(rel: Rel, conditions: tuple[Scalar, ...]) -> Rel:
    return Filter(rel, all_of(conditions)) if conditions else rel
