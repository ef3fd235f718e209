"""A view with one stored row per group: its keys, work areas and public columns as one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from everview.aggregates.areas import Scalars, WorkArea, count_area
from everview.aggregates.functions import Maintained, Recomputed, Upkeep, upkeep
from everview.algebra.calls import AggregateCall, VerbatimCall, WorkDelta
from everview.algebra.relations import Aggregate, Project, Rel
from everview.algebra.scalars import Column, ColumnId, Ref, Scalar, Types, substitute
from everview.algebra.walk import highest_id
from everview.facts.views import hidden_name

AnyCall = AggregateCall | VerbatimCall


@dataclass(frozen=True, slots=True)
class KeptArea:
    """A work area with the columns its stored values and its deltas have in plans of this view."""

    area: WorkArea
    stored: tuple[Column, ...]
    deltas: tuple[Column, ...]

    @property
    def old(self) -> Scalars:
        return tuple(Ref(c.id) for c in self.stored)

    @property
    def change(self) -> Scalars:
        return tuple(Ref(c.id) for c in self.deltas)


@dataclass(frozen=True, slots=True)
class KeyedView:
    """Π(γ(input)) with what is stored to maintain it.

    `public` are the view's columns, each a scalar over the group keys, the stored values of the
    work areas and the columns of `recomputed` calls; `computed` are the same columns where a whole
    group is computed: there `derived` functions are Spark's own calls. `stored` are all columns
    as they lie in the table, public ones first; a key or a work-area value that is itself public
    has no hidden copy. `shown` is the public column that says whether a reader sees the group, None
    if every group is seen.
    """

    input: Rel
    keys: tuple[Column, ...]
    public: tuple[tuple[Column, Scalar], ...]
    areas: tuple[KeptArea, ...]
    recomputed: tuple[tuple[Column, AnyCall], ...]
    derived: tuple[tuple[Column, AnyCall], ...]
    computed: tuple[tuple[Column, Scalar], ...]
    reasons: tuple[str, ...]
    stored: tuple[tuple[Column, Column], ...]  # (column in the table, what it holds)
    types: Mapping[ColumnId, str]
    shown: Column | None = None

    @property
    def count(self) -> KeptArea:
        """count(*), which says whether the group is there."""
        return self.areas[0]

    @property
    def stored_columns(self) -> tuple[Column, ...]:
        return tuple(column for column, _ in self.stored)

    def kept_columns(self) -> tuple[Column, ...]:
        """Everything stored besides the public columns: keys, work-area values, recomputed
        values.
        """
        areas = tuple(c for kept in self.areas for c in kept.stored)
        return self.keys + areas + tuple(c for c, _ in self.recomputed)

    def highest_id(self) -> ColumnId:
        """The highest column id in use by any plan of this view."""
        deltas = [c.id for c, _ in self.work_deltas()]
        return max(highest_id(self.full()), *deltas, *(c.id for c, _ in self.public))

    def groups(self, input_: Rel) -> Rel:
        """One row per group of this input: keys, work-area values, recomputed values."""
        calls: list[tuple[Column, AnyCall]] = [
            (column, field.call)
            for kept in self.areas
            for column, field in zip(kept.stored, kept.area.fields, strict=True)
        ]
        return Aggregate(input_, self.keys, (*calls, *self.recomputed, *self.derived))

    def full(self) -> Rel:
        """The stored rows, computed from the sources."""
        return self.laid_out(self.groups(self.input))

    def laid_out(self, groups: Rel) -> Rel:
        """The rows as they are stored, from the kept values of the groups."""
        public = {column.id: scalar for column, scalar in self.computed}
        return Project(
            groups,
            tuple((column, public.get(held.id, Ref(held.id))) for column, held in self.stored),
        )

    def work_deltas(self) -> tuple[tuple[Column, WorkDelta], ...]:
        return tuple(
            (column, delta)
            for kept in self.areas
            for column, delta in zip(kept.deltas, kept.area.deltas, strict=True)
        )


def keyed_view(rel: Project, types: Types, shown: Column | None = None) -> KeyedView:
    """The value for a definition Π(γ(input)), of which `shown` says which rows a reader sees.

    `types` are the Spark types of the columns of the input, of the aggregate and of the projection.
    """
    aggregate = rel.input
    assert isinstance(aggregate, Aggregate)
    numbers = iter(range(highest_id(rel) + 1, 1 << 30))
    plans = [(column, call, upkeep(call, types)) for column, call in aggregate.calls]
    areas: dict[str, KeptArea] = {}
    for area in _areas(plans):
        areas.setdefault(area.name, _kept(area, numbers))
    values = {
        column.id: plan.value(tuple(s for a in plan.areas for s in areas[a.name].old))
        for column, _, plan in plans
        if isinstance(plan, Maintained)
    }
    bare = {c.id: values[c.id] for c, _, plan in plans if c.id in values and not _is_derived(plan)}
    view = KeyedView(
        input=aggregate.input,
        keys=aggregate.keys,
        public=tuple((column, substitute(scalar, values)) for column, scalar in rel.outputs),
        areas=tuple(areas.values()),
        recomputed=tuple((c, call) for c, call, plan in plans if isinstance(plan, Recomputed)),
        derived=tuple((c, call) for c, call, plan in plans if _is_derived(plan)),
        computed=tuple((column, substitute(scalar, bare)) for column, scalar in rel.outputs),
        reasons=tuple(plan.reason for _, _, plan in plans if isinstance(plan, Recomputed)),
        stored=(),
        types=_all_types(areas, types),
        shown=shown,
    )
    stored = _layout(view, numbers)
    as_stored = {c.id: view.types[held.id] for c, held in stored if held.id in view.types}
    return replace(view, stored=stored, types={**view.types, **as_stored})


def _is_derived(plan: Upkeep) -> bool:
    return isinstance(plan, Maintained) and not plan.bare


def _areas(plans: list[tuple[Column, AnyCall, Upkeep]]) -> list[WorkArea]:
    found = [count_area(None)]
    for _, _, plan in plans:
        if isinstance(plan, Maintained):
            found += plan.areas
    return found


def _kept(area: WorkArea, numbers: Iterator[int]) -> KeptArea:
    return KeptArea(
        area,
        tuple(Column(next(numbers), f"{area.name}_{f.suffix}") for f in area.fields),
        tuple(Column(next(numbers), f"d_{area.name}_{i}") for i, _ in enumerate(area.deltas)),
    )


def _layout(view: KeyedView, numbers: Iterator[int]) -> tuple[tuple[Column, Column], ...]:
    """Public columns as they are, then a hidden column for each kept value that is not public
    itself.
    """
    kept = {c.id: c for c in view.kept_columns()}
    public: list[tuple[Column, Column]] = []
    held: set[ColumnId] = set()
    for column, scalar in view.public:
        if isinstance(scalar, Ref) and scalar.id in kept and scalar.id not in held:
            held.add(scalar.id)
            public.append((column, kept[scalar.id]))
        else:
            public.append((column, column))
    hidden = [c for c in view.kept_columns() if c.id not in held]
    return (
        *public,
        *((Column(next(numbers), hidden_name("h", i, c.name)), c) for i, c in enumerate(hidden)),
    )


def _all_types(areas: Mapping[str, KeptArea], types: Types) -> dict[ColumnId, str]:
    known = dict(types)
    for kept in areas.values():
        known |= {c.id: f.type for c, f in zip(kept.stored, kept.area.fields, strict=True)}
    return known
