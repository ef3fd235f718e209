"""The law of keys: no two rows of a relation agree on one, at any snapshot; and what keys are
derived by: columns of one value, columns that are never NULL.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

from everview.algebra.derive.constants import constants
from everview.algebra.derive.keys import DeclaredKeys, Key, keys
from everview.algebra.derive.never_null import never_null
from everview.algebra.meaning.bags import Row
from everview.algebra.meaning.plans import CountedBag, State
from everview.algebra.relations import Aggregate, At, Distinct, Project, Rel, Scan, UnionAll
from everview.algebra.scalars import Column, Ref, integer
from everview.delta.propagate import delta
from everview.optimize.simplified import without_needless_distinct
from tests.laws.evaluate import Evaluator
from tests.laws.law import Seen
from tests.laws.met import kind_of
from tests.laws.tables import TABLES, random_tables
from tests.laws.tree_law import bottom_up
from tests.laws.trees import Trees
from tests.plan_text import plan_text

TYPES = {
    "number": "long",
    "truth": "boolean",
    "word": "string",
    "array": '{"type": "array", "elementType": "long", "containsNull": true}',
}


DEPTHS = (1, 1, 1, 2, 2, 3, 4)


class KeyTrees(Trees):
    """Random trees in which much has a key: what they start from, and inputs of unions that a
    number tells apart.
    """

    def _leaf(self) -> Rel:
        leaf = super()._leaf()
        if self.rng.random() < 0.4:
            return leaf
        return self.rng.choice((self._distinct, self._aggregate))(leaf)

    def _union(self, left: Rel, right: Rel) -> Rel:
        inputs_ = self._alike(left, right)
        if self.rng.random() < 0.3:
            return UnionAll(inputs_, self._like(inputs_[0]))
        numbers = self.rng.choice(((0, 1), (0, 1), (0, 1), (1, 1)))
        told = [self._told(i, n) for i, n in zip(inputs_, numbers, strict=True)]
        return UnionAll(tuple(told), self._like(told[0]))

    def _told(self, rel: Rel, number: int) -> Rel:
        outputs = [(c, Ref(c.id)) for c in rel.columns]
        return Project(rel, (*outputs, (self._column("number"), integer(number))))


class NotSo(AssertionError):
    """What is said of the rows of an operator does not hold of some."""

    def __init__(self, rel: Rel, what: str) -> None:
        super().__init__(f"{what} in\n{plan_text(rel)}")
        self.kind = kind_of(rel)


def check_keys(seed: int, seen: Seen) -> None:
    """Over one random tree: of half of them it is known which keys the tables happen to have."""
    rng = Random(seed)
    state, _ = random_tables(rng)
    trees = KeyTrees(rng, state)
    rel = _numbered(trees.tree(rng.choice(DEPTHS)))
    declared = _holding(state) if rng.random() < 0.5 else {}
    types = {c: TYPES[kind] for c, kind in trees.scalars.kinds.items()}
    known = Evaluator(state)
    for operator in bottom_up(rel):
        found = keys(operator, types, declared)
        fixed, filled = constants(operator, types), never_null(operator)
        for snapshot in At:
            rows = [row for row, _ in known.lines(known.at(operator, snapshot))]
            for i, column in enumerate(operator.columns):
                values = {row[i] for row in rows}
                if column.id in fixed and not values <= {fixed[column.id].value}:
                    raise NotSo(operator, f"{column} is not always {fixed[column.id]}: {values}")
                if column.id in filled and None in values:
                    raise NotSo(operator, f"{column} is NULL")
            for key in found:
                twice = _twice(key, operator.columns, rows)
                if twice is not None:
                    raise NotSo(operator, f"{sorted(key)} is no key, twice {twice}")
        _count(operator, found, known, seen)
        kind = kind_of(operator)
        seen.met(f"{kind}: constant", when=fixed)
        seen.met(f"{kind}: never NULL", when=filled)


def check_simplified(seed: int, seen: Seen) -> None:
    """What keys make needless is left out, and the rows stay, at OLD, at NEW and as changes."""
    rng = Random(seed)
    state, changed = random_tables(rng)
    trees = KeyTrees(rng, state)
    rel = trees.tree(rng.choice(DEPTHS))
    simple = without_needless_distinct(
        rel, {c: TYPES[kind] for c, kind in trees.scalars.kinds.items()}
    )
    known = Evaluator(state)
    if known.snapshots(simple) != known.snapshots(rel) or simple.columns != rel.columns:
        raise NotSo(rel, f"other rows by\n{plan_text(simple)}\n")
    changes = delta(simple, changed)
    if known.difference(rel) != (CountedBag() if changes is None else known.rows(changes)):
        raise NotSo(rel, f"other changes by\n{plan_text(simple)}\n")
    before, after = (Counter(map(_distinct, bottom_up(r))) for r in (rel, simple))
    for what in ("Distinct", "count distinct"):
        fewer = after[what] < before[what]
        seen.met(f"{what} left out", when=fewer)
        seen.met(f"{what} left out, and rows change", when=fewer and known.difference(rel))


def _distinct(rel: Rel) -> str:
    match rel:
        case Distinct():
            return "Distinct"
        case Aggregate(_, _, calls) if any(c.distinct and c.function == "count" for _, c in calls):
            return "count distinct"
        case _:
            return ""


def _numbered(rel: Rel) -> Rel:
    """The tree with the columns of its tables named by their place."""
    if isinstance(rel, Scan):
        columns = (Column(c.id, f"c{i}") for i, c in enumerate(rel.columns))
        return replace(rel, columns=tuple(columns))
    return rel.over(tuple(map(_numbered, rel.inputs)))


def _holding(state: State) -> DeclaredKeys:
    """The keys that the rows of each table have at both snapshots."""
    found = {}
    for name, kinds in TABLES.items():
        sets = [s for n in range(len(kinds)) for s in combinations(range(len(kinds)), n)]
        both = [state.tables[name, snapshot] for snapshot in At]
        hold = [s for s in sets if all(_are_distinct(s, rows) for rows in both)]
        found[name] = tuple(tuple(f"c{i}" for i in s) for s in hold)
    return found


def _are_distinct(places: tuple[int, ...], rows: tuple[Row, ...]) -> bool:
    return len({tuple(row[i] for i in places) for row in rows}) == len(rows)


def _twice(key: Key, columns: tuple[Column, ...], rows: list[Row]) -> Row | None:
    """What two rows hold that agree on the key, None if no two do."""
    assert key <= {c.id for c in columns}
    places = [i for i, c in enumerate(columns) if c.id in key]
    counted = Counter(tuple(row[i] for i in places) for row in rows)
    return next((some for some, n in counted.items() if n > 1), None)


def _count(rel: Rel, found: frozenset[Key], known: Evaluator, seen: Seen) -> None:
    """Keys count where they say something: of several rows, fewer columns than all."""
    kind = kind_of(rel)
    many = any(len(some) > 1 for some in known.snapshots(rel))
    seen.met(kind)
    seen.met(f"{kind}: key", when=found)
    seen.met(f"{kind}: small key", when=many and any(len(k) < len(rel.columns) for k in found))
    seen.met(f"{kind}: one row at most", when=frozenset() in found)
    seen.met(f"{kind}: several keys", when=len(found) > 1)
