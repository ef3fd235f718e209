"""The delta rule of operators that look at whole groups: only touched groups are recomputed."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import (
    Aggregate,
    At,
    Distinct,
    Pivot,
    Rel,
    Shared,
    Signed,
    UnionAll,
    Window,
)
from everview.algebra.scalars import Column
from everview.delta.context import Context
from everview.delta.touched import of_keys, touched_keys

Grouped = Aggregate | Distinct | Window | Pivot


def delta_groups(rel: Grouped, changes: Rel | None, context: Context) -> Rel | None:
    """Δ(γ A)  =  γ(A_new ⋉ K)  -  γ(A_old ⋉ K),  K = touched keys of ΔA

    Only affected groups, as seed 002, 3.4.1 says of GROUP BY; DISTINCT is a group of whole rows.
    Without keys there is one group, which any change touches.
    """
    if changes is None:
        return None
    columns = group_columns(rel)
    keys = touched_keys(((changes, columns),), context.fresh) if columns else None
    terms = (
        Signed(_of_groups(rel, At.NEW, keys, context), 1),
        Signed(_of_groups(rel, At.OLD, keys, context), -1),
    )
    return UnionAll(terms, rel.columns)


def group_columns(rel: Grouped) -> tuple[Column, ...]:
    """The columns of the input that say which rows belong together, each once."""
    match rel:
        case Aggregate(_, keys, _) | Pivot(_, keys):
            return keys
        case Window(_, partition, _):
            return tuple(dict.fromkeys(partition))
        case Distinct(input_):
            return input_.columns


def _of_groups(rel: Grouped, snapshot: At, keys: Shared | None, context: Context) -> Rel:
    if keys is None:
        return context.at(rel, snapshot)
    whole = context.at(rel.input, snapshot)
    return replace(rel, input=of_keys(whole, group_columns(rel), keys, context.fresh))
