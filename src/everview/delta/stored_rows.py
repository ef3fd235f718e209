"""The stored rows of the view as the old state of its outer joins."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.operator import ids
from everview.algebra.ranges import Range
from everview.algebra.relations import At, Filter, Join, Project, Rel, Scan
from everview.algebra.scalars import (
    And,
    Column,
    Columns,
    Compare,
    IsNull,
    Ref,
    Scalar,
    integer,
)
from everview.rewrite.marked_joins import JoinMark, MarkedJoins


@dataclass(frozen=True, slots=True)
class StoredRows:
    """What a view holds of its outer joins: its rows before the changes, read under this name, as
    rows of the definition. `cut`: whether scans say which values they look for, so that files
    without them are not read.
    """

    name: str
    joins: MarkedJoins
    definition: Rel
    cut: bool = True

    def mark(self, own: Rel, tested: Rel) -> JoinMark | None:
        """The mark of a side that is padded where the other has no partner; None if there is
        none.
        """
        return next((m for m in self.joins.marks if _is_of(m, own, tested)), None)

    def key(self, mark: JoinMark) -> Columns:
        """The stored columns that hold the key of a mark."""
        return tuple(self._stored(c) for c in mark.key)

    def padded(self, mark: JoinMark) -> Project:
        """The keys of the stored rows that had no partner."""
        return self._keys(mark, IsNull(self._ref(mark.partner)), _NULL)

    def matched(self, mark: JoinMark) -> Project:
        """The keys of those that had one, as often as they are stored."""
        return self._keys(mark, _is_one(self._ref(mark.partner)), _ONE)

    def shown(self, rel: Rel, mark: JoinMark) -> Project:
        """The keys of a mark in rows of the definition, under the columns that hold them."""
        place = self.joins.place
        return Project(rel, tuple((self._stored(c), Ref(place[c.id])) for c in mark.key))

    def _keys(self, mark: JoinMark, condition: Scalar, range_: Range) -> Project:
        own, partner = self._ref(mark.own), self._ref(mark.partner)
        within = ((own.id, _ONE), (partner.id, range_)) if self.cut else ()
        scan = Scan(self.name, At.OLD, self.joins.stored, within=within)
        rows = Filter(scan, And((_is_one(own), condition)))
        return Project(rows, tuple((c, Ref(c.id)) for c in self.key(mark)))

    def _ref(self, column: Column) -> Ref:
        return Ref(self._stored(column).id)

    def _stored(self, column: Column) -> Column:
        held = [c.id for c in self.joins.rel.columns].index(self.joins.place[column.id])
        return self.joins.stored[held]


_ONE = Range.of_values(frozenset({1}), null=False)
_NULL = Range.of_values(frozenset(), null=True)


def _is_one(column: Ref) -> Scalar:
    return Compare("=", column, integer(1))


def stands_at(mark: JoinMark, rel: Rel) -> bool:
    """Whether an operator is the join that the mark is of."""
    if not isinstance(rel, Join):
        return False
    return _is_of(mark, rel.left, rel.right) or _is_of(mark, rel.right, rel.left)


def _is_of(mark: JoinMark, own: Rel, other: Rel) -> bool:
    return mark.own.id in ids(own.columns) and mark.partner.id in ids(other.columns)
