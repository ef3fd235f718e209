"""Random batches of statements through the API, chosen so that they hit rows that are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from tests.property.tables import Row, TableSpec, value

if TYPE_CHECKING:
    from everview.warehouse import Warehouse

AWAY = 1000  # added to `k` of rows that are moved out of every join and filter


@dataclass(frozen=True)
class Statement:
    """One call of the API on a table: its name and what it was given."""

    table: TableSpec
    kind: str
    rows: tuple[Row, ...] = ()
    where: str = ""
    set: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [f"{self.table.name}.{self.kind}"]
        parts += [f"set {dict(self.set)}"] if self.set else []
        parts += [f"where {self.where}"] if self.where else []
        return " ".join(parts) + "".join(f"\n      {row}" for row in self.rows)

    def apply(self, wh: Warehouse) -> None:
        table = wh.table(self.table.name)
        match self.kind:
            case "append":
                table.append(self._frame(wh))
            case "overwrite":
                table.overwrite(self._frame(wh))
            case "merge":
                table.merge(self._frame(wh), on="id")
            case "delete":
                table.delete(self.where)
            case "update":
                table.update(dict(self.set), self.where or None)
            case "compact":
                table.compact()
            case _:
                raise AssertionError(self.kind)

    def _frame(self, wh: Warehouse) -> Any:
        return wh.spark.createDataFrame(list(self.rows), self.table.ddl)


@dataclass
class Batches:
    """Makes batches; remembers what was taken away whole, to bring it back."""

    rng: Random
    tables: list[TableSpec]
    read: Callable[[TableSpec], list[Row]]
    used: frozenset[str]  # the tables that the view reads: a batch always changes one of them
    gone: dict[str, tuple[Row, ...]] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)

    def batch(self) -> list[Statement]:
        """Statements on one to three tables, several of them on one table now and then."""
        first = self.rng.choice([t for t in self.tables if t.name in self.used])
        others = [t for t in self.tables if t is not first]
        count = min(len(others), self.rng.choice((0, 1, 1, 2)))
        return [s for t in [first, *self.rng.sample(others, count)] for s in self._statements(t)]

    def everything_goes(self) -> list[Statement]:
        return [Statement(t, "delete", where="true") for t in self.tables if t.name in self.used]

    def _statements(self, table: TableSpec) -> list[Statement]:
        present = self.read(table)
        if table.name in self.gone and self.rng.random() < 0.7:
            return [Statement(table, "append", self.gone.pop(table.name))]
        if table.name in self.away:
            self.away.remove(table.name)
            back = (("k", f"k - {AWAY}"),)
            return [Statement(table, "update", where=f"k >= {AWAY}", set=back)]
        if not present:
            return [self._append(table, present)]
        make = self.rng.choices(
            (self._append, self._delete, self._update, self._merge, self._churn),
            (3, 3, 2, 2, 1),
        )[0]
        roll = self.rng.random()
        if roll < 0.08:
            self.gone[table.name] = tuple(present)
            return [Statement(table, "delete", where="true")]
        if roll < 0.16:
            self.away.add(table.name)
            out = (("k", f"k + {AWAY}"),)
            return [Statement(table, "update", where=self._hit(present), set=out)]
        if roll < 0.24:
            return [self._overwrite(table, present)]
        first = make(table, present)
        made = first if isinstance(first, list) else [first]
        if roll > 0.85:
            made.append(Statement(table, "compact"))
        return made

    def _append(self, table: TableSpec, present: list[Row]) -> Statement:
        rows = table.rows(self.rng, self.rng.randint(1, 4))
        if present and self.rng.random() < 0.5:
            rows.append(self.rng.choice(present))
        return Statement(table, "append", tuple(rows))

    def _delete(self, table: TableSpec, present: list[Row]) -> Statement:
        return Statement(table, "delete", where=self._hit(present))

    def _update(self, table: TableSpec, present: list[Row]) -> Statement:
        column, expression = self.rng.choice(
            (("k", "k + 1"), ("s", "concat(s, 'a')"), ("k", "NULL"), ("s", "'b'"), ("id", "id % 3"))
        )
        where = self._hit(present) if self.rng.random() < 0.8 else ""
        return Statement(table, "update", where=where, set=((column, expression),))

    def _merge(self, table: TableSpec, present: list[Row]) -> Statement:
        """Rows with unique ids, NULL among them, of which some are there."""
        ids = {row[0] for row in self.rng.sample(present, min(2, len(present)))}
        ids |= {self.rng.randint(20, 30), value(self.rng, "bigint")}
        ordered = sorted(ids, key=repr)
        return Statement(table, "merge", tuple((i, *table.row(self.rng)[1:]) for i in ordered))

    def _overwrite(self, table: TableSpec, present: list[Row]) -> Statement:
        kept = self.rng.sample(present, self.rng.randint(0, len(present)))
        return Statement(table, "overwrite", (*kept, *table.rows(self.rng, 2)))

    def _churn(self, table: TableSpec, present: list[Row]) -> list[Statement]:
        """Rows that come and go within the batch, beside one that stays."""
        passing = tuple((77, *row[1:]) for row in table.rows(self.rng, 2))
        return [
            Statement(table, "append", (*passing, table.row(self.rng))),
            Statement(table, "delete", where="id = 77"),
        ]

    def _hit(self, present: list[Row]) -> str:
        """A condition that some row present meets."""
        row = self.rng.choice(present)
        index = self.rng.choice((0, 0, 1, 2))
        name, found = ("id", "k", "s")[index], row[index]
        if found is None:
            return f"{name} IS NULL"
        return f"{name} = {found}" if index < 2 else "s = '" + found.replace("'", "\\'") + "'"
