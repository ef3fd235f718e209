"""Keys of a relation, derived from those of its inputs (Vista, 4.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice, product

from everview.algebra.derive.conditions import Said, alike, said
from everview.algebra.derive.constants import constants
from everview.algebra.derive.join_keys import join_keys
from everview.algebra.derive.literal_keys import told_apart, values_keys
from everview.algebra.derive.minimal_keys import Key, Keys, equated, minimal
from everview.algebra.derive.typed import typed
from everview.algebra.memo import Memo
from everview.algebra.relations import (
    Except,
    Filter,
    Intersect,
    Join,
    Rel,
    Scan,
    TableFunction,
    TopK,
    UnionAll,
    Values,
    Window,
)
from everview.algebra.scalars import Column, ColumnId, Constant, Types, called

__all__ = ["DeclaredKeys", "Key", "Keys", "has_key_among", "keys"]

# What goes in: a plan, the types of its columns, and keys of tables that are taken on trust. What
# comes out: sets of columns that tell all rows of the plan apart. It is built from the leaves up.
# An operator has the keys of its input that it still shows, and where it makes several rows of
# one, together with what tells those apart; a group has its own columns as a key; a condition
# puts one column in place of another that it equates, and frees a key of a column that has one
# value only. Every set is kept as small as possible, and only so many of them, else joins would
# multiply them.
#
#     sales               {id}                          as declared
#     γ store, count(*)   {store}                       one row for each store
#     σ store = 7         {}                            one row at most

DeclaredKeys = Mapping[str, tuple[tuple[str, ...], ...]]


def keys(rel: Rel, types: Types | None = None, declared: DeclaredKeys | None = None) -> Keys:
    """Sets of columns that no two rows of the relation agree on, whatever the tables hold; NULLs
    are equal, and so are floats and strings that GROUP BY takes as one. The empty set: there is
    at most one row. The smallest are given, and only so many.

    `types`: Spark types of columns, at best of all that are scanned; columns whose types are not
    known tell nothing by comparison. `declared`: keys of tables that are taken on trust.
    """
    return _Derivation(typed(rel, types or {}), declared or {}).of(rel)


def has_key_among(columns: Iterable[ColumnId], found: Keys) -> bool:
    """Whether these columns tell all rows apart."""
    known = frozenset(columns)
    return any(key <= known for key in found)


@dataclass(frozen=True, slots=True)
class _Derivation:
    types: Types
    declared: DeclaredKeys
    memo: Memo[Keys] = field(default_factory=Memo)

    def of(self, rel: Rel) -> Keys:
        return self.memo.of(rel, self._without_constants)

    def _without_constants(self, rel: Rel) -> Keys:
        """A column of one value tells nothing apart: no key needs it."""
        fixed = frozenset(constants(rel, self.types))
        return minimal(key - fixed for key in self._found(rel))

    def _found(self, rel: Rel) -> Iterable[Key]:
        match rel:
            case Scan(table, _, columns):
                return _declared_keys(self.declared.get(table, ()), columns)
            case Values():
                return values_keys(rel)
            case TableFunction(call, columns):
                return [_ids(columns)] if called(call) == "range" else ()
            case Filter(input_, condition):
                return equated(self.of(input_), said(condition, self.types))
            case Join(_, left, right):
                return join_keys(rel, self.of(left), self.of(right), self.types)
            case UnionAll():
                return self._union(rel)
            case Except() | Intersect():
                return self._set_difference(rel)
            case Window():
                return [*self._passed_on(rel), *_places(rel)]
            case TopK():
                return [*self._passed_on(rel), *([frozenset()] if _is_one(rel) else [])]
            case _:
                return self._passed_on(rel)

    def _passed_on(self, rel: Rel) -> Iterable[Key]:
        """keys(γ_G A)  =  G, and those keys of A that γ shows, under the names that it gives them,
        with what tells apart the rows made of one row of A.
        """
        groups = [] if rel.groups is None else [_ids(rel.groups)]
        apart = rel.told_apart_by
        if apart is None:
            return groups
        input_, shown = rel.inputs[0], dict[ColumnId, list[ColumnId]]()
        for column, origins in rel.origins.items():
            if len(origins) == 1 and origins[0].input is input_:
                shown.setdefault(origins[0].column, []).append(column)
        kept = [key for key in self.of(input_) if key <= shown.keys()]
        first = minimal(apart.union(shown[c][0] for c in key) for key in kept)
        same = {(names[0], other) for names in shown.values() for other in names[1:]}
        return [*groups, *equated(first, Said({}, frozenset(same)))]

    def _union(self, rel: UnionAll) -> Iterable[Key]:
        """None, unless a column of literals tells the inputs apart: then it and a key of each."""
        if len(rel.inputs) == 1:
            return self._by_place(rel, rel.inputs[0])
        each = [constants(i, self.types) for i in rel.inputs]
        for column, *own in zip(rel.columns, *(i.columns for i in rel.inputs), strict=True):
            if told_apart([known.get(c.id) for known, c in zip(each, own, strict=True)]):
                chosen = product(*(sorted(self._by_place(rel, i), key=sorted) for i in rel.inputs))
                return [frozenset({column.id}).union(*some) for some in islice(chosen, 64)]
        return ()

    def _set_difference(self, rel: Except | Intersect) -> Iterable[Key]:
        """keys(A - B)  =  keys(A);  keys(A ∩ B)  =  keys(A) ∪ keys(B)

        without ALL also all columns.
        """
        found = [] if rel.all else [_ids(rel.columns)]
        sides = (rel.left,) if isinstance(rel, Except) else (rel.left, rel.right)
        return [*found, *(key for side in sides for key in self._by_place(rel, side))]

    def _by_place(self, rel: UnionAll | Except | Intersect, side: Rel) -> Keys:
        """The keys of an input under the columns of the operator; none of a column whose values
        Spark casts to meet those of another input, because the cast may make them equal.
        """
        under: dict[ColumnId, ColumnId] = {}
        for column, mine, *own in zip(
            rel.columns, side.columns, *(i.columns for i in rel.inputs), strict=True
        ):
            if len(own) == 1 or alike(*(self.types.get(c.id) for c in own)):
                under[mine.id] = column.id
        kept = [key for key in self.of(side) if key <= under.keys()]
        return minimal(frozenset(under[c] for c in key) for key in kept)


def _ids(columns: tuple[Column, ...]) -> Key:
    return frozenset(c.id for c in columns)


def _declared_keys(declared: tuple[tuple[str, ...], ...], columns: tuple[Column, ...]) -> list[Key]:
    """The declared keys whose columns are all scanned."""
    ids = {c.name: c.id for c in columns}
    whole = [names for names in declared if ids.keys() >= set(names)]
    return [frozenset(ids[name] for name in names) for names in whole]


def _places(rel: Window) -> list[Key]:
    """A place in a partition is taken once."""
    numbered = [c for c, call in rel.calls if called(call.function) == "row_number"]
    return [_ids((*rel.partition, column)) for column in numbered]


def _is_one(rel: TopK) -> bool:
    """Whether at most one row is asked for."""
    match rel.limit:
        case Constant(_, 0 | 1):
            return True
        case _:
            return False
