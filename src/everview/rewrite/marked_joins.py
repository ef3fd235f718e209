"""Hidden columns that tell which sides of its outer joins a row of a definition has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from everview.algebra.derive.typed import typed
from everview.algebra.fresh import Fresh
from everview.algebra.operator import ids
from everview.algebra.relations import Filter, Join, JoinKind, Project, Rel, Side
from everview.algebra.scalars import Column, ColumnId, Columns, Ref, Scalar, Types, integer, refs
from everview.algebra.types import DecimalOf, Plain, type_of
from everview.algebra.walk import highest_id, tables

# What goes in: the definition of a view. What comes out: the same definition with hidden columns
# after its own. A row of A ⟕ B has a partner or is padded with NULLs, and its values do not say
# which: B may hold NULLs itself. So each side of the join gets a column that is 1, and that is NULL
# where the side is missing. With the columns of A that the condition reads, the stored rows then
# tell which rows of A have partners: B need not be asked (Gupta & Mumick, section 6; its errors
# E6 and E7 are what values alone would get wrong).
#
#     sales ⟕ stores         gives id, city
#     is kept as             id, city; store, has_left 1, has_right 1 or NULL
#
# The rows tell it only if no operator above the join leaves out some rows of a row of A and keeps
# others. A projection and a further outer join that keeps them leave out none. A filter or a join
# that reads columns of A alone leaves out all of them or none, as long as the other side of that
# join has not changed. Through any other operator the rows are not followed, and nothing is kept.


@dataclass(frozen=True, slots=True)
class JoinMark:
    """Of one side of an outer join that keeps its rows without partners: the column that is 1 in
    rows that the side is part of, the one that is 1 where it has a partner, and the columns that
    the condition reads of it.

    The rows of the view tell nothing while one of the tables `unchanged` has changed. `of` and
    `tested` are the tables of the side and of the other one.
    """

    own: Column
    partner: Column
    key: Columns
    unchanged: frozenset[str]
    of: frozenset[str]
    tested: frozenset[str]

    @property
    def columns(self) -> Columns:
        return (self.own, self.partner, *self.key)


@dataclass(frozen=True, slots=True)
class MarkedJoins:
    """A definition whose last columns are hidden, by column of a mark the one that holds it, and
    for each column of the definition one under which stored rows are read.
    """

    rel: Project
    marks: tuple[JoinMark, ...]
    place: Mapping[ColumnId, ColumnId]
    stored: Columns


def marked_joins(rel: Rel, types: Types) -> MarkedJoins | None:
    """The definition with the columns that tell partners; None if its rows would tell none."""
    fresh = Fresh(highest_id(rel))
    marked, marks = _Marking(fresh, typed(rel, types)).of(rel, ())
    if not marks:
        return None
    made = dict(marked.outputs) if isinstance(marked, Project) else {}
    public = tuple((c, made.get(c, Ref(c.id))) for c in rel.columns)
    place = {s.id: c.id for c, s in reversed(public) if isinstance(s, Ref)}
    held = {c.id: c for mark in marks for c in mark.columns if c.id not in place}
    hidden = tuple((c, Ref(c.id)) for c in held.values())
    below = marked.input if isinstance(marked, Project) else marked
    whole = Project(below, public + hidden)
    stored = fresh.columns(c.name for c in whole.columns)
    return MarkedJoins(whole, marks, place | {c: c for c in held}, stored)


def of_marks(joins: MarkedJoins, marks: tuple[JoinMark, ...], shown: int) -> MarkedJoins:
    """The same with these marks alone: with as many columns as are shown, and theirs."""
    place = {c.id: joins.place[c.id] for mark in marks for c in mark.columns}
    kept = frozenset(place.values())
    pairs = list(zip(joins.rel.outputs, joins.stored, strict=True))
    some = [*pairs[:shown], *(pair for pair in pairs[shown:] if pair[0][0].id in kept)]
    rel = Project(joins.rel.input, tuple(output for output, _ in some))
    return MarkedJoins(rel, marks, place, tuple(stored for _, stored in some))


@dataclass(frozen=True, slots=True)
class _Test:
    """What leaves out rows: by which columns, and by the rows of which tables."""

    reads: frozenset[ColumnId]
    of: frozenset[str] = frozenset()

    def below(self, made: Mapping[ColumnId, Scalar]) -> _Test:
        """The same over the columns that a projection reads, as far as it made them."""
        read = (refs(made[c]) if c in made else {c} for c in self.reads)
        return replace(self, reads=frozenset().union(*read))


_Tests = tuple[_Test, ...]
_Found = tuple[Rel, tuple[JoinMark, ...]]

# The sides of which every row without partner stays.
_KEPT: dict[JoinKind, tuple[Side, ...]] = {
    "left": ("left",), "right": ("right",), "full": ("left", "right"),
}  # fmt: skip
# Those of which rows are left out by the partners that they have.
_TESTED: dict[JoinKind, tuple[Side, ...]] = {
    "inner": ("left", "right"), "cross": ("left", "right"), "semi": ("left",), "anti": ("left",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Marking:
    fresh: Fresh
    types: Types

    def of(self, rel: Rel, tests: _Tests) -> _Found:
        """The relation with the columns of its marks, given what tests its rows above it."""
        match rel:
            case Project(input_, outputs):
                made = {c.id: s for c, s in outputs}
                below, marks = self.of(input_, tuple(t.below(made) for t in tests))
                missing = {c.id: c for m in marks for c in m.columns if c.id not in made}
                return replace(rel, input=below).keeping(tuple(missing.values())), marks
            case Filter(input_, condition):
                below, marks = self.of(input_, (*tests, _Test(refs(condition))))
                return replace(rel, input=below), marks
            case Join():
                return self._join(rel, tests)
            case _:
                return rel, ()

    def _join(self, join: Join, tests: _Tests) -> _Found:
        left, of_left = self._side(join, "left", tests)
        right, of_right = self._side(join, "right", tests)
        has: Mapping[Side, Column] = {
            "left": self.fresh.column("has_left"),
            "right": self.fresh.column("has_right"),
        }
        kept = (self._mark(join, side, tests, has) for side in _KEPT.get(join.kind, ()))
        marks = tuple(m for m in kept if m is not None)
        if marks:
            left, right = _with_one(left, has["left"]), _with_one(right, has["right"])
        return replace(join, left=left, right=right), (*of_left, *of_right, *marks)

    def _side(self, join: Join, side: Side, tests: _Tests) -> _Found:
        """A side whose rows are followed through the join, or as it is."""
        rel, other = (join.left, join.right) if side == "left" else (join.right, join.left)
        if side in _KEPT.get(join.kind, ()):
            return self.of(rel, tests)
        if side in _TESTED.get(join.kind, ()):
            test = _Test(join.reads & ids(rel.columns), tables(other))
            return self.of(rel, (*tests, test))
        return rel, ()

    def _mark(
        self, join: Join, side: Side, tests: _Tests, has: Mapping[Side, Column]
    ) -> JoinMark | None:
        """The mark of a side; None if a test may leave out some rows of one of its rows, or if its
        key cannot be stored, or may be equal where the condition tells it apart.
        """
        other: Side = "right" if side == "left" else "left"
        rel = join.left if side == "left" else join.right
        known = ids(rel.columns)
        key = tuple(c for c in rel.columns if c.id in join.reads)
        if not key or not all(can_tell(self.types.get(c.id, "")) for c in key):
            return None
        if not all(t.reads <= known for t in tests):
            return None
        unchanged = frozenset(name for t in tests for name in t.of)
        partners = join.right if side == "left" else join.left
        return JoinMark(has[side], has[other], key, unchanged, tables(rel), tables(partners))


def can_tell(type_: str) -> bool:
    """Whether columns of a type can be stored, and are equal only where they are the same: not 0.0
    and -0.0, nor strings with a collation.
    """
    known = type_of(type_) if type_ else None
    return isinstance(known, DecimalOf) or known in _TELLING


_TELLING = frozenset(
    Plain(name)
    for name in (
        "byte", "short", "integer", "long", "string", "date", "timestamp", "timestamp_ntz",
        "boolean", "binary",
    )
)  # fmt: skip


def _with_one(rel: Rel, column: Column) -> Project:
    """The rows with one more column, which is 1 in each."""
    return Project(rel, (*((c, Ref(c.id)) for c in rel.columns), (column, integer(1))))
