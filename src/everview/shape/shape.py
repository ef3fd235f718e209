"""What kind of view a definition is: which rows are stored and how they can be maintained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from everview.aggregates.keyed import KeyedView, keyed_view
from everview.algebra.relations import Project, Rel
from everview.algebra.scalars import ColumnId
from everview.algebra.types import can_be_compared, can_be_grouped, type_of
from everview.algebra.walk import tables
from everview.delta.propagate import delta
from everview.errors import Place
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Field, Schema
from everview.facts.views import Layout, LayoutKind, Moment, Tail
from everview.optimize.passes import When, improved
from everview.rewrite.marked_joins import marked_joins
from everview.shape.as_read import AsRead
from everview.shape.bag import Bag, with_hidden
from everview.shape.grouped import Grouped, grouped
from everview.shape.maintained import Unmaintained, unmaintained
from everview.shape.repeating import not_repeating
from everview.shape.shown_groups import ShownGroups, shown_groups


@dataclass(frozen=True, slots=True)
class Keyed:
    """One stored row per group, maintained by change tables."""

    view: KeyedView
    layout: Layout
    origin: AsRead | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FullOnly:
    """Recomputed in full by the user's text at every refresh: why, and where in the text."""

    kind: RefusalKind
    reason: str
    place: Place | None
    layout: Layout
    about: str = ""  # the function or column that the reason names
    moment: Moment | None = None  # what makes its rows depend on when they are computed


Shape = Keyed | Grouped | Bag | FullOnly

# Spark takes longer to plan more than it takes to recompute most views.
MOST_OPERATORS = 1000


def shape_of(rel: Rel, types: Mapping[ColumnId, str], public: Schema) -> Shape:
    """The shape of a bound definition whose columns are `public`."""
    refused = unmaintained(rel)
    if refused is not None:
        return full_only(refused.kind, refused.reason, None, public)
    groups = shown_groups(rel, types)
    below = rel if groups is None else groups.aggregate.input
    of_keys = grouped(rel, types, public) if not_repeating(below, types) is not None else None
    if isinstance(of_keys, Unmaintained):
        return full_only(of_keys.kind, of_keys.reason, None, public, about=of_keys.function)
    below = below if of_keys is None else of_keys.view.base
    size = _largest_query(below)
    if size > MOST_OPERATORS:
        reason = f"a query of its changes has {size} operators, at most {MOST_OPERATORS} are run"
        return full_only(RefusalKind.TOO_LARGE, reason, None, public)
    if of_keys is not None:
        return of_keys
    if groups is not None:
        return _keyed(groups, types, public)
    return _bag(rel, types, public)


def with_origin(shape: Shape, origin: AsRead) -> Shape:
    """The shape with the definition that it is of."""
    return shape if isinstance(shape, FullOnly) else replace(shape, origin=origin)


def _largest_query(rel: Rel) -> int:
    """How many operators one query has when every table changes, with no pass left out: what is
    kept of a view does not depend on a setting.
    """
    changes = delta(improved(When.BEFORE, rel).plan, tables(rel))
    if changes is None:
        return 0
    return improved(When.PARTS, improved(When.CHANGES, changes).plan).queries.largest()


def full_only(
    kind: RefusalKind, reason: str, place: Place | None, public: Schema, *, about: str = ""
) -> FullOnly:
    return FullOnly(kind, reason, place, Layout(LayoutKind.ROWS, (), public), about)


def _bag(rel: Rel, types: Mapping[ColumnId, str], public: Schema) -> Shape:
    for shown in public.fields:
        if not can_be_compared(shown.parsed):
            reason = f"`{shown.name}` is a VARIANT, which cannot be compared"
            return full_only(RefusalKind.TYPE, reason, None, public, about=shown.name)
    bag = Bag(rel, types, Layout(LayoutKind.BAG, (), public))
    joins = marked_joins(rel, types)
    return bag if joins is None else with_hidden(bag, joins)


def _keyed(groups: ShownGroups, types: Mapping[ColumnId, str], public: Schema) -> Shape:
    for key in groups.aggregate.keys:
        if not can_be_grouped(type_of(types[key.id])):
            reason = f"the group key `{key.name}` is a MAP or VARIANT"
            return full_only(RefusalKind.TYPE, reason, None, public, about=key.name)
    for shown in public.fields:
        if not can_be_compared(shown.parsed):
            reason = f"`{shown.name}` is a VARIANT, which cannot be compared"
            return full_only(RefusalKind.TYPE, reason, None, public, about=shown.name)
    flag = groups.flag
    named = _named(groups.rows, public)
    if flag is None:
        view, tail = keyed_view(named, types), None
    else:
        flagged = replace(named, outputs=(*named.outputs, (flag, groups.shown)))
        view = keyed_view(flagged, {**types, flag.id: "boolean"}, flag)
        tail = Tail(shown=flag.name)
    names = [f.name for f in public.fields]
    stored = [
        Field(names[i] if i < len(names) else column.name, view.types[held.id])
        for i, (column, held) in enumerate(view.stored)
    ]
    place = {held.id: one.name for one, (_, held) in zip(stored, view.stored, strict=True)}
    names_of_keys = tuple(place[k.id] for k in view.keys)
    layout = Layout(LayoutKind.KEYED, names_of_keys, Schema(tuple(stored)), tail)
    return Keyed(view, layout)


def _named(rel: Project, public: Schema) -> Project:
    """The projection with the names that its columns are stored under: Spark names what the text
    does not.
    """
    pairs = zip(rel.outputs, public.names, strict=True)
    return replace(rel, outputs=tuple((replace(c, name=n), s) for (c, s), n in pairs))
