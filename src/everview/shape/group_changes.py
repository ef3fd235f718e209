"""A change table on its way up a definition: which columns are its key, and which it updates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everview.aggregates.keyed import AnyCall
from everview.algebra.calls import AggregateCall
from everview.algebra.relations import Aggregate, Distinct, Join, Project, Rel, UnionAll
from everview.algebra.scalars import Column, ColumnId, Ref, refs
from everview.rewrite.group_form.form import Passing
from everview.shape.derived import COUNT, HowUpdated, UpdatedColumn


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """Columns that say whose change a line is (θ in print), and those that it updates, with their
    functions (U in print). What is neither, an operator computed of them. `count` is the column
    among them that counts the rows of a group, None if that is hidden.
    """

    keys: tuple[Column, ...]
    updated: tuple[tuple[Column, HowUpdated], ...]
    computed: tuple[Column, ...] = ()
    count: ColumnId | None = None

    @property
    def areas(self) -> tuple[UpdatedColumn, ...]:
        hidden = () if self.count in {c.id for c, _ in self.updated} else (COUNT,)
        return (*hidden, *(UpdatedColumn(c.name, update) for c, update in self.updated))

    @property
    def values(self) -> dict[ColumnId, str]:
        """The columns that are computed of groups, with their names."""
        return {c.id: c.name for c in (*(c for c, _ in self.updated), *self.computed)}

    def renamed(self, rel: Rel, side: int) -> GroupChanges:
        """The same as an operator shows it of its input at that place."""
        match rel:
            case Project(_, outputs):
                place = {s.id: c for c, s in reversed(outputs) if isinstance(s, Ref)}
                mine = self.values.keys()
                made = tuple(
                    c for c, s in outputs if not isinstance(s, Ref) and not mine.isdisjoint(refs(s))
                )
                return replace(self.under(place), computed=(*self.under(place).computed, *made))
            case UnionAll(inputs, columns):
                pairs = zip(inputs[side].columns, columns, strict=True)
                return self.under({own.id: column for own, column in pairs})
            case _:
                return self

    def under(self, place: dict[ColumnId, Column]) -> GroupChanges:
        """The same under other columns; a key that is not shown is there all the same."""
        return GroupChanges(
            tuple(_as(place.get(k.id, k), k) for k in self.keys),
            tuple((_as(place[c.id], c), update) for c, update in self.updated if c.id in place),
            tuple(place[c.id] for c in self.computed if c.id in place),
            place[self.count].id if self.count in place else None,
        )


def _as(column: Column, of: Column) -> Column:
    """The column; one that is not given a name is called as what it shows."""
    return column if column.name else replace(column, name=of.name)


def made_of(rel: Aggregate | Distinct, recomputed: frozenset[ColumnId]) -> GroupChanges:
    """The change table of groups, as it is made."""
    if isinstance(rel, Distinct):
        return GroupChanges(rel.columns, ())
    updated = tuple((c, _update(call, anew=c.id in recomputed)) for c, call in rel.calls)
    counts = (c.id for c, call in rel.calls if call == AggregateCall("count", ()))
    return GroupChanges(rel.keys, updated, count=next(counts, None))


def _update(call: AnyCall, *, anew: bool) -> HowUpdated:
    if anew or not isinstance(call, AggregateCall) or call.distinct:
        return "computed anew"
    match call.function:
        case "min":
            return "least"
        case "max":
            return "greatest"
        case _:
            return "+"


def handed_on(
    rel: Rel, tables: Sequence[GroupChanges | None], how: Passing | None
) -> GroupChanges | None:
    """The change table that an operator hands up, of those that its inputs hand up."""
    shown = [None if t is None else t.renamed(rel, i) for i, t in enumerate(tables)]
    match rel:
        case Join():
            return _joined(rel, shown, how)
        case UnionAll():
            return _united(rel, shown, how)
        case _:
            return shown[0]


def _joined(
    rel: Join, sides: Sequence[GroupChanges | None], how: Passing | None
) -> GroupChanges | None:
    left, right = sides
    if rel.kind in ("semi", "anti", "mark"):
        return left
    if left is not None and right is not None:
        keys = left.keys if how is Passing.SAME_KEYS else (*left.keys, *right.keys)
        both = (*left.updated, *right.updated), (*left.computed, *right.computed)
        return GroupChanges(keys, *both, left.count)
    if left is not None:
        return replace(left, keys=(*left.keys, *rel.right.columns))
    if right is not None:
        return replace(right, keys=(*rel.left.columns, *right.keys))
    return None


def _united(
    rel: UnionAll, inputs: Sequence[GroupChanges | None], how: Passing | None
) -> GroupChanges | None:
    found = [i for i in inputs if i is not None]
    keys = tuple(c for c in rel.columns if any(c in i.keys for i in found))
    updated = {c: update for i in found for c, update in i.updated if c not in keys}
    number = (Column(0, "number of the input"),) if how is Passing.UNITED else ()
    return GroupChanges((*number, *keys), tuple(updated.items()))
