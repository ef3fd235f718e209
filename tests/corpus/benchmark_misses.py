"""Rows that fail one condition of a query and meet the others, so that its loss is noticed."""

from __future__ import annotations

import datetime
from random import Random
from typing import Any

from tests.corpus.benchmark_conditions import Conditions, typed
from tests.corpus.benchmark_model import Model, Row, Rows

_DEPTH = 5  # a line of an order of a customer of a nation of a region


class Misses:
    """Adds to the rows of one query copies of first rows, with one other cell and its keys."""

    def __init__(self, model: Model, conditions: Conditions, rows: Rows, rng: Random) -> None:
        self._model, self._conditions, self._rows, self._rng = model, conditions, rows, rng

    def add(self) -> None:
        """One miss per column that has a condition."""
        for table in list(self._rows):
            columns = list(self._rows[table][0])
            asked = [c for c in columns if c in self._conditions.wanted]
            denied = [c for c in columns if c in self._conditions.denied]
            for column in dict.fromkeys(asked + denied):
                self._miss(table, column)

    def _miss(self, table: str, column: str) -> None:
        first = self._rows[table][0]
        key = next(iter(first))
        if table in self._model.facts:
            self._rows[table].append(self._failing(table, first, column))
        elif table == self._model.calendar:
            other = self._other_day(table, column)
            self._rows[table].append(other)
            self._repoint(table, first[key], other[key], _DEPTH)
        elif column != key:
            self._add_dimension(table, self._failing(table, first, column), _DEPTH)

    def _add_dimension(self, table: str, row: Row, depth: int) -> None:
        """The row under a key of its own, and copies of what points at the old one."""
        key = next(iter(row))
        new = max(r[key] for r in self._rows[table]) + 1
        self._rows[table].append({**row, key: new})
        self._repoint(table, row[key], new, depth)

    def _repoint(self, target: str, old: Any, new: Any, depth: int) -> None:
        for table, (first, *_) in self._rows.items():
            own = None if table in self._model.facts else next(iter(first))
            links = [c for c in first if c != own and self._model.target(c) == target]
            changed = {c: new for c in links if first[c] == old}
            if not changed or depth == 0 or table in (target, self._model.calendar):
                continue
            if table in self._model.facts:
                self._rows[table].append({**first, **changed})
            else:
                self._add_dimension(table, {**first, **changed}, depth - 1)

    def _failing(self, table: str, row: Row, column: str) -> Row:
        """A copy with a value for which the condition on the column fails."""
        type_ = self._model.types[table].field(column).type
        denied = self._conditions.denied.get(column)
        if denied:
            return {**row, column: typed(self._rng.choice(denied), type_)}
        wanted = [typed(v, type_) for v in self._conditions.wanted[column]]
        pool = {r[column] for r in self._model.pool[table]} - {*wanted, None}
        others = sorted(pool) or [_beyond(v) for v in wanted if v is not None]
        return {**row, column: self._rng.choice(others or [None])}

    def _other_day(self, table: str, column: str) -> Row:
        wanted = self._conditions.wanted.get(column, [])
        pool = self._model.pool[table]
        return self._rng.choice([day for day in pool if day[column] not in wanted] or pool)


def _beyond(value: Any) -> Any:
    match value:
        case str():
            return f"{value}?"
        case datetime.date():
            return value + datetime.timedelta(days=4000)
        case _:
            return value + 1000
