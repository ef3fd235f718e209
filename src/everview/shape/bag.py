"""Rows that are stored as they are, and what is stored besides to tell what they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from everview.algebra.derive.typed import typed
from everview.algebra.relations import Rel
from everview.algebra.scalars import ColumnId
from everview.facts.schema import Field, Schema
from everview.facts.views import Layout, hidden_name
from everview.rewrite.marked_joins import JoinMark, MarkedJoins, of_marks
from everview.shape.as_read import AsRead

# What goes in: a definition with the hidden columns that its outer joins could store. What comes
# out: the view with those that are worth it. They are where the table that is tested for partners
# is no smaller than the one that is padded: a smaller one is sooner read itself. How large the
# tables are is asked once, when the view is built, and its layout says from then on what is stored.
#
#     sales ⟕ stores      the few stores are read: nothing is stored
#     stores ⟕ sales      has_left, has_right and the id of the store


@dataclass(frozen=True, slots=True)
class Bag:
    """Rows as they are, maintained by insertions and deletions of rows. `joins`: the definition
    with the hidden columns that are stored besides, by which rows tell what they are made of; None
    if there are none.
    """

    rel: Rel
    types: Mapping[ColumnId, str]
    layout: Layout
    joins: MarkedJoins | None = None
    origin: AsRead | None = field(default=None, compare=False)

    @property
    def stored(self) -> Rel:
        """The rows as they are stored."""
        return self.rel if self.joins is None else self.joins.rel

    def worth(self, rows: Mapping[str, int]) -> Bag:
        """The same, storing only what is worth it while the tables have so many rows."""

        def largest(tables: Iterable[str]) -> int:
            return max((rows.get(name, 0) for name in tables), default=0)

        marks = () if self.joins is None else self.joins.marks
        return self._storing(tuple(m for m in marks if largest(m.tested) >= largest(m.of)))

    def kept_as(self, layout: Layout) -> Bag:
        """The same, storing only what a view in this layout stores: it may have been built while
        that was not worth it, or by a version that stored nothing.
        """
        if self.joins is None:
            return self
        names = self._names(self.joins)

        def is_stored(mark: JoinMark, joins: MarkedJoins) -> bool:
            return all(names[joins.place[c.id]] in layout.stored for c in mark.columns)

        return self._storing(tuple(m for m in self.joins.marks if is_stored(m, self.joins)))

    def _names(self, joins: MarkedJoins) -> dict[ColumnId, str]:
        """What each column of the definition is stored as."""
        pairs = zip(joins.rel.columns, joins.stored, strict=True)
        return {column.id: stored.name for column, stored in pairs}

    def _storing(self, marks: tuple[JoinMark, ...]) -> Bag:
        if self.joins is None or marks == self.joins.marks:
            return self
        joins = of_marks(self.joins, marks, len(self.rel.columns))
        names = self._names(joins).values()
        layout = replace(self.layout, stored=self.layout.stored.only(tuple(names)))
        return replace(self, layout=layout, joins=joins if marks else None)


def with_hidden(bag: Bag, joins: MarkedJoins) -> Bag:
    """The same with the hidden columns of its outer joins stored besides."""
    shown, known = len(bag.rel.columns), typed(joins.rel, bag.types)
    fields = list(bag.layout.stored.fields)
    for i, column in enumerate(joins.rel.columns[shown:]):
        type_ = known.get(column.id, "integer")  # of the columns that are 1
        fields.append(Field(hidden_name("j", i, column.name), type_))
    pairs = list(zip(joins.stored, fields, strict=True))
    columns = tuple(replace(column, name=field.name) for column, field in pairs)
    types = {**known, **{column.id: field.type for column, field in pairs}}
    types |= {c.id: f.type for c, f in zip(joins.rel.columns, fields, strict=True)}
    layout = replace(bag.layout, stored=Schema(tuple(fields)))
    return Bag(bag.rel, types, layout, replace(joins, stored=columns))
