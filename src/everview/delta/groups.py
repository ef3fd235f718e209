"""The delta rule of operators that look at whole groups: only touched groups are recomputed."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.derive.signs import WeightSign
from everview.algebra.relations import (
    Aggregate,
    At,
    Copies,
    Distinct,
    Join,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Shared,
    Signed,
    UnionAll,
    Window,
)
from everview.algebra.scalars import Column, Ref
from everview.delta.context import DeltaContext
from everview.delta.touched import of_keys, same_key, touched_keys

# What goes in: an operator that looks at whole groups, and the changes of its input. What comes
# out: the changes of its rows. One changed row can change the value of its group in any way, so
# the group is computed anew; but a group without a changed row stays as it was, and is not looked
# at. So the keys that occur in the changes are collected first, the input is cut to them at both
# snapshots, and the operator runs over that little: what it gives at NEW came, what it gave at
# OLD went.
#
#     γ store, max(price) (sales)       a sale of store 7 was deleted:  K = {7}
#     + γ store, max(price) (sales_new ⋉ K)        store 7 as it is now
#     - γ store, max(price) (sales_old ⋉ K)        store 7 as it was
#
# Two shortcuts read less: where rows only came or only went and the row is its own key, one
# snapshot tells which keys are new or gone; and a large input is read at NEW alone, because NEW
# without the changes is OLD.

GroupingOperator = Aggregate | Distinct | Window | Pivot


def delta_groups(rel: GroupingOperator, changes: Rel | None, context: DeltaContext) -> Rel | None:
    """Δ(γ A)  =  γ(A_new ⋉ K)  -  γ(A_old ⋉ K),  K = touched keys of ΔA

    Only affected groups, as Vista, 3.4.1 says of GROUP BY; DISTINCT is a group of whole rows.
    Without keys there is one group, which any change touches.
    """
    if changes is None:
        return None
    columns = group_columns(rel)
    keys = touched_keys(((changes, columns),), context.fresh) if columns else None
    sign = context.signs.of(changes)
    if keys is not None and sign is not None and rel.columns == columns:
        return _new_or_gone(rel, keys, sign, context)
    if keys is not None and context.is_large(rel.input):
        new, old = _restored(rel, changes, keys, context)
    else:
        new, old = (_of_groups(rel, snapshot, keys, context) for snapshot in (At.NEW, At.OLD))
    return UnionAll((Signed(new, 1), Signed(old, -1)), rel.columns)


def _restored(
    rel: GroupingOperator, changes: Rel, keys: Shared, context: DeltaContext
) -> tuple[Rel, Rel]:
    """γ(R) and γ(R - ΔA),  R = A_new ⋉ K: a large A is read at one snapshot, because the changes
    say what its touched rows were (Colby et al., 2.5: PAST is R - ΔR).
    """
    found = of_keys(context.at(rel.input, At.NEW), group_columns(rel), keys, context.fresh)
    rows = Shared("rows", found)
    undone = UnionAll((Signed(rows, 1), Negate(changes)), rows.columns)
    return replace(rel, input=rows), replace(rel, input=Copies(Net(undone)))


def _new_or_gone(
    rel: GroupingOperator, keys: Shared, sign: WeightSign, context: DeltaContext
) -> Rel:
    """Of rows that are their own keys:  Δ(δ A)  =  K ▷ A_old  where rows only came,
    -(K ▷ A_new)  where rows only went (Vista, 5.12.2).
    """
    without = context.at(rel.input, At.OLD if sign == 1 else At.NEW)
    lone = Join("anti", keys, without, same_key(keys.columns, group_columns(rel)))
    pairs = zip(rel.columns, keys.columns, strict=True)
    return Signed(Project(lone, tuple((c, Ref(key.id)) for c, key in pairs)), sign)


def group_columns(rel: GroupingOperator) -> tuple[Column, ...]:
    """The columns of the input that say which rows belong together, each once."""
    match rel:
        case Aggregate(_, keys, _) | Pivot(_, keys):
            return keys
        case Window(_, partition, _):
            return tuple(dict.fromkeys(partition))
        case Distinct(input_):
            return input_.columns


def _of_groups(
    rel: GroupingOperator, snapshot: At, keys: Shared | None, context: DeltaContext
) -> Rel:
    if keys is None:
        return context.at(rel, snapshot)
    whole = context.at(rel.input, snapshot)
    return replace(rel, input=of_keys(whole, group_columns(rel), keys, context.fresh))
