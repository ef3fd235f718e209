"""What becomes of one stored group when its line of the change table arrives, as scalars."""

from __future__ import annotations

from dataclasses import dataclass

from everview.aggregates.keyed import KeyedView
from everview.algebra.scalars import (
    FALSE,
    TRUE,
    And,
    ColumnId,
    Compare,
    Or,
    Ref,
    Scalar,
    integer,
)


@dataclass(frozen=True, slots=True)
class GroupUpdate:
    """The scalars by which one group is updated, for somebody who has its values at hand.

    `stored` and `changes` are the columns of a stored row and of a line of the change table, in
    their order. `empty` are the kept values of a group that is not stored, `merged` the kept
    values as they become, over old values and changes. `count` among them is the number of rows
    of the group. `public` are the public columns, over merged values;
    `shown` is the one that says whether a reader sees the group, None if he sees all. Where
    `certain`, which reads the changes alone, or `lost`, which reads stored values too, holds, the
    group must be computed from its rows.
    """

    keys: int  # so many of the columns of the change table
    stored: tuple[ColumnId, ...]
    changes: tuple[ColumnId, ...]
    empty: tuple[tuple[ColumnId, Scalar], ...]
    merged: tuple[tuple[ColumnId, Scalar], ...]
    count: ColumnId
    public: tuple[tuple[ColumnId, Scalar], ...]
    shown: ColumnId | None
    certain: Scalar
    lost: Scalar


def group_update(view: KeyedView) -> GroupUpdate | None:
    """The scalars of a keyed view; None if a touched group is always recomputed."""
    if view.recomputed:
        return None
    merged: list[tuple[ColumnId, Scalar]] = [(k.id, Ref(k.id)) for k in view.keys]
    empty: list[tuple[ColumnId, Scalar]] = []
    for kept in view.areas:
        values = kept.area.merge(kept.old, kept.change)
        merged += [(c.id, s) for c, s in zip(kept.stored, values, strict=True)]
        empty += [(c.id, s) for c, s in zip(kept.stored, kept.area.empty, strict=True)]
    (count,) = view.count.area.merge(view.count.old, view.count.change)
    alive = Compare(">", count, integer(0)) if view.keys else TRUE
    certain = [k.area.recompute(k.change) for k in view.areas if k.area.recompute]
    lost = [k.area.lost(k.old, k.change) for k in view.areas if k.area.lost]
    deltas = tuple(column.id for column, _ in view.work_deltas())
    return GroupUpdate(
        keys=len(view.keys),
        stored=tuple(held.id for _, held in view.stored),
        changes=(*(k.id for k in view.keys), *deltas),
        empty=tuple(empty),
        merged=tuple(merged),
        count=view.count.stored[0].id,
        public=tuple((column.id, scalar) for column, scalar in view.public),
        shown=None if view.shown is None else view.shown.id,
        certain=Or(tuple(certain)) if certain else FALSE,
        lost=And((alive, Or(tuple(lost)))) if lost else FALSE,
    )
