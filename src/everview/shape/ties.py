"""Which keys of a view hold rows that tie in the order of a window."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.calls import SortKey, WindowCall
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Filter, Project, Rel, Window
from everview.algebra.scalars import Call, Column, Compare, Ref, Types, integer
from everview.algebra.walk import highest_id
from everview.shape.grouped import Grouped
from everview.shape.repeating import not_repeating_windows


def tied_keys(shape: Grouped) -> tuple[Rel, ...]:
    """Per order of a window that ties may decide by, the keys of the view of rows that tie in it;
    their columns are those of the keys.
    """
    view, found = shape.view, list[Rel]()
    fresh = Fresh(max(highest_id(view.full()), *(c.id for c in view.stored)))
    held = {c.id: c for c in view.keys}
    current = view.base
    for operator in reversed(view.above):
        if isinstance(operator, Window):
            window = replace(operator, input=current)
            orders = dict.fromkeys(c.order for c in decided_by_ties(window, view.types))
            found += [_tied(window, order, tuple(held.values()), fresh) for order in orders]
        if isinstance(operator, Project):
            shown = {s.id: c for c, s in reversed(operator.outputs) if isinstance(s, Ref)}
            held = {below: shown[c.id] for below, c in held.items()}
        current = operator.over((current,))
    return tuple(found)


def decided_by_ties(window: Window, types: Types) -> tuple[WindowCall, ...]:
    """The calls of a window whose values repeat unless rows tie."""
    with_ties, without = (not_repeating_windows(window, types, ties=t) for t in (True, False))
    rows = zip(window.calls, with_ties, without, strict=True)
    return tuple(call for (_, call), why, still in rows if why and not still)


def _tied(
    window: Window, order: tuple[SortKey, ...], keys: tuple[Column, ...], fresh: Fresh
) -> Rel:
    """Π_keys(σ_{copies > 1}(rows with how many there are of their partition and order))"""
    by = {c.id: c for c in window.input.columns}
    tied = tuple(dict.fromkeys((*window.partition, *(by[k.column] for k in order))))
    copies = fresh.column("copies")
    sized = Window(window.input, tied, ((copies, WindowCall(Call("count", ()))),))
    several = Filter(sized, Compare(">", Ref(copies.id), integer(1)))
    return Project(several, tuple((c, Ref(c.id)) for c in keys))
