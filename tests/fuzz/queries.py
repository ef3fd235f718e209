"""Random views: the queries of `tests.corpus.random_sql` over random tables, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from tests.corpus.random_relations import Around, scope_of
from tests.corpus.random_sql import DEPTH, Queries
from tests.corpus.small_tables import Table

_T = TypeVar("_T")


@dataclass(frozen=True)
class ViewText:
    """A definition, the constructs in it, and a condition on its columns."""

    sql: str
    kinds: frozenset[str]
    condition: str

    def part(self, form: str) -> str:
        """The rows for which the condition, in a form such as `NOT ({})`, is true."""
        return f"SELECT * FROM ({self.sql}) AS z WHERE {form.format(self.condition)}"


class SeededQueries(Queries):
    """The same choices as hypothesis makes, made by a generator of random numbers."""

    def __init__(self, rng: Random, tables: Mapping[str, Table]) -> None:
        super().__init__(_no_draw, plain=False)
        self._rng = rng
        self.tables = tables
        self.named = tuple(tables)

    def view(self) -> ViewText:
        """A query whose columns have names of their own."""
        self.room = self._rng.choice((1, 2, 2, 3, 4, 6))
        query = self.query(Around(DEPTH, {}))
        names = [name.lower() for name, _ in query.outputs]
        text = query.text
        if "" in names or len(set(names)) < len(names):
            names = [f"n{i}" for i, _ in enumerate(names)]
            text = f"SELECT * FROM ({text}) AS named({', '.join(names)})"
        outputs = [(name, family) for name, (_, family) in zip(names, query.outputs, strict=True)]
        condition = self.condition(scope_of(outputs, "z", query.size), 1)
        return ViewText(text, frozenset(self.kinds), condition)

    def chance(self, percent: int) -> bool:
        return self._rng.randrange(100) < percent

    def pick(self, options: Sequence[_T]) -> _T:
        return self._rng.choice(options)

    def weighted(self, options: Iterable[tuple[int, _T]]) -> _T:
        some = [(weight, option) for weight, option in options if weight > 0]
        return self._rng.choices([o for _, o in some], [w for w, _ in some])[0]

    def part(self, make: Callable[[], _T]) -> _T:
        return make()

    def shuffled(self, options: Sequence[_T]) -> list[_T]:
        return self._rng.sample(options, len(options))


def _no_draw(*_: Any) -> Any:
    raise AssertionError("every choice is made by the generator of random numbers")
