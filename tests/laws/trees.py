"""Random trees over all operators that a view's definition may have."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from everview.algebra.fresh import Fresh
from everview.algebra.meaning.plans import State
from everview.algebra.relations import (
    Aggregate,
    At,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    TableFunction,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import NULL, Call, Column, Ref, Scalar, integer
from tests.laws.evaluate import Evaluator
from tests.laws.tables import NUMBERS, TABLES
from tests.laws.tree_scalars import WORDS, Columns, Scalars

MOST_ROWS = 16  # of an operator; more are slow and say no more
MOST_COLUMNS = 5
TRIES = 4  # for an operator whose rows change and are not too many

JOINS = {
    "inner": 2, "cross": 1, "left": 3, "right": 3, "full": 3, "semi": 3, "anti": 3, "mark": 4,
}  # fmt: skip


class Trees:
    """Random trees in which every relation has a column of numbers; ids are unique in a tree.

    The state they will be tried in is known, so that most operators have something to say of it.
    """

    def __init__(self, rng: Random, state: State) -> None:
        self.rng = rng
        self.fresh = Fresh(0)
        self.scalars = Scalars(rng)
        self.shared: list[Shared] = []
        self.known = Evaluator(state)

    def tree(self, depth: int) -> Rel:
        if depth == 0:
            return self._leaf()
        build: dict[Callable[[int], Rel], float] = {self._one: 10, self._two: 11, self._twice: 1.5}
        return self._narrow(self.rng.choices(list(build), list(build.values()))[0](depth))

    def _one(self, depth: int) -> Rel:
        make: dict[Callable[[Rel], Rel], float] = {
            self._filter: 2, self._project: 2, self._distinct: 3, self._aggregate: 4,
            self._total: 1.5, self._having: 1.5, self._window: 4, self._pivot: 3,
            self._unpivot: 3, self._generate: 4,
        }  # fmt: skip
        chosen = self.rng.choices(list(make), list(make.values()))[0]
        input_ = self.tree(depth - 1)
        if chosen == self._generate and not self.scalars.of(input_.columns, "array"):
            input_ = self._with_array(input_)
        return self._tried(lambda: chosen(input_), input_)

    def _two(self, depth: int) -> Rel:
        left, right = self.tree(depth - 1), self.tree(self.rng.randint(0, depth - 1))
        if self.rng.random() < 0.5:
            left, right = right, left
        return self._of_two(left, right)

    def _of_two(self, left: Rel, right: Rel) -> Rel:
        make: dict[Callable[[Rel, Rel], Rel], float] = {
            self._join: 7, self._union: 1, self._except: 2, self._intersect: 2,
        }  # fmt: skip
        chosen = self.rng.choices(list(make), list(make.values()))[0]
        return self._tried(lambda: chosen(left, right), left)

    def _twice(self, depth: int) -> Rel:
        """A WITH query that two places read; later leaves may read it as well."""
        shared = Shared(f"with{self.fresh.number()}", self.tree(depth - 1))
        self.shared.append(shared)
        return self._of_two(self._read(shared), self._read(shared))

    def _tried(self, make: Callable[[], Rel], otherwise: Rel) -> Rel:
        """The first that changes, else the first that is small enough, else what is below."""
        small: Rel | None = None
        for _ in range(TRIES):
            made = make()
            old, new = (self.known.lines(self.known.at(made, snapshot)) for snapshot in At)
            if max(len(old), len(new)) <= MOST_ROWS:
                if self.known.difference(made):
                    return made
                small = small or made
        return small or otherwise

    # Leaves

    def _leaf(self) -> Rel:
        if self.shared and self.rng.random() < 0.15:
            return self._read(self.rng.choice(self.shared))
        if self.rng.random() < 0.06:
            return self._values()
        if self.rng.random() < 0.03:
            call = Call("range", (integer(self.rng.randint(1, 3)),))
            return TableFunction(call, (self._column("number"),))
        return self._scan(self.rng.choice(sorted(TABLES)))

    def _scan(self, table: str) -> Scan:
        return Scan(table, At.NEW, tuple(self._column(k, table) for k in TABLES[table]))

    def _values(self) -> Rel:
        width = self.rng.choice((1, 2))
        some = tuple(
            tuple(self.rng.choice((NULL, *map(integer, NUMBERS))) for _ in range(width))
            for _ in range(self.rng.choice((1, 2, 3)))
        )
        return Values(some, tuple(self._column("number") for _ in range(width)))

    def _read(self, shared: Shared) -> Rel:
        return self._cut(shared, shared.columns)

    # One input

    def _filter(self, input_: Rel) -> Rel:
        return Filter(input_, self.scalars.condition(input_.columns))

    def _project(self, input_: Rel) -> Rel:
        columns = self._some(input_.columns, self.rng.randint(0, 2))
        outputs = [self._copy(c) for c in columns]
        if not self.scalars.of(columns, "number") or self.rng.random() < 0.5:
            outputs.append((self._column("number"), self.scalars.computed(input_.columns)))
        return Project(input_, tuple(outputs))

    def _distinct(self, input_: Rel) -> Rel:
        """Of all columns, or of so few that copies come about."""
        few = self._numbers(input_, self.rng.choice((1, 1, 2)))
        return Distinct(self.rng.choice((input_, few, few)))

    def _aggregate(self, input_: Rel, size: int | None = None) -> Aggregate:
        keys = self._some(input_.columns, self.rng.choice((1, 1, 2)) if size is None else size)
        calls = []
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            call, kind = self.scalars.aggregate(input_.columns)
            calls.append((self._column(kind), call))
        made = (*keys, *(c for c, _ in calls))
        if not self.scalars.of(made, "number"):
            return self._aggregate(input_, size)
        only_keys = self.scalars.of(keys, "number") and self.rng.random() < 0.05
        return Aggregate(input_, keys, () if only_keys else tuple(calls))

    def _total(self, input_: Rel) -> Rel:
        return self._aggregate(input_, 0)

    def _having(self, input_: Rel) -> Rel:
        return self._filter(self._aggregate(input_))

    def _window(self, input_: Rel) -> Rel:
        partition = self._some(input_.columns, self.rng.choice((0, 1, 1, 1, 1, 2)))
        calls = tuple(
            (self._column("number"), self.scalars.window(input_.columns))
            for _ in range(self.rng.choice((1, 1, 2)))
        )
        return Window(input_, partition, calls)

    def _pivot(self, input_: Rel) -> Rel:
        keys = self._some(input_.columns, self.rng.choice((0, 1, 1, 1, 2)))
        dimensions = self._some(self.scalars.of(input_.columns, "number"), 1)
        constants: tuple[Scalar, ...] = (*map(integer, NUMBERS), NULL)
        values = tuple((v,) for v in self.rng.sample(constants, self.rng.choice((1, 2))))
        measures = tuple(
            self.scalars.measure(input_.columns) for _ in range(self.rng.choice((1, 1, 2)))
        )
        cells = tuple(self._column("number") for _ in range(len(values) * len(measures)))
        return Pivot(input_, keys, dimensions, values, measures, cells)

    def _unpivot(self, input_: Rel) -> Rel:
        numbers = self.scalars.of(input_.columns, "number")
        width = self.rng.choice((1, 1, 2))
        rows = tuple(
            (word, tuple(self.rng.choice(numbers).id for _ in range(width))) for word in WORDS
        )
        values = tuple(self._column("number") for _ in range(width))
        kept = self._some(input_.columns, self.rng.choice((0, 1, 1, 2)))
        keeps_nulls = self.rng.random() < 0.3
        return Unpivot(input_, kept, self._column("word"), values, rows, keeps_nulls)

    def _generate(self, input_: Rel) -> Rel:
        array = self.rng.choice(self.scalars.of(input_.columns, "array"))
        outer = self.rng.random() < 0.5
        generator = Call("explode", (Ref(array.id),))
        return Generate(input_, generator, (self._column("number"),), outer)

    def _with_array(self, input_: Rel) -> Rel:
        other = self._scan("t")
        kind = self.rng.choice(("inner", "left"))
        return self._tried(lambda: Join(kind, input_, other, self._between(input_, other)), other)

    # Two inputs

    def _join(self, left: Rel, right: Rel) -> Rel:
        kind = self.rng.choices(list(JOINS), list(JOINS.values()))[0]
        if kind == "cross":
            return Join("cross", left, right)
        condition = self._between(left, right)
        if kind != "mark":
            return Join(kind, left, right, condition)
        mark = self._column("truth")
        join = Join("mark", left, right, condition, mark=mark)
        if self.rng.random() < 0.4:
            return join
        return Filter(join, self.scalars.over_mark(mark, left.columns))

    def _between(self, left: Rel, right: Rel) -> Scalar:
        return self.scalars.between(left.columns, right.columns)

    def _union(self, left: Rel, right: Rel) -> Rel:
        inputs = self._alike(left, right)
        return UnionAll(inputs, self._like(inputs[0]))

    def _except(self, left: Rel, right: Rel) -> Rel:
        one, other = self._alike(left, right)
        return Except(one, other, self._like(one), all=self.rng.random() < 0.5)

    def _intersect(self, left: Rel, right: Rel) -> Rel:
        one, other = self._alike(left, right)
        return Intersect(one, other, self._like(one), all=self.rng.random() < 0.5)

    def _alike(self, left: Rel, right: Rel) -> tuple[Rel, Rel]:
        """Both cut to as many numbers, few of them so that rows meet."""
        width = min(len(self.scalars.of(r.columns, "number")) for r in (left, right))
        width = self.rng.randint(1, min(2, width))
        return self._numbers(left, width), self._numbers(right, width)

    # Columns

    def _column(self, kind: str, name: str = "") -> Column:
        column = self.fresh.column(name or kind[0])
        self.scalars.kinds[column.id] = kind
        return column

    def _like(self, rel: Rel) -> Columns:
        return tuple(self._column(self.scalars.kinds[c.id]) for c in rel.columns)

    def _copy(self, column: Column) -> tuple[Column, Scalar]:
        return self._column(self.scalars.kinds[column.id], column.name), Ref(column.id)

    def _some(self, columns: Columns, most: int) -> Columns:
        return tuple(self.rng.sample(columns, min(most, len(columns))))

    def _cut(self, rel: Rel, columns: Columns) -> Rel:
        return Project(rel, tuple(self._copy(c) for c in columns))

    def _numbers(self, rel: Rel, width: int) -> Rel:
        """The relation as so many columns of numbers; as it is if it has no others."""
        some = self.scalars.of(rel.columns, "number")
        if len(some) == len(rel.columns) == width:
            return rel
        return self._cut(rel, self._some(some, width))

    def _narrow(self, rel: Rel) -> Rel:
        """Without columns that nobody would read."""
        if len(rel.columns) <= MOST_COLUMNS:
            return rel
        some = {c.id: c for c in self._some(self.scalars.of(rel.columns, "number"), 2)}
        some |= {c.id: c for c in self._some(rel.columns, 2)}
        return self._cut(rel, tuple(some.values()))
