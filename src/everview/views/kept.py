"""How a view is maintained, in words: by its shape, or by what was recorded of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from everview.algebra.notation.scalars import scalar_notation
from everview.algebra.relations import Project, Rel
from everview.algebra.scalars import Column
from everview.facts.refreshes import StoredFacts
from everview.facts.views import HIDDEN, Layout
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import FullOnly, Keyed, Shape
from everview.views.status import read_with


def how_kept(shape: Shape) -> str:
    """How the view is maintained, or why only in full."""
    match shape:
        case FullOnly(_, reason, place, _):
            where = f" at line {place.line}, column {place.column}" if place else ""
            return f"recomputed in full: {reason}{where}"
        case Keyed(view, _):
            redone = f"; touched groups are recomputed: {view.reasons[0]}" if view.reasons else ""
            return f"incremental, {stored_as(shape)}{redone}{read_with(shape.layout)}"
        case Grouped() | Bag():
            return f"incremental, {stored_as(shape)}{read_with(shape.layout)}"
        case _:
            assert_never(shape)


def stored_as(shape: Shape) -> str:
    """How the rows are stored, in a few words."""
    match shape:
        case FullOnly():
            return "recomputed in full"
        case Keyed(view, layout):
            keys = _keys(view.input, view.keys, layout)
            return f"keyed by {keys}" if view.keys else "one row"
        case Grouped(view, _, layout):
            return f"rows by {_keys(view.base, view.keys, layout)}"
        case Bag():
            return "a bag of rows"
        case _:
            assert_never(shape)


def _keys(below: Rel, keys: Sequence[Column], layout: Layout) -> str:
    """The keys as the view names them, and those that it does not show as what they are."""
    made = {c.id: s for c, s in below.outputs} if isinstance(below, Project) else {}
    names = {c.id: c.name for i in below.inputs for c in i.columns}
    said = [scalar_notation(made[key.id], names) if key.id in made else key.name for key in keys]
    pairs = zip(layout.key, said, strict=True)
    return ", ".join(of if name.startswith(HIDDEN) else name for name, of in pairs)


def with_moment(stored: StoredFacts, shape: Shape) -> StoredFacts:
    """What is stored with what makes the view depend on the clock, where only its shape says it."""
    if not isinstance(shape, FullOnly) or shape.moment is None:
        return stored
    return replace(stored, record=replace(stored.record, moment=shape.moment))
