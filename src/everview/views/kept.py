"""How a view is maintained, in words: by its shape, or by what was recorded of it."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from everview.facts.refreshes import RefreshFacts
from everview.plan.grouped import Grouped
from everview.plan.shape import Bag, FullOnly, Keyed, Shape
from everview.views.status import read_with


def how_kept(shape: Shape) -> str:
    """How the view is maintained, or why only in full."""
    match shape:
        case FullOnly(reason, place, _):
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
        case Keyed(view, _):
            keys = ", ".join(k.name for k in view.keys)
            return f"keyed by {keys}" if keys else "one row"
        case Grouped(view, _, _):
            return f"rows by {', '.join(k.name for k in view.keys)}"
        case Bag():
            return "a bag of rows"
        case _:
            assert_never(shape)


def with_moment(facts: RefreshFacts, shape: Shape) -> RefreshFacts:
    """The facts with what makes the view depend on the clock, where only its shape says it."""
    if not isinstance(shape, FullOnly) or shape.moment is None:
        return facts
    record = replace(facts.stored.record, moment=shape.moment)
    return replace(facts, stored=replace(facts.stored, record=record))
