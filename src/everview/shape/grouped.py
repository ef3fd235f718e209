"""Views whose rows are replaced key by key, because old rows need not come out the same."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Filter, Project, Rel, Window
from everview.algebra.scalars import Column, ColumnId, Ref, Types
from everview.algebra.types import can_be_compared, can_be_grouped, type_of
from everview.algebra.walk import highest_id
from everview.apply.grouped import GroupedView
from everview.delta.groups import group_columns
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Field, Schema
from everview.facts.views import Layout, LayoutKind, hidden_name
from everview.shape.as_read import AsRead
from everview.shape.free import OperatorOverKeys, free_columns
from everview.shape.maintained import Unmaintained
from everview.shape.repeating import not_repeating


@dataclass(frozen=True, slots=True)
class Grouped:
    """Several stored rows per key, maintained by replacing all rows of the touched keys.

    `free` are the columns whose values may come out otherwise when they are computed again, and
    `loose` those of them that may do so even where no rows tie.
    """

    view: GroupedView
    free: frozenset[ColumnId]
    layout: Layout
    loose: frozenset[ColumnId] = frozenset()
    origin: AsRead | None = field(default=None, compare=False)


def grouped(rel: Rel, types: Types, public: Schema) -> Grouped | Unmaintained:
    """The definition as rows of keys, or why it cannot be kept so.

    The rows below the key must come out the same; what is computed of the rows of a key need not.
    """
    above, base = _cut(rel, types)
    steps = _carried(above, base)
    if not steps or not steps[-1].keys:
        lost = not_repeating(rel, types)
        assert lost is not None, "asked of a definition whose rows come out the same"
        return lost
    free = free_columns(steps, types)
    if isinstance(free, Unmaintained):
        return free
    view = _view(steps, base, types, public.names)
    for key in view.keys:
        if not can_be_grouped(type_of(types[key.id])):
            reason = f"the partition key `{key.name}` is a MAP or VARIANT"
            return Unmaintained(RefusalKind.TYPE, reason, None, key.name)
    fields = [Field(c.name, view.types[c.id]) for c in view.stored]
    other = next((f for f in fields if not can_be_compared(f.parsed)), None)
    if other is not None:
        reason = f"`{other.name}` is a VARIANT, which cannot be compared"
        return Unmaintained(RefusalKind.TYPE, reason)
    keys = tuple(c.name for c in view.stored_keys)
    loose = free_columns(steps, types, ties=False)
    assert not isinstance(loose, Unmaintained), "with ties the rows are known, without them more so"
    return Grouped(view, free, Layout(LayoutKind.GROUPED, keys, Schema(tuple(fields))), loose)


def _cut(rel: Rel, types: Types) -> tuple[tuple[Rel, ...], Rel]:
    """The operators from the root to the first grouping of rows that repeat, and those rows."""
    above: list[Rel] = [] if isinstance(rel, Project) else [_shown(rel)]
    while isinstance(rel, Project | Filter | Window | Aggregate):
        above.append(rel)
        rel = rel.input
        if isinstance(above[-1], Window | Aggregate) and not_repeating(rel, types) is None:
            return tuple(above), rel
    return (), rel


def _shown(rel: Rel) -> Project:
    return Project(rel, tuple((c, Ref(c.id)) for c in rel.columns))


def _carried(above: tuple[Rel, ...], base: Rel) -> list[OperatorOverKeys]:
    """The operators over the base, lowest first, with the keys kept in every projection: the
    columns of the base by which every grouping above it groups.
    """
    steps: list[OperatorOverKeys] = []
    fresh = Fresh(highest_id(above[0]) if above else 0)
    held = {c.id: c for c in base.columns}
    current = base
    for operator in reversed(above):
        current = operator.over((current,))
        if isinstance(current, Window | Aggregate):
            own = {c.id for c in group_columns(current)}
            held = {below: c for below, c in held.items() if c.id in own}
        elif isinstance(current, Project):
            current, held = _with_keys(current, held, fresh)
        steps.append(OperatorOverKeys(current, held))
    return steps


def _with_keys(
    project: Project, held: dict[ColumnId, Column], fresh: Fresh
) -> tuple[Project, dict[ColumnId, Column]]:
    """The projection with the keys that it would drop, and where it has each of them."""
    shown = {s.id: column for column, s in reversed(project.outputs) if isinstance(s, Ref)}
    more = [(fresh.column(c.name), Ref(c.id)) for c in held.values() if c.id not in shown]
    shown |= {scalar.id: column for column, scalar in more}
    wider = replace(project, outputs=(*project.outputs, *more))
    return wider, {below: shown[c.id] for below, c in held.items()}


def _view(
    steps: list[OperatorOverKeys], base: Rel, types: Types, names: tuple[str, ...]
) -> GroupedView:
    root, held = steps[-1].operator, steps[-1].keys
    known = {**types, **{held[below].id: types[below] for below in held}}
    fresh = Fresh(highest_id(root))
    stored = []
    for i, column in enumerate(root.columns):
        hidden = hidden_name("h", i - len(names), column.name)
        stored.append(fresh.column(names[i] if i < len(names) else hidden))
        known[stored[-1].id] = known[column.id]
    at = {c.id: i for i, c in enumerate(root.columns)}
    return GroupedView(
        base=base,
        keys=tuple(c for c in base.columns if c.id in held),
        above=tuple(s.operator for s in reversed(steps)),
        stored=tuple(stored),
        places=tuple(at[held[c.id].id] for c in base.columns if c.id in held),
        types=known,
    )
