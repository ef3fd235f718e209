"""Random queries and states for the laws: small values, NULLs, duplicates, changes that meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from everview.algebra.calls import AggregateCall, AggregateName
from everview.algebra.derive.signs import WeightSign
from everview.algebra.fresh import Fresh
from everview.algebra.meaning.plans import Line, Row, State
from everview.algebra.relations import Aggregate, At, Filter, Join, Project, Rel, Scan, UnionAll
from everview.algebra.scalars import (
    Call,
    Case,
    Column,
    Compare,
    IsNull,
    Not,
    Or,
    Ref,
    Scalar,
    integer,
)

TABLES = {"r": 2, "s": 2, "t": 3}
VALUES = (None, 0, 1, 2)
TYPES = ("long", "long", "double", "double", "decimal(10,2)", "decimal(38,10)")


def random_state(rng: Random) -> tuple[State, frozenset[str]]:
    """Tables at OLD and NEW and gross changes between; at least one table changes.

    One batch in four only inserts, one in eight deletes everything.
    """
    deleted = rng.choice((0.0, 0.0, 0.6, 0.6, 0.6, 0.6, 0.6, 1.0))
    tables: dict[tuple[str, At], tuple[Row, ...]] = {}
    changes: dict[str, tuple[Line, ...]] = {}
    certain = rng.choice(sorted(TABLES))
    for name, width in TABLES.items():
        old = [_row(rng, width) for _ in range(rng.choice((0, 1, 3, 5)))]
        steps = rng.choice((0, 1, 2, 4)) or (1 if name == certain else 0)
        steps = 8 if deleted == 1 else steps  # nothing is left
        new, lines = _changed(rng, old, deleted, (steps, width))
        tables[name, At.OLD], tables[name, At.NEW] = tuple(old), tuple(new)
        changes[name] = tuple(lines)
    changed = frozenset(name for name, lines in changes.items() if lines)
    return State(tables, changes), changed


def only_of(state: State, changed: Iterable[str]) -> dict[str, WeightSign]:
    """Of these tables, those into which rows are only inserted, or from which only deleted."""
    found: dict[str, WeightSign] = {}
    for name in changed:
        signs = {w > 0 for _, w in state.changes.get(name, ())}
        if len(signs) == 1:
            found[name] = 1 if signs.pop() else -1
    return found


def _changed(
    rng: Random, old: list[Row], deleted: float, size: tuple[int, int]
) -> tuple[list[Row], list[Line]]:
    """The rows after some steps, and the steps as lines: deletions, updates and insertions."""
    new, lines = list(old), []
    steps, width = size
    for _ in range(steps):
        if new and rng.random() < deleted:
            gone = _victim(rng, new)
            new.remove(gone)
            lines.append((gone, -1))
            if deleted < 1 and rng.random() < 0.4:  # an update, sometimes to the same row
                row = gone if rng.random() < 0.2 else (*gone[:-1], rng.choice(VALUES))
                new.append(row)
                lines.append((row, 1))
        elif deleted < 1:
            row = rng.choice(new) if new and rng.random() < 0.3 else _row(rng, width)
            new.append(row)
            lines.append((row, 1))
    return new, lines


def _victim(rng: Random, rows: list[Row]) -> Row:
    """A row to delete: half of the time the largest or smallest, which may be a group's extreme."""
    if rng.random() < 0.5:
        return rng.choice(rows)
    ordered = sorted(rows, key=lambda row: [(v is not None, v or 0) for v in reversed(row)])
    return rng.choice((ordered[0], ordered[-1]))


def _row(rng: Random, width: int) -> Row:
    return tuple(rng.choice(VALUES) for _ in range(width))


class Queries:
    """Random plans without aggregate, and aggregates over them."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.fresh = Fresh(0)
        self.used: Counter[str] = Counter()

    def plan(self, depth: int) -> Rel:
        if depth == 0:
            return self._scan()
        build = self.rng.choice((self._filter, self._project, self._join, self._join, self._union))
        self.used[build.__name__.strip("_")] += 1
        return build(depth)

    def aggregate(self, depth: int) -> Project:
        """A projection over one GROUP BY, as a view's root."""
        input_ = self.plan(depth)
        size = self.rng.choice((0, 1, 1, 2))
        keys = tuple(self.rng.sample(input_.columns, min(size, len(input_.columns))))
        names: tuple[AggregateName, ...] = (
            "count",
            "count",
            "sum",
            "sum",
            "avg",
            "min",
            "min",
            "max",
            "max",
        )
        calls = tuple(
            (self.fresh.column(name), self._call(name, input_))
            for name in self.rng.sample(names, self.rng.choice((1, 2, 3)))
        )
        aggregate = Aggregate(input_, keys, calls)
        shown = [c for c in aggregate.columns if self.rng.random() < 0.8]
        outputs = [(self.fresh.column(c.name), Ref(c.id)) for c in shown]
        if self.rng.random() < 0.3:
            some = self.rng.choice(aggregate.columns)
            plus = Call("coalesce", (Ref(some.id), integer(7)))
            outputs.append((self.fresh.column("derived"), plus))
        self.used["aggregate"] += 1
        return Project(aggregate, tuple(outputs))

    def _call(self, name: AggregateName, input_: Rel) -> AggregateCall:
        args = self._args(name, input_)
        distinct = bool(args) and name in ("count", "sum", "avg") and self.rng.random() < 0.1
        return AggregateCall(name, args, distinct=distinct)

    def _args(self, name: str, input_: Rel) -> tuple[int, ...]:
        if name == "count" and self.rng.random() < 0.3:
            return ()
        return (self.rng.choice(input_.columns).id,)

    def _scan(self) -> Rel:
        table = self.rng.choice(sorted(TABLES))
        return Scan(table, At.NEW, self.fresh.columns(f"{table}{i}" for i in range(TABLES[table])))

    def _filter(self, depth: int) -> Rel:
        input_ = self.plan(depth - 1)
        return Filter(input_, self._condition(input_.columns))

    def _project(self, depth: int) -> Rel:
        input_ = self.plan(depth - 1)
        columns = self.rng.sample(input_.columns, self.rng.randint(1, len(input_.columns)))
        outputs: list[tuple[Column, Scalar]] = [
            (self.fresh.column(c.name), Ref(c.id)) for c in columns
        ]
        if self.rng.random() < 0.4:
            some = self.rng.choice(input_.columns)
            outputs.append((self.fresh.column("sum"), Call("+", (Ref(some.id), integer(1)))))
        return Project(input_, tuple(outputs))

    def _join(self, depth: int) -> Rel:
        left, right = self.plan(depth - 1), self.plan(self.rng.randint(0, depth - 1))
        if self.rng.random() < 0.15:
            return Join("cross", left, right)
        if self.rng.random() < 0.75:
            op = self.rng.choice(("=", "=", "=", "<=>", "<"))
            pair = Ref(self.rng.choice(left.columns).id), Ref(self.rng.choice(right.columns).id)
            return Join("inner", left, right, Compare(op, *pair))
        return Join("inner", left, right, self._condition(left.columns + right.columns))

    def _union(self, depth: int) -> Rel:
        left, right = self.plan(depth - 1), self.plan(depth - 1)
        width = min(len(left.columns), len(right.columns))
        cut = tuple(
            Project(i, tuple((self.fresh.column(c.name), Ref(c.id)) for c in i.columns[:width]))
            for i in (left, right)
        )
        return UnionAll(cut, self.fresh.columns("u" for _ in range(width)))

    def _condition(self, columns: tuple[Column, ...]) -> Scalar:
        some = Ref(self.rng.choice(columns).id)
        other = self.rng.choice((Ref(self.rng.choice(columns).id), integer(self.rng.randint(0, 2))))
        op = self.rng.choice(("=", "<=>", "<>", "<", "<=", ">", ">="))
        compare = Compare(op, some, other)
        null = IsNull(Ref(self.rng.choice(columns).id))
        whole = Case(((null, Compare("=", some, integer(1))),), compare)
        return self.rng.choice((compare, compare, null, Not(compare), Or((compare, null)), whole))
