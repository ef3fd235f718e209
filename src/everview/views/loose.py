"""Which public columns need not repeat bit by bit when they are recomputed."""

from __future__ import annotations

from everview.algebra.scalars import refs
from everview.plan.shape import Keyed
from everview.run.define import Defined


def loose_columns(defined: Defined) -> frozenset[str]:
    """The public columns computed from a sum of floats, and those of the order beside them:
    addition in another order rounds otherwise.
    """
    if not isinstance(defined.shape, Keyed):
        return frozenset()
    view = defined.shape.view
    loose = {c.id for kept in view.areas if not kept.area.exact for c in kept.stored[1:]}
    names = defined.shape.layout.stored.names[: len(view.public)]
    return frozenset(
        name for name, (_, scalar) in zip(names, view.public, strict=True) if refs(scalar) & loose
    )
