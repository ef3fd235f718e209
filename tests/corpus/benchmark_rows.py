"""Few random rows per query of a benchmark, drawn so that the query's own conditions hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import pyarrow as pa
import sqlglot
from sqlglot import exp

from tests.corpus.benchmark_conditions import conditions, typed
from tests.corpus.benchmark_misses import Misses
from tests.corpus.benchmark_model import Model, Row, Rows

Draw = tuple[int, int]  # which effort, and a seed

KEYS = 100  # per query and table
OUTSIDE = 0.05  # how often a foreign key points at the rows of another query
TWICE = 0.03
# So that sums by week, month and year find the same time a week, a month and a year later.
LATER = (0, 7, 31, 91, 364, 365, 371)
FIRST_DAYS = 4


@dataclass(frozen=True)
class Effort:
    """How rows of one query are drawn: first few and varied, later more alike."""

    facts: int  # rows per fact
    others: int  # rows per other table
    deals: int
    held: float = 0.99  # how often a cell takes a value that its query asks for
    near: float = 0.8  # how often a day is one that meets the query's conditions
    missing: float = 0.05  # how often a cell is NULL


EFFORTS = (
    Effort(facts=8, others=3, deals=4, held=0.95, near=0.5),
    Effort(facts=10, others=3, deals=4),
    Effort(facts=5, others=3, deals=3),
    Effort(facts=12, others=4, deals=2, near=0.5),
    Effort(facts=14, others=6, deals=1, missing=0.01),
    Effort(facts=14, others=14, deals=1, missing=0.01),
    Effort(facts=20, others=4, deals=1, missing=0.01),
    Effort(facts=8, others=4, deals=4, missing=0.01),
)


@dataclass(frozen=True)
class Place:
    """Which of so many queries: each has a range of keys of its own."""

    number: int
    places: int

    @property
    def first(self) -> int:
        return self.number * KEYS + 1


def random_tables(
    model: Model, queries: Mapping[str, str], draws: Mapping[str, Draw]
) -> dict[str, pa.Table]:
    """Rows for each query by id, the same each time; `draws` says how those of hard ones are."""
    drawn = [
        _Slice(model, text, Place(number, len(queries)), draws.get(id_, (0, 0))).draw()
        for number, (id_, text) in enumerate(queries.items())
    ]
    return {name: _table(model, name, drawn) for name in model.pool}


def _table(model: Model, name: str, drawn: Sequence[Rows]) -> pa.Table:
    rows = [row for some in drawn for row in some.get(name, [])]
    if name == model.calendar:
        rows = list({_key(row): row for row in rows}.values())
    return pa.Table.from_pylist(rows, model.types[name])


def _key(row: Row) -> Any:
    return next(iter(row.values()))


class _Slice:
    """The rows of one query: few keys per table, so that they meet.

    The first row of each table meets every condition and points at the first rows of the others.
    """

    def __init__(self, model: Model, query: str, place: Place, draw: Draw) -> None:
        self._model, self._place, self._effort = model, place, EFFORTS[draw[0]]
        self._rng = rng = Random(f"{place.number} {draw}")
        tree = sqlglot.parse_one(query, dialect="duckdb")
        names = {table.name.lower() for table in tree.find_all(exp.Table)}
        self._tables = [name for name in model.pool if name in names]
        self._conditions = conditions(tree, rng)
        self._wanted = self._conditions.wanted
        self._shared = {end: self._few(end) for end in model.shared}
        self._keys: dict[str, list[Any]] = {}
        self._deals: list[dict[str, Any]] = []

    def draw(self) -> Rows:
        """The rows by table."""
        facts = [name for name in self._tables if name in self._model.facts]
        rows = {name: self._dimension(name) for name in self._tables if name not in facts}
        self._keys = {name: [_key(row) for row in some] for name, some in rows.items()}
        self._deals = [self._deal(i) for i in range(self._effort.deals)]
        for name in facts:
            rows[name] = [self._row(name, i == 0) for i in range(self._effort.facts)]
        for name in rows:
            if name != self._model.calendar:
                first, *others = self._linked(rows[name], name)
                rows[name] = [first, *self._spoiled(others, name in facts)]
        Misses(self._model, self._conditions, rows, self._rng).add()
        return rows

    def _few(self, end: str) -> list[Any]:
        """Values for all columns whose names end so: what some condition asks for, else one."""
        asked = [v for c, values in self._wanted.items() if c.endswith(end) for v in values]
        any_ = [
            value
            for rows in self._model.pool.values()
            for column in rows[0]
            if column.endswith(end)
            for value in dict.fromkeys(row[column] for row in rows)
            if value is not None
        ]
        return [self._choice(asked or any_) for _ in range(min(2, self._effort.deals))]

    def _dimension(self, table: str) -> list[Row]:
        if table == self._model.calendar:
            return self._days(table)
        rows = []
        for i in range(self._effort.others):
            row = self._row(table, i == 0)
            key = next(iter(row))
            asked = [value for value in self._wanted.get(key, []) if value is not None]
            row[key] = self._choice(asked or [self._place.first + i])
            rows.append(row)
        return rows

    def _row(self, table: str, is_first: bool) -> Row:
        row = dict(self._choice(self._model.pool[table]))
        for name, value in row.items():
            type_ = self._model.types[table].field(name).type
            asked = self._asked(name)
            if asked and (is_first or self._rng.random() < self._effort.held):
                row[name] = typed(self._choice(asked), type_)
            elif table in self._model.facts and value is not None:
                row[name] = self._measure(value, type_)
        return row

    def _asked(self, column: str) -> list[Any]:
        """Values that a condition asks of the column, of these the shared ones if there are."""
        wanted = self._wanted.get(column, [])
        shared = [v for end, few in self._shared.items() if column.endswith(end) for v in few]
        return [v for v in shared if v in wanted] or wanted or shared

    def _measure(self, value: Any, type_: pa.DataType) -> Any:
        """Of integers many small and few great: deviations exceed their mean; nothing is zero,
        since many queries divide.
        """
        if pa.types.is_integer(type_):
            value = value // self._choice([1, 10, 100])
        return value if value != 0 else typed(1, type_)

    def _days(self, table: str) -> list[Row]:
        """First days that meet most of the query's conditions, then the same a while later."""
        pool = self._model.pool[table]
        asked = {c: set(v) for c, v in self._wanted.items() if c in pool[0]}
        met = [sum(row[c] in values for c, values in asked.items()) for row in pool]
        most = max(met)
        best = [i for i, count in enumerate(met) if count == most]
        first = [self._choice(best) for _ in range(FIRST_DAYS)]
        days = dict.fromkeys(first + [day + later for later in LATER for day in first[:2]])
        return [pool[day] for day in days if day < len(pool)]

    def _deal(self, number: int) -> dict[str, Any]:
        """Keys that a sale, its return and the stock have in common; first those of first rows."""
        anyway = [self._place.first, self._place.first + 1]
        known = {name: self._keys.get(name, anyway) for name in self._model.pool}
        keys = {name: self._choice(some) if number else some[0] for name, some in known.items()}
        return keys | dict.fromkeys(self._model.numbers, self._place.first + number % 2)

    def _linked(self, rows: list[Row], table: str) -> list[Row]:
        """The rows with foreign keys; those of a fact follow some of the deals."""
        linked = []
        is_fact = table in self._model.facts
        deals = self._choice([self._deals, self._deals, self._deals[:1]])
        for i, row in enumerate(rows):
            key = None if is_fact else next(iter(row))
            deal = self._choice(deals) if is_fact else {}
            linked.append(
                {
                    c: v if c == key else self._link(c, v, deal) if i else self._point(c, v)
                    for c, v in row.items()
                }
            )
        return linked

    def _point(self, column: str, value: Any) -> Any:
        """What the first row of a table has there."""
        target = self._model.target(column)
        return value if target is None or column in self._wanted else self._deals[0][target]

    def _link(self, column: str, value: Any, deal: Mapping[str, Any]) -> Any:
        target = self._model.target(column)
        if target is None or column in self._wanted:
            return value
        if target != self._model.calendar and self._rng.random() < OUTSIDE:
            return Place(self._rng.randrange(self._place.places), 0).first
        is_day = target == self._model.calendar
        if target in deal and not is_day and self._rng.random() < self._effort.held:
            return deal[target]
        if target not in self._keys:
            return value
        is_near = is_day and self._rng.random() < self._effort.near
        return self._choice(self._keys[target][: FIRST_DAYS if is_near else None])

    def _spoiled(self, rows: list[Row], is_fact: bool) -> list[Row]:
        """Some cells NULL, save the key of a dimension; some rows of a fact twice."""
        spoiled = []
        for row in rows:
            key = None if is_fact else next(iter(row))
            missing = {c for c in row if c != key and self._rng.random() < self._effort.missing}
            kept = {c: None if c in missing else v for c, v in row.items()}
            spoiled += [kept] * (2 if is_fact and self._rng.random() < TWICE else 1)
        return spoiled

    def _choice(self, values: list[Any]) -> Any:
        return values[self._rng.randrange(len(values))]
