"""How far the values of columns reach in the rows of a plan, as its leaves say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce

from everview.algebra.derive.conditions import Types, alike
from everview.algebra.derive.equalities import join_equalities
from everview.algebra.ranges import Range
from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Local,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    Touched,
    UnionAll,
    Window,
)
from everview.algebra.scalars import Column, ColumnId, Ref
from everview.algebra.walk import bottom_up, inputs

Ranges = Mapping[ColumnId, Range]
Leaf = Scan | Changes | Local
# What is known of the columns of a leaf: the types of those that Python orders as Spark does, and
# the ranges of its rows.
LeafFacts = Callable[[Leaf], tuple[Types, Ranges]]


class Reach:
    """By operator the ranges of its columns; ranges pass from one side of a join to the other
    between columns that are compared as they are.
    """

    def __init__(self, rel: Rel, leaf_facts: LeafFacts) -> None:
        self._leaf_facts = leaf_facts
        self._types: dict[ColumnId, str] = {}
        self._known: dict[int, Ranges] = {}
        for some in bottom_up(rel):
            self._learn(some)
            self._known[id(some)] = self._of(some)

    def of(self, rel: Rel) -> Ranges:
        return self._known[id(rel)]

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

    def _learn(self, rel: Rel) -> None:
        match rel:
            case Scan() | Changes() | Local():
                self._types.update(self._leaf_facts(rel)[0])
            case Project():
                for column, scalar in rel.outputs:
                    if isinstance(scalar, Ref) and scalar.id in self._types:
                        self._types[column.id] = self._types[scalar.id]
            case UnionAll() | Except() | Intersect():
                for place, column in enumerate(rel.columns):
                    types = [self._types.get(i.columns[place].id) for i in inputs(rel)]
                    if types[0] is not None and alike(*types):
                        self._types[column.id] = types[0]
            case _:
                pass

    def _of(self, rel: Rel) -> Ranges:
        match rel:
            case Scan() | Changes() | Local():
                return self._leaf_facts(rel)[1]
            case (
                Filter() | Generate() | Window() | Distinct() | Shared() | Signed() | Negate()
                | Net() | Copies()
            ):  # fmt: skip
                return self.of(rel.input)
            case Touched() | ChangeTable():
                return of_columns(self.of(rel.changes), rel.columns)
            case Aggregate():
                return of_columns(self.of(rel.input), rel.keys)
            case Project():
                below = self.of(rel.input)
                outputs = ((c.id, s.id) for c, s in rel.outputs if isinstance(s, Ref))
                return {to: below[of] for to, of in outputs if of in below}
            case UnionAll():
                return self._union(rel)
            case Join():
                return self._join(rel)
            case _:
                return {}

    def _union(self, rel: UnionAll) -> Ranges:
        found: dict[ColumnId, Range] = {}
        for place, column in enumerate(rel.columns):
            some = [self.of(i).get(i.columns[place].id) for i in rel.inputs]
            known = [r for r in some if r is not None]
            if known and len(known) == len(some) and column.id in self._types:
                found[column.id] = reduce(Range.hull, known)
        return found

    def _join(self, join: Join) -> Ranges:
        left, right = self.of(join.left), self.of(join.right)
        match join.kind:
            case "inner" | "cross":
                both = {**left, **right}
                for one, other, nulls in self.pairs(join):
                    met = _met(left.get(one), right.get(other), nulls=nulls)
                    both |= {} if met is None else {one: met, other: met}
                return both
            case "semi":
                own = dict(left)
                for one, other, nulls in self.pairs(join):
                    met = _met(left.get(one), right.get(other), nulls=nulls)
                    own |= {} if met is None else {one: met}
                return own
            case "left" | "anti" | "mark":
                return left
            case "right":
                return right
            case _:
                return {}


def _met(one: Range | None, other: Range | None, *, nulls: bool) -> Range | None:
    """What is left of equal columns of two sides."""
    known = [r for r in (one, other) if r is not None]
    if not known:
        return None
    met = reduce(Range.cut, known)
    return met if nulls else met.without_null()


def of_columns(ranges: Ranges, columns: Iterable[Column]) -> Ranges:
    ids = {c.id for c in columns}
    return {c: r for c, r in ranges.items() if c in ids}
