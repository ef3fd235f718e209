"""Random tables: small domains, many NULLs, duplicates, sometimes no rows at all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

Row = tuple[Any, ...]

_DAY = dt.date(2024, 2, 27)
_NOON = dt.datetime(2024, 3, 30, 12, tzinfo=dt.UTC)

# Per type: its values, few so that rows meet. NULL is added by `value`.
DOMAINS: dict[str, Callable[[Random], Any]] = {
    "bigint": lambda r: r.choice((0, 1, 2, 3, 4, 5, 6, 7, -3, 10**12)),
    "int": lambda r: r.randint(0, 4),
    "smallint": lambda r: r.choice((-300, 0, 7, 300)),
    "string": lambda r: r.choice(("a", "b", "B", "", "été", "it's", "x_y")),
    "decimal(12,2)": lambda r: Decimal(r.choice(("0.00", "-1.25", "19.99", "7.50", "99999.01"))),
    "decimal(30,5)": lambda r: Decimal(r.choice(("0.00001", "-7.00000", f"{10**20}.12345"))),
    "double": lambda r: r.choice((0.1, -2.5, 1e3, 3.3333333, 0.0, 7.25)),
    "float": lambda r: r.choice((0.5, -1.25, 3.0, 100.0)),
    "date": lambda r: _DAY + dt.timedelta(days=r.randint(0, 4)),
    "timestamp": lambda r: (
        _NOON + dt.timedelta(hours=r.randint(0, 30), microseconds=r.randint(0, 1))
    ),
    "boolean": lambda r: r.random() < 0.5,
    "struct<a:int,b:string>": lambda r: r.choice(((1, "p"), (1, None), (2, "q"), (None, "p"))),
    "array<int>": lambda r: r.choice(([], [1], [1, 2], [None], [2, 1])),
}
EXTRAS = tuple(t for t in DOMAINS if t not in ("bigint", "int", "string"))


@dataclass(frozen=True)
class TableSpec:
    """A table's name and columns (name, type); the first three are the same in every table."""

    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def ddl(self) -> str:
        return ", ".join(f"{name} {type_}" for name, type_ in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.columns)

    def row(self, rng: Random) -> Row:
        return tuple(value(rng, type_) for _, type_ in self.columns)

    def rows(self, rng: Random, count: int) -> list[Row]:
        """Random rows, some of them copies of earlier ones."""
        rows: list[Row] = []
        for _ in range(count):
            copy = rows and rng.random() < 0.2
            rows.append(rng.choice(rows) if copy else self.row(rng))
        return rows


def value(rng: Random, type_: str) -> Any:
    return None if rng.random() < 0.12 else DOMAINS[type_](rng)


def random_tables(rng: Random) -> list[tuple[TableSpec, list[Row]]]:
    """Two to four tables with their first rows; `k` and `s` are what they join on."""
    found = []
    for i in range(rng.choice((2, 2, 3, 3, 4))):
        extras = rng.sample(EXTRAS, rng.randint(2, 4))
        shared = (("id", "bigint"), ("k", "int"), ("s", "string"))
        columns = (*shared, *((f"c{j}", t) for j, t in enumerate(extras)))
        spec = TableSpec(f"t{i}", columns)
        found.append((spec, spec.rows(rng, rng.choice((0, 5, 8, 12, 12, 15)))))
    if not any(rows for _, rows in found):
        spec = found[0][0]
        found[0] = (spec, spec.rows(rng, 10))
    return found
