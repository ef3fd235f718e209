"""Order a chain of inner joins so that it starts from the changes and stays small."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from everview.algebra.memo import Memo
from everview.algebra.relations import Filter, Join, Project, Rel
from everview.algebra.scalars import Column, Ref, Scalar, all_of, refs
from everview.algebra.walk import over_inputs
from everview.rewrite.chains import flattened_joins, is_inner, next_linked


def join_order(rel: Rel) -> Rel:
    """A ⋈ B ⋈ ΔC  =  (ΔC ⋈ B) ⋈ A: from the changes on, next a table that an equality leads to.

    In every chain of joins of the plan; one that several read is ordered once.
    """
    memo = Memo[Rel]()

    def find_order(some: Rel) -> Rel:
        return _chain(some, order) if _is_chain(some) else _over_changed(some, order)

    def order(some: Rel) -> Rel:
        return memo.of(some, find_order)

    return order(rel)


def _is_chain(rel: Rel) -> bool:
    return is_inner(rel) and rel.weighted


def _over_changed(rel: Rel, change: Callable[[Rel], Rel]) -> Rel:
    return over_inputs(rel, tuple(map(change, rel.inputs)))


def _chain(rel: Rel, order: Callable[[Rel], Rel]) -> Rel:
    leaves, conditions = flattened_joins(rel)
    if not conditions:
        return _over_changed(rel, order)
    leaves = [_filtered(order(leaf), conditions) for leaf in leaves]
    conditions = [c for c in conditions if not any(_reads_alone(c, leaf) for leaf in leaves)]
    current = next(leaf for leaf in leaves if leaf.weighted)
    rest = [leaf for leaf in leaves if leaf is not current]
    while rest:
        reached = {c.id for c in current.columns}
        chosen = next_linked(reached, rest, conditions) or rest[0]
        rest = [leaf for leaf in rest if leaf is not chosen]
        reached |= {c.id for c in chosen.columns}
        now = tuple(c for c in conditions if refs(c) <= reached)
        conditions = [c for c in conditions if not refs(c) <= reached]
        current = _next_join(current, chosen, now)
    return _in_order(current, rel.columns)


def _filtered(leaf: Rel, conditions: Iterable[Scalar]) -> Rel:
    """The leaf with the conditions that read it alone, so that plans of several views that test it
    alike have an operator in common.
    """
    own = tuple(c for c in conditions if _reads_alone(c, leaf))
    return Filter(leaf, all_of(own)) if own else leaf


def _reads_alone(condition: Scalar, leaf: Rel) -> bool:
    return bool(refs(condition)) and refs(condition) <= {c.id for c in leaf.columns}


def _next_join(small: Rel, next_: Rel, conditions: tuple[Scalar, ...]) -> Join:
    if not conditions:
        return Join("cross", small, next_, broadcast="left")
    return Join("inner", small, next_, all_of(conditions), broadcast="left")


def _in_order(rel: Rel, columns: tuple[Column, ...]) -> Rel:
    if rel.columns == columns:
        return rel
    return Project(rel, tuple((c, Ref(c.id)) for c in columns))
