"""Which operators, of one plan or of several, give the same rows whatever the ids of their columns
are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass

from everview.algebra.memo import Memo
from everview.algebra.operator import Operator
from everview.algebra.relations import Changes, Local, Rel, Scan, Shared, Signed, UnionAll
from everview.algebra.scalars import Column, ColumnId, Constant

# What goes in: operators of several plans, each plan with ids of its own for its columns. What
# comes out: a number for each operator; those of one number give the same rows, column by column
# in their order. The number stands for all that the operator says of itself, and for the numbers
# of its inputs. A column of an input is told by its place among them rather than by its id, a new
# one by its name. That a part is shared, and a union of one input, is not said.
#
#     γ city#17, sum(price#4) (changes of sales: city#17, price#4)
#     γ city#5, sum(price#9) (changes of sales: city#5, price#9)          one number
#
# Equal rows may still have two numbers: (A ⋈ B) ⋈ C is not seen to be A ⋈ (B ⋈ C).

LeafOf = Callable[[Rel], Hashable]  # which rows a leaf reads: those of a table at some version, say
_Places = Mapping[ColumnId, int]


@dataclass(frozen=True, slots=True)
class SameRows:
    """The numbers of the operators of one plan; plans that are compared have one `given`, the
    numbers so far.
    """

    leaf_of: LeafOf
    given: dict[Hashable, int]
    memo: Memo[int] = field(default_factory=Memo)

    def number(self, rel: Rel) -> int:
        """Operators of one number give the same rows."""
        return self.memo.of(rel, self._number)

    def _number(self, rel: Rel) -> int:
        below = tuple(self.number(i) for i in rel.inputs)
        if isinstance(rel, Shared) or (isinstance(rel, UnionAll) and len(below) == 1):
            return below[0]
        said = (type(rel).__name__, _own(rel), below, () if below else self.leaf_of(rel))
        return self.given.setdefault(said, len(self.given))


def _own(rel: Rel) -> Hashable:
    """What an operator says of its rows, beside its inputs."""
    at = _places(rel)
    names = tuple(c.name for c in rel.columns)
    match rel:
        case Scan(_, snapshot, _, _, within):
            return snapshot, names, frozenset((at[column], range_) for column, range_ in within)
        case Changes(_, _, _, only):
            return names, only
        case Local(_, _, weighted):
            return names, weighted
        case Signed(_, weight):
            return weight
        case _:
            own = (getattr(rel, f.name) for f in fields(rel))
            return tuple(_told(value, at) for value in own if not _is_input(value, rel))


def _is_input(value: object, rel: Rel) -> bool:
    return isinstance(value, Operator) or value is rel.inputs


def _places(rel: Rel) -> _Places:
    """The place of each column among those of all inputs; of a leaf, among its own."""
    places: dict[ColumnId, int] = {}
    inputs = [i.columns for i in rel.inputs] or [rel.columns]
    for place, column in enumerate(c for columns in inputs for c in columns):
        places.setdefault(column.id, place)
    return places


def _told(value: object, at: _Places) -> Hashable:
    """A value that an operator holds, with places for ids. Whole numbers are ids: constants are
    told by their text.
    """
    match value:
        case Column(id_, name):
            return at.get(id_, name)
        case Constant(text):
            return "constant", text
        case bool():
            return value
        case int():
            return at[value]
        case tuple():
            return tuple(_told(each, at) for each in value)
        case _ if is_dataclass(value):
            held = (_told(getattr(value, f.name), at) for f in fields(value))
            return type(value).__name__, *held
        case _:
            assert isinstance(value, Hashable)
            return value
