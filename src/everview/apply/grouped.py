"""Views whose rows are replaced key by key: what is stored, and the plans that replace it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everview.algebra.fresh import Fresh
from everview.algebra.relations import At, Join, Local, Net, Rel, Scan, Signed, Touched, UnionAll
from everview.algebra.scalars import ColumnId, Columns, Scalar
from everview.algebra.walk import at, highest_id
from everview.delta.touched import same_key

KEYS, RECOMPUTED = "keys", "recomputed"


@dataclass(frozen=True, slots=True)
class GroupedView:
    """Ω(A), where Ω looks at the rows of one key at a time.

    `above` are the operators of Ω, root first. `keys` are columns of the base A; `places` say where
    each of them lies in a stored row, and `stored` are the columns as they lie in the table.
    """

    base: Rel
    keys: Columns
    above: tuple[Rel, ...]
    stored: Columns
    places: tuple[int, ...]
    types: Mapping[ColumnId, str]

    def full(self) -> Rel:
        """The stored rows, computed from the sources."""
        return self.over(self.base)

    def over(self, base: Rel) -> Rel:
        """Ω over other rows."""
        for operator in reversed(self.above):
            base = operator.over((base,))
        return base

    @property
    def stored_keys(self) -> Columns:
        return tuple(self.stored[place] for place in self.places)


def touched_partitions(view: GroupedView, changes: Rel) -> Touched:
    """K  =  touched keys of ΔA: rows of no other key can come out otherwise than they are stored
    (affected groups, Vista, 3.4.1)
    """
    return Touched(changes, view.keys)


class ApplyGrouped:
    """The plans that replace all stored rows of the touched keys K.

    V'  =  V ▷ K  +  Ω(A_new ⋉ K)

    The old rows are those that are stored, so they need not come out the same when they are
    computed again; the new ones are computed once, by a step of their own.
    """

    def __init__(self, view: GroupedView, table: str) -> None:
        self.view = view
        fresh = Fresh(max(highest_id(view.full()), *(c.id for c in view.stored)))
        self.keys = Local(KEYS, fresh.columns(k.name for k in view.keys))
        self.rows = Local(RECOMPUTED, fresh.columns(c.name for c in view.stored))
        self._stored = Scan(table, At.OLD, view.stored)

    def recomputed(self) -> Rel:
        """Ω(A_new ⋉ K)"""
        source = at(self.view.base, At.NEW)
        same = same_key(self.view.keys, self.keys.columns)
        return self.view.over(Join("semi", source, self.keys, same, broadcast="right"))

    def kept(self) -> Rel:
        """V ▷ K"""
        return Join("anti", self._stored, self.keys, self._same_key(), broadcast="right")

    def changes(self) -> Rel:
        """ΔV  =  net (Ω(A_new ⋉ K)  -  V ⋉ K)"""
        old = Join("semi", self._stored, self.keys, self._same_key(), broadcast="right")
        return Net(UnionAll((Signed(self.rows, 1), Signed(old, -1)), self.view.stored))

    def _same_key(self) -> Scalar:
        return same_key(self.view.stored_keys, self.keys.columns)
