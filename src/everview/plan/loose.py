"""Which public columns need not repeat bit by bit when they are recomputed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from everview.aggregates.keyed import AnyCall, KeyedView
from everview.algebra.calls import AggregateCall
from everview.algebra.scalars import ColumnId, refs
from everview.plan.repeating import Types, not_repeating_call
from everview.plan.shape import Keyed, Shape


@dataclass(frozen=True, slots=True)
class Loose:
    """Names of public columns: those that come out within a stated bound of what is stored
    (`near`: sums of floats, added up in another order), and those that may come out as something
    else (`free`: what depends on the order of rows).
    """

    near: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        return self.near | self.free


def loose_columns(shape: Shape, names: Iterable[str]) -> Loose:
    """The loose ones among the public columns of these names."""
    if not isinstance(shape, Keyed):
        return Loose()
    view = shape.view
    near = {c.id for kept in view.areas if not kept.area.exact for c in kept.stored[1:]}
    free = _free(view)
    read = [(name, refs(scalar)) for name, (_, scalar) in zip(names, view.public, strict=True)]
    return Loose(
        near=frozenset(name for name, some in read if some & near and not some & free),
        free=frozenset(name for name, some in read if some & free),
    )


def _free(view: KeyedView) -> set[ColumnId]:
    return {c.id for c, call in view.recomputed if not _repeats(call, view.types)}


def _repeats(call: AnyCall, types: Types) -> bool:
    """Sums that are recomputed because of their many digits are exact."""
    if isinstance(call, AggregateCall) and not call.distinct:
        return True
    return not not_repeating_call(call, types)
