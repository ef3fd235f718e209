"""The law of answers: what an operator says of itself holds of the rows that it denotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any, get_args

from everview.algebra.calls import SortKey, WorkDelta
from everview.algebra.fresh import Fresh
from everview.algebra.meaning.plans import Line, Row, State, bag, lines
from everview.algebra.relations import ChangeTable, Copies, Local, Negate, Net, Rel, Signed, TopK
from everview.algebra.scalars import Column, ColumnId, Scalar, integer
from everview.algebra.walk import bottom_up, highest_id
from everview.delta.propagate import delta
from tests.laws.evaluate import Evaluator
from tests.laws.law import Seen
from tests.laws.met import kind_of
from tests.laws.tables import random_tables
from tests.laws.trees import Trees
from tests.plan_text import plan_text

Lines = Sequence[Line]
_SCALARS = get_args(Scalar)
_RELATIONS = get_args(Rel)


class NotSo(AssertionError):
    """An answer that does not hold."""

    def __init__(self, rel: Rel, what: str) -> None:
        super().__init__(f"{what} in\n{plan_text(rel)}")


def check_answers(seed: int, seen: Seen) -> None:
    """At every operator of a random tree with a limit, and of its changes."""
    rng = Random(seed)
    state, changed = random_tables(rng)
    trees = Trees(rng, state)
    rel = trees.tree(rng.choice((1, 1, 2, 3)))
    numbers = trees.scalars.of(rel.columns, "number")
    order = tuple(SortKey(c.id, descending=False, nulls_first=True) for c in numbers[:1])
    plans: list[Rel] = [TopK(rel, order, integer(2))]
    changes = delta(rel, changed)
    if changes is not None:
        area = Fresh(highest_id(changes)).column("area")
        keys = tuple(rng.sample(changes.columns, 1))
        plans += [changes, ChangeTable(changes, keys, ((area, WorkDelta("weight")),))]
        plans += [Copies(Net(Signed(rel, 1))), Negate(Signed(rel, -1))]
    known = Evaluator(state)
    for plan in plans:
        for operator in bottom_up(plan):
            _Answers(operator, [known.lines(i) for i in operator.inputs], state).check(seen)


class _Answers:
    """One operator over inputs whose lines are at hand."""

    def __init__(self, rel: Rel, below: list[Lines], state: State) -> None:
        self.rel, self.below, self.state = rel, below, state
        self.places = [_places(i.columns) for i in rel.inputs]
        self.made = self.over(below)

    def over(self, below: list[Lines], rel: Rel | None = None) -> Lines:
        """What the operator makes of these lines in place of its inputs'."""
        rel = rel or self.rel
        leaves = [Local(f"i{k}", i.columns, i.weighted) for k, i in enumerate(rel.inputs)]
        local = {leaf.name: tuple(some) for leaf, some in zip(leaves, below, strict=True)}
        state = State(self.state.tables, self.state.changes, local)
        return lines(rel.over(tuple(leaves)), state)

    def check(self, seen: Seen) -> None:
        kind = kind_of(self.rel)
        for check in (
            self._rebuilt,
            self._scalars,
            self._origins,
            self._separate,
            self._reads,
            self._told_apart,
            self._groups,
            self._signs,
            self._keeping,
        ):
            said = check()
            seen.met(f"{kind}: {check.__name__[1:]}", when=said)

    def _require(self, holds: bool, what: str) -> None:
        if not holds:
            raise NotSo(self.rel, what)

    def _rebuilt(self) -> bool:
        self._require(self.rel.over(self.rel.inputs) == self.rel, "rebuilt over its own inputs")
        return bool(self.rel.inputs)

    def _scalars(self) -> bool:
        found: list[Scalar] = []

        def note(scalar: Scalar) -> Scalar:
            found.append(scalar)
            return scalar

        self._require(self.rel.with_scalars(note) == self.rel, "other scalars")
        self._require(tuple(found) == self.rel.scalars, "scalars that are not changed")
        held = [s for f in fields(self.rel) for s in _held(getattr(self.rel, f.name))]
        self._require(sorted(map(repr, held)) == sorted(map(repr, found)), "scalars left out")
        return bool(found)

    def _origins(self) -> bool:
        """In every row the value is that of one of the columns that it is said to come from."""
        at = _places(self.rel.columns)
        for column, origins in self.rel.origins.items():
            self._require(column in at, f"column {column} is not there")
            known = {v for o in origins for v in self._of_input(o.input, o.column)}
            values = {row[at[column]] for row, _ in self.made}
            self._require(values <= known, f"column {column} has other origins")
        return bool(self.rel.origins and self.made)

    def _separate(self) -> bool:
        """The rows of one value are the same if rows of other values are not there; in all inputs
        or in one of them.
        """
        found = False
        at = _places(self.rel.columns)
        for column in {c for columns in self.rel.separate_by for c in columns}:
            own = [columns.get(column) for columns in self.rel.separate_by]
            for value in {row[at[column]] for row, _ in self.made}:
                alone = _where(self.made, at[column], value)
                for cut in (range(len(own)), *([k] for k, _ in enumerate(own))):
                    below = [
                        some if c is None or k not in cut else _where(some, places[c], value)
                        for k, (some, c, places) in enumerate(
                            zip(self.below, own, self.places, strict=True)
                        )
                    ]
                    mine = _where(self.over(below), at[column], value)
                    self._require(bag(mine) == bag(alone), f"column {column} is not separate")
                    found = found or len(alone) < len(self.made)
        return found

    def _reads(self) -> bool:
        """Values that it does not read change neither its rows nor what it computes."""
        below = [
            [(_forgotten(row, i.columns, self.rel.reads), w) for row, w in some]
            for i, some in zip(self.rel.inputs, self.below, strict=True)
        ]
        forgotten = any(not {c.id for c in i.columns} <= self.rel.reads for i in self.rel.inputs)
        shown = [
            place
            for place, c in enumerate(self.rel.columns)
            if all(o.column in self.rel.reads for o in self.rel.origins.get(c.id, ()))
        ]
        if self._is_padded() or not forgotten:
            return False
        one, other = (_chosen(some, shown) for some in (self.made, self.over(below)))
        self._require(bag(one) == bag(other), "reads more than it says")
        return bool(one)

    def _is_padded(self) -> bool:
        """Whether columns are passed on in some rows and padded in others."""
        return kind_of(self.rel) in ("Join left", "Join right", "Join full")

    def _told_apart(self) -> bool:
        """Rows of which the input has no two alike."""
        apart = self.rel.told_apart_by
        if apart is None:
            return False
        first = self.rel.inputs[0]
        passed = {
            column: origins[0].column
            for column, origins in self.rel.origins.items()
            if len(origins) == 1 and origins[0].input is first
        }
        if _repeats(self.below[0], [self.places[0][c] for c in passed.values()]):
            return False
        at = _places(self.rel.columns)
        alike = _repeats(self.made, [at[c] for c in {*passed, *apart}])
        self._require(not alike, "rows of one row are alike")
        return len(self.made) > 1

    def _groups(self) -> bool:
        if self.rel.groups is None:
            return False
        at = _places(self.rel.columns)
        self._require(not _repeats(self.made, [at[c.id] for c in self.rel.groups]), "a group twice")
        return len(self.made) > 1

    def _signs(self) -> bool:
        weighted = [some for i, some in zip(self.rel.inputs, self.below, strict=True) if i.weighted]
        signs = {w > 0 for some in weighted for _, w in some}
        if not self.rel.keeps_signs or not self.rel.weighted or len(signs) != 1:
            return False
        self._require({w > 0 for _, w in self.made} <= signs, "other signs")
        return bool(self.made)

    def _keeping(self) -> bool:
        """With one more column: for each of its values what the operator makes of its rows."""
        if self.rel.keeping(()) is None or not self.rel.inputs[0].columns:
            return False
        (input_,), (some,) = self.rel.inputs, self.below
        kept = Fresh(max(highest_id(self.rel), highest_id(input_))).column("kept")
        wide = Local("wide", (*input_.columns, kept), input_.weighted)
        whole = self.rel.over((wide,)).keeping((kept,))
        assert whole is not None
        made = self.over([[((*row, row[0]), w) for row, w in some]], whole)
        at = _places(whole.columns)
        self._require(kept.id in at, "a column is not kept")
        for value in {row[0] for row, _ in some}:
            mine = _chosen(_where(made, at[kept.id], value), [at[c.id] for c in self.rel.columns])
            alone = self.over([_where(some, 0, value)])
            self._require(bag(mine) == bag(alone), f"not kept apart by {value}")
        return bool(some)

    def _of_input(self, input_: Rel, column: ColumnId) -> set[Any]:
        place = next(k for k, i in enumerate(self.rel.inputs) if i is input_)
        return {row[self.places[place][column]] for row, _ in self.below[place]}


def _places(columns: Sequence[Column]) -> dict[ColumnId, int]:
    return {c.id: place for place, c in enumerate(columns)}


def _where(some: Lines, place: int, value: Any) -> Lines:
    return [(row, w) for row, w in some if row[place] == value]


def _chosen(some: Lines, places: Sequence[int]) -> Lines:
    return [(tuple(row[p] for p in places), w) for row, w in some]


def _repeats(some: Lines, places: Sequence[int]) -> bool:
    rows = [row for row, _ in _chosen(some, places)]
    return len(set(rows)) < len(rows)


def _forgotten(row: Row, columns: Sequence[Column], read: frozenset[ColumnId]) -> Row:
    return tuple(v if c.id in read else None for v, c in zip(row, columns, strict=True))


def _held(value: Any) -> Iterator[Scalar]:
    """The scalars in a field of an operator, at whatever depth; not those of its inputs."""
    if isinstance(value, _SCALARS):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _held(part)
    elif is_dataclass(value) and not isinstance(value, (*_RELATIONS, Column)):
        for f in fields(value):
            yield from _held(getattr(value, f.name))
