"""The law of groups that are grouped again: with rows in place of the inner groups, the rows of a
definition and of its changes stay.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from everview.algebra.calls import AggregateCall, AggregateName
from everview.algebra.meaning.plans import CountedBag, State
from everview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Project,
    Rel,
    UnionAll,
)
from everview.algebra.scalars import Column, Types
from everview.delta.propagate import delta
from everview.optimize.simplified import rooted_in_groups, without_inner_groups
from tests.laws.evaluate import Evaluator
from tests.laws.key_law import TYPES, NotSo
from tests.laws.law import Seen
from tests.laws.tables import random_tables
from tests.laws.tree_law import bottom_up
from tests.laws.trees import Trees

Columns = tuple[Column, ...]
INNER: tuple[AggregateName, ...] = ("sum", "sum", "count", "min", "max", "avg")
OUTER: tuple[AggregateName, ...] = ("sum", "sum", "sum", "min", "max", "count", "avg")
JOINED = ("inner", "inner", "inner", "cross", "left", "right", "full", "semi", "anti", "mark")


class GroupTrees(Trees):
    """Aggregates over filters, projections, joins and unions over aggregates."""

    def __init__(self, rng: Random, state: State) -> None:
        super().__init__(rng, state)
        self.layers: list[str] = []

    def grouped_again(self) -> Rel:
        rel = self._some_groups()
        for _ in range(self.rng.choice((0, 1, 1, 2, 3))):
            rel = self._layer(rel)
        if self.rng.random() < 0.15:
            self.layers.append("outer distinct")
            return Distinct(self._cut(rel, self._kept(rel)))
        return self._outer(rel)

    def _some_groups(self) -> Rel:
        """Groups whose keys are told first; or distinct rows."""
        leaf = self.tree(self.rng.choice((0, 0, 0, 1)))
        if self.rng.random() < 0.1:
            self.layers.append("inner distinct")
            return Distinct(leaf)
        keys = self._some(leaf.columns, self.rng.choice((1, 1, 2)))
        calls = tuple(self._call(leaf.columns) for _ in range(self.rng.choice((1, 2, 2))))
        return Aggregate(leaf, keys, calls)

    def _call(self, columns: Columns) -> tuple[Column, AggregateCall]:
        name = self.rng.choice(INNER)
        self.layers.append(f"inner {name}")
        numbers = self.scalars.of(columns, "number")
        size = self.rng.choice((0, 1, 2)) if name == "count" else 1
        args = tuple(c.id for c in (self._some(columns if size == 2 else numbers, size)))
        distinct = self.rng.random() < 0.05 and bool(args)
        return self._column("number"), AggregateCall(name, args, distinct=distinct)

    def _layer(self, rel: Rel) -> Rel:
        match self.rng.choice(("filter", "project", "join", "join", "union")):
            case "filter":
                self.layers.append("filter")
                few = self._kept(rel)
                some = few if self.scalars.of(few, "number") else rel.columns
                return Filter(rel, self.scalars.condition(some))
            case "project":
                self.layers.append("project")
                return self._shown(rel)
            case "join":
                return self._joined(rel)
            case _:
                return self._united(rel)

    def _kept(self, rel: Rel) -> Columns:
        """Columns that stand first, which keys of groups do, more often than others."""
        return rel.columns[: self.rng.choice((1, 1, 2, 3))]

    def _shown(self, rel: Rel) -> Rel:
        outputs = [self._copy(c) for c in rel.columns if self.rng.random() < 0.9]
        if not self.scalars.of(tuple(c for c, _ in outputs), "number") or self.rng.random() < 0.2:
            outputs.append((self._column("number"), self.scalars.computed(rel.columns)))
        return Project(rel, tuple(outputs))

    def _joined(self, rel: Rel) -> Rel:
        other = self._leaf() if self.rng.random() < 0.6 else self._some_groups()
        kind = self.rng.choice(JOINED)
        self.layers.append(f"join {kind}")
        left, right = (rel, other) if self.rng.random() < 0.5 else (other, rel)
        if kind == "cross":
            return Join("cross", left, right)
        few = [self._kept(side) for side in (left, right)]
        some = [
            f if self.scalars.of(f, "number") else s.columns
            for f, s in zip(few, (left, right), strict=True)
        ]
        condition = self.scalars.between(*some)
        mark = self._column("truth") if kind == "mark" else None
        return Join(kind, left, right, condition, mark=mark)  # type: ignore[arg-type]

    def _united(self, rel: Rel) -> Rel:
        other = self._leaf() if self.rng.random() < 0.5 else self._some_groups()
        self.layers.append("union")
        inputs = self._alike(rel, other)
        return UnionAll(inputs, self._like(inputs[0]))

    def _outer(self, rel: Rel) -> Rel:
        keys = self._kept(rel) if self.rng.random() < 0.85 else ()
        calls = []
        for _ in range(self.rng.choice((0, 1, 1, 2)) if keys else 1):
            name = self.rng.choice(OUTER)
            some = self.scalars.of(rel.columns, "number")
            later = some[1:] if len(some) > 1 and self.rng.random() < 0.8 else some
            arg = self.rng.choice(later)
            distinct = name == "count" or self.rng.random() < 0.05
            self.layers.append(f"outer {name}")
            calls.append(
                (self._column("number"), AggregateCall(name, (arg.id,), distinct=distinct))
            )
        return Aggregate(rel, keys, tuple(calls))


def check_groups(seed: int, seen: Seen) -> None:
    """Over one random tree: rows and changes stay, and what is left out is counted."""
    rng = Random(seed)
    state, changed = random_tables(rng)
    trees = GroupTrees(rng, state)
    rel = trees.grouped_again()
    types: Types = {c: TYPES[kind] for c, kind in trees.scalars.kinds.items()}
    known = Evaluator(state)
    merged = without_inner_groups(rel, types)
    for simple in (merged, rooted_in_groups(merged, types)):
        if known.snapshots(simple) != known.snapshots(rel) or simple.columns != rel.columns:
            raise NotSo(rel, f"other rows by {simple}")
        changes = delta(simple, changed)
        if known.difference(rel) != (CountedBag() if changes is None else known.rows(changes)):
            raise NotSo(rel, f"other changes by {simple}")
    fewer = _groups(merged) < _groups(rel)
    seen.met("groups left out", when=fewer)
    seen.met("groups left out, and rows change", when=fewer and known.difference(rel))
    for layer in set(trees.layers):
        seen.met(f"{layer}: groups left out", when=fewer)


def _groups(rel: Rel) -> int:
    return Counter(isinstance(some, Aggregate | Distinct) for some in bottom_up(rel))[True]
