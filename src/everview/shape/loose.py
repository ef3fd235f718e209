"""Which public columns need not repeat bit by bit when they are recomputed."""

from __future__ import annotations

from dataclasses import dataclass

from everview.aggregates.keyed import AnyCall, KeyedView
from everview.algebra.calls import AggregateCall, VerbatimCall
from everview.algebra.scalars import ColumnId, Opaque, Ref, Types, called, refs
from everview.shape.grouped import Grouped
from everview.shape.repeating import not_repeating_call
from everview.shape.shape import Keyed, Shape


@dataclass(frozen=True, slots=True)
class Loose:
    """Names of public columns: those that come out within a stated bound of what is stored
    (`near`: sums and variances of numbers, added up in another order), and those that may come
    out as something else (`free`: what depends on the order of rows, and floats without a bound).
    """

    near: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        return self.near | self.free


def loose_columns(shape: Shape) -> Loose:
    """The loose ones among the public columns, and among those of the order that are stored beside
    them.
    """
    names = shape.layout.stored.names
    if isinstance(shape, Grouped):
        pairs = zip(names, shape.view.full().columns, strict=False)
        return Loose(free=frozenset(name for name, c in pairs if c.id in shape.free))
    if not isinstance(shape, Keyed):
        return Loose()
    view = shape.view
    near = {c.id for kept in view.areas if not kept.area.exact for c in kept.stored[1:]}
    near |= {c.id for c, call in view.recomputed if spread_of(call) is not None}
    free = _free(view) - near
    read = [(name, refs(scalar)) for name, (_, scalar) in zip(names, view.public, strict=False)]
    return Loose(
        near=frozenset(name for name, some in read if some & near and not some & free),
        free=frozenset(name for name, some in read if some & free),
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """A variance of one column, or its square root: the power of it that is a variance."""

    arg: ColumnId
    power: int


_POWERS = {
    "std": 2, "stddev": 2, "stddev_pop": 2, "stddev_samp": 2,
    "var_pop": 1, "var_samp": 1, "variance": 1,
}  # fmt: skip


def spread_of(call: AnyCall) -> Spread | None:
    """The spread that a call is, None if it is something else, or of some of the rows only."""
    if not isinstance(call, VerbatimCall) or not isinstance(call.text, Opaque):
        return None
    match call.text.pieces:
        case (str(opened), Ref(arg), ")") if opened.lower().removesuffix("(") in _POWERS:
            return Spread(arg, _POWERS[called(call.text)])
        case _:
            return None


def _free(view: KeyedView) -> set[ColumnId]:
    return {c.id for c, call in view.recomputed if not _repeats(call, view.types)}


def _repeats(call: AnyCall, types: Types) -> bool:
    """Sums that are recomputed because of their many digits are exact."""
    if isinstance(call, AggregateCall) and not call.distinct:
        return True
    return not not_repeating_call(call, types)
