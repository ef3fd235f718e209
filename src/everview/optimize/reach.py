"""How far the values of columns reach in the rows of a plan, as its leaves say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from everview.algebra.derive.conditions import alike
from everview.algebra.derive.equalities import join_equalities
from everview.algebra.memo import Memo
from everview.algebra.ranges import Range
from everview.algebra.relations import Changes, Join, Local, Rel, Scan, SourceLeaf
from everview.algebra.scalars import ColumnId, Ref, Types
from everview.algebra.walk import bottom_up

# What goes in: a plan, and for its leaves the lowest and the highest value of some columns, as
# the log of a table has them for each file. What comes out: the same for every operator of the
# plan. A column that an operator passes on unchanged keeps its range; one that comes from several
# inputs has the hull of theirs; and columns that an inner join equates have what is common to
# both. Of a column that is computed, or padded with NULLs, nothing is known.
#
#     Δsales            store from 3 to 5      by the bounds of its files
#     stores            nothing is known of id
#     Δsales ⋈ stores   on store = id: both from 3 to 5
#
# Ranges only ever go to columns of the same type: 9 < 10, but '9' > '10'. So the types are learnt
# first.

Ranges = Mapping[ColumnId, Range]
# What is known of the columns of a leaf: the types of those that Python orders as Spark does, and
# the ranges of its rows.
LeafFacts = Callable[[SourceLeaf], tuple[Types, Ranges]]


class Reach:
    """By operator the ranges of its columns; ranges pass from one side of a join to the other
    between columns that are compared as they are.
    """

    def __init__(self, rel: Rel, leaf_facts: LeafFacts) -> None:
        self._leaf_facts = leaf_facts
        self._types: dict[ColumnId, str] = {}
        self._memo = Memo[Ranges]()
        for some in bottom_up(rel):
            self._learn_types(some)

    def of(self, rel: Rel) -> Ranges:
        return self._memo.of(rel, self._find)

    def pairs(self, join: Join) -> tuple[tuple[ColumnId, ColumnId, bool], ...]:
        """The columns that a join equates, and whether NULLs are equal."""
        found = ((e.left, e.right, e.op == "<=>") for e in join_equalities(join))
        return tuple(
            (left.id, right.id, nulls)
            for left, right, nulls in found
            if isinstance(left, Ref) and isinstance(right, Ref) and self.alike(left.id, right.id)
        )

    def alike(self, one: ColumnId, other: ColumnId) -> bool:
        """Whether values of two columns are compared as they are: then a range of one is a range of
        the other. A cast may make equal what lies far apart.
        """
        return alike(self._types.get(one), self._types.get(other))

    def _learn_types(self, rel: Rel) -> None:
        if isinstance(rel, SourceLeaf):
            self._types.update(self._leaf_facts(rel)[0])
        for column, origins in rel.origins.items():
            types = [self._types.get(o.column) for o in origins]
            if types[0] is not None and alike(*types):
                self._types[column] = types[0]

    def _find(self, rel: Rel) -> Ranges:
        match rel:
            case Scan() | Changes() | Local():
                return self._leaf_facts(rel)[1]
            case Join(kind="inner" | "cross" | "semi"):
                return {**self._passed_on(rel), **self._of_equal_columns(rel)}
            case _:
                return self._passed_on(rel)

    def _passed_on(self, rel: Rel) -> Ranges:
        found: dict[ColumnId, Range] = {}
        for column, origins in rel.origins.items():
            ranges = [self.of(o.input).get(o.column) for o in origins]
            known = [r for r in ranges if r is not None]
            if len(known) == len(ranges) and column in self._types:
                found[column] = reduce(Range.hull, known)
        return found

    def _of_equal_columns(self, join: Join) -> Ranges:
        """The columns that are equal in every row, as far as the join shows them."""
        left, right, shown = self.of(join.left), self.of(join.right), join.origins
        found: dict[ColumnId, Range] = {}
        for one, other, nulls in self.pairs(join):
            met = _in_common(left.get(one), right.get(other), nulls=nulls)
            if met is not None:
                found |= {column: met for column in (one, other) if column in shown}
        return found


def _in_common(one: Range | None, other: Range | None, *, nulls: bool) -> Range | None:
    """What is left of equal columns of two sides."""
    known = [r for r in (one, other) if r is not None]
    if not known:
        return None
    met = reduce(Range.cut, known)
    return met if nulls else met.without_null()
