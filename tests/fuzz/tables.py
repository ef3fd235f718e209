"""Random tables: half with duplicates, a third of the keys nullable, some empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.corpus.small_tables import Table
from tests.property.tables import Row, TableSpec, value

KEYS = (("id", "bigint"), ("k", "int"), ("s", "string"))
# Of the types that random queries have scalars for; the names are those that such queries share.
EXTRAS = (
    ("v", "smallint"),
    ("x", "decimal(12,2)"),
    ("y", "decimal(30,5)"),
    ("d", "date"),
    ("b", "boolean"),
)
LARGEST = 100_000  # a number beyond it fails in the casts of random queries
SIZES = (0, 4, 6, 8, 10, 12)


@dataclass(frozen=True)
class FuzzTable(TableSpec):
    """A table with what its rows are like."""

    duplicates: bool = False
    nullable: frozenset[str] = frozenset()  # of its keys

    def row(self, rng: Random) -> Row:
        return tuple(self._value(rng, name, type_) for name, type_ in self.columns)

    def rows(self, rng: Random, count: int) -> list[Row]:
        rows: list[Row] = []
        while len(rows) < count:
            if self.duplicates and rows and rng.random() < 0.35:
                rows.append(rng.choice(rows))
            elif (row := self.row(rng)) not in rows:
                rows.append(row)
        return rows

    def _value(self, rng: Random, name: str, type_: str) -> Any:
        must = (name, type_) in KEYS and name not in self.nullable
        while True:
            found = value(rng, type_)
            if found is None and must:
                continue
            if isinstance(found, int) and abs(found) > LARGEST:
                continue
            return found


Tables = Mapping[FuzzTable, list[Row]]


def fuzz_tables(rng: Random) -> dict[FuzzTable, list[Row]]:
    """Two to four tables with their first rows, of which at least two have some."""
    found: dict[FuzzTable, list[Row]] = {}
    for i in range(rng.choice((2, 3, 3, 4))):
        extras = sorted(rng.sample(EXTRAS, rng.randint(1, 3)))
        nullable = frozenset(name for name, _ in KEYS if rng.random() < 1 / 3)
        table = FuzzTable(f"t{i}", (*KEYS, *extras), rng.random() < 0.5, nullable)
        found[table] = table.rows(rng, rng.choice(SIZES) if i > 1 else rng.choice(SIZES[1:]))
    return found


def visible(tables: Tables) -> dict[str, Table]:
    """The tables as random queries know them."""
    return {table.name: Table(table.columns, tuple(rows)) for table, rows in tables.items()}
