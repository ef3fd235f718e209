"""Rows that fail one condition of a query and meet the others, so that its loss is noticed."""

from __future__ import annotations

import datetime
from random import Random
from typing import Any

from tests.corpus.benchmark_conditions import Conditions, typed
from tests.corpus.benchmark_model import Model, Row, Rows

_DEPTH = 3  # a sale of a customer at an address


class Misses:
    """Adds to the rows of one query copies that differ in one cell and in the keys above it."""

    def __init__(self, model: Model, conditions: Conditions, rows: Rows, rng: Random) -> None:
        self._model, self._conditions, self._rows, self._rng = model, conditions, rows, rng

    def add(self, deal: dict[str, Any]) -> None:
        """One miss per condition on a column, of the row that the deal is about."""
        for table in list(self._rows):
            columns = list(self._rows[table][0])
            asked = [c for c in columns if c in self._conditions.wanted]
            denied = [c for c in columns if c in self._conditions.denied]
            for column in dict.fromkeys(asked + denied):
                self._miss(table, column, deal)

    def _miss(self, table: str, column: str, deal: dict[str, Any]) -> None:
        key = next(iter(self._rows[table][0]))
        if table in self._model.facts:
            self._rows[table].append(self._failing(table, self._any(table), column))
        elif table == self._model.calendar:
            base, other = self._rows[table][0], self._other_day(table, column)
            self._rows[table].append(other)
            self._repoint(table, base[key], other[key], _DEPTH)
        elif column != key:
            base = next((r for r in self._rows[table] if r[key] == deal[table]), self._any(table))
            miss = self._failing(table, base, column)
            self._add_dimension(table, miss, base[key], _DEPTH)

    def _add_dimension(self, table: str, row: Row, old: Any, depth: int) -> None:
        """The row under a key of its own, and copies of what points at the old key."""
        key = next(iter(row))
        new = max(r[key] for r in self._rows[table]) + 1
        self._rows[table].append({**row, key: new})
        self._repoint(table, old, new, depth)

    def _repoint(self, target: str, old: Any, new: Any, depth: int) -> None:
        for table, rows in self._rows.items():
            first = next(iter(rows[0]))
            links = [c for c in rows[0] if c != first or table in self._model.facts]
            links = [c for c in links if self._model.target(c) == target]
            base = next((r for r in rows if any(r[c] == old for c in links)), None)
            if base is None or depth == 0 or table == self._model.calendar:
                continue
            copy = {**base, **{c: new for c in links if base[c] == old}}
            if table in self._model.facts:
                rows.append(copy)
            elif table != target:
                self._add_dimension(table, copy, base[first], depth - 1)

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

    def _any(self, table: str) -> Row:
        return self._rng.choice(self._rows[table])


def _beyond(value: Any) -> Any:
    match value:
        case str():
            return f"{value}?"
        case datetime.date():
            return value + datetime.timedelta(days=4000)
        case _:
            return value + 1000
