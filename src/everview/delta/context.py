"""What the delta rules of one definition have in common: its snapshots, new columns, shared
parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from everview.algebra.derive.signs import Signs, WeightSign
from everview.algebra.fresh import Fresh
from everview.algebra.memo import Memo
from everview.algebra.relations import (
    At,
    Changes,
    Copies,
    Negate,
    Net,
    Rel,
    Scan,
    Shared,
    Signed,
    UnionAll,
)
from everview.algebra.walk import over_inputs, tables
from everview.delta.stored_rows import StoredRows
from everview.rewrite.marked_joins import JoinMark


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the tables: of which rows were `only` inserted (1) or deleted (-1), which
    are so `large` that they should not be read twice, of which OLD is `gone`, and how many `rows`
    they have. `stored`: what the view itself holds of its outer joins.
    """

    only: Mapping[str, WeightSign] = field(default_factory=dict)
    large: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    rows: Mapping[str, int] = field(default_factory=dict)
    stored: StoredRows | None = None


NOTHING_KNOWN = Known()


@dataclass(frozen=True, slots=True)
class DeltaContext:
    """The tables that changed and what is known of them; every relation is built once per
    snapshot.
    """

    changed: frozenset[str]
    fresh: Fresh
    known: Known = NOTHING_KNOWN
    signs: Signs = field(default_factory=Signs)
    _built: Mapping[At, Memo[Rel]] = field(default_factory=lambda: {at: Memo() for at in At})

    def at(self, rel: Rel, snapshot: At) -> Rel:
        """The relation with every scan at that snapshot; A_old = A_new for a table without
        changes, and A_old = A_new - ΔA for one of which OLD is gone (Colby et al., 2.5: PAST).
        """
        return self._built[snapshot].of(rel, lambda some: self._at(some, snapshot))

    def _at(self, rel: Rel, snapshot: At) -> Rel:
        if isinstance(rel, Scan):
            wanted = snapshot if rel.table in self.changed else At.NEW
            if wanted is At.OLD and rel.table in self.known.gone:
                return self._undone(replace(rel, at=At.NEW))
            return rel if rel.at is wanted else replace(rel, at=wanted)
        return over_inputs(rel, tuple(self.at(i, snapshot) for i in rel.inputs))

    def _undone(self, new: Scan) -> Rel:
        undone = Negate(self.changes(new))
        return Copies(Net(UnionAll((Signed(new, 1), undone), new.columns)))

    def changes(self, scan: Scan) -> Changes:
        """The changes of the scan's table."""
        return Changes(scan.table, scan.columns, only=self.known.only.get(scan.table))

    def is_large(self, rel: Rel) -> bool:
        """Whether a relation should not be read at a second snapshot."""
        return not self.known.large.isdisjoint(tables(rel))

    def stored_mark(self, own: Rel, tested: Rel, part: Rel) -> JoinMark | None:
        """The mark by which stored rows tell which rows of a side have no partner in another; None
        where that is asked of the part of it that decides.

        The view holds each row of the join, so it is looked through in place of a larger table
        than the one that is padded. A smaller table is read itself: its few rows are soon found.
        """
        stored = self.known.stored
        mark = None if stored is None else stored.mark(own, tested)
        if mark is None or not mark.unchanged.isdisjoint(self.changed):
            return None
        return mark if self._rows(part) > self._rows(own) else None

    def _rows(self, rel: Rel) -> int:
        """The rows of the largest table of a relation, as far as they are known."""
        return max((self.known.rows.get(name, 0) for name in tables(rel)), default=0)

    def is_gone(self, rel: Rel) -> bool:
        """Whether a table of the relation cannot be read at OLD any more."""
        return not self.known.gone.isdisjoint(tables(rel))

    def shared(self, what: str, rel: Rel) -> Rel:
        """The relation as a part that several terms read and that can be computed once."""
        if isinstance(rel, Shared | Changes | Scan):
            return rel
        return Shared(what, rel)
