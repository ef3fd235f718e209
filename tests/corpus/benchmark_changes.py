"""Random statements on the tables of a benchmark, made of the rows that are there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from everview.sql.names import quoted
from tests.corpus.benchmarks import Benchmark
from tests.property.batches import Statement
from tests.property.tables import Row, TableSpec

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from everview.warehouse import Warehouse

ROUNDS = 3
CHANGED = 0.75  # how often a table changes in a round
NEAR = 4  # rows so far apart are mostly of one query, since each table holds query after query
AWAY = 50_000_000  # added to a key, it meets no other

# How many of the rows are deleted, moved away, updated and copied in a round.
FACT = (0.1, 0.05, 0.12, 0.12)
OTHER = (0.04, 0.04, 0.08, 0.05)


@dataclass
class TableChanges:
    """The statements on one table, round by round; it knows what it took away, to bring it back.

    They follow from the table's name and rows alone, whichever other tables there are.
    """

    benchmark: Benchmark
    spec: TableSpec
    gone: tuple[Row, ...] = ()
    moved: str = ""  # the key of which rows are away
    read: list[str] = field(default_factory=list)  # the columns that some query reads

    @staticmethod
    def of(benchmark: Benchmark, name: str, frame: DataFrame) -> TableChanges:
        spec = TableSpec(name, tuple(frame.dtypes))
        words = set(re.findall(r"\w+", " ".join(benchmark.queries().values()).lower()))
        return TableChanges(benchmark, spec, read=[c for c in spec.names if c in words])

    def apply(self, wh: Warehouse, number: int) -> bool:
        """Change the table as this round says; whether it did."""
        rng = Random(f"{self.benchmark.name} {self.spec.name} {number}")
        if rng.random() > CHANGED and number != ROUNDS - 1:
            return False
        hashed = wh.table(self.spec.name).to_df().selectExpr(f"{self._hash} AS h", "*").collect()
        for statement in self._statements(rng, [(row[0], tuple(row[1:])) for row in hashed]):
            statement.apply(wh)
        return True

    @property
    def _hash(self) -> str:
        return f"xxhash64({', '.join(map(quoted, self.spec.names))})"

    def _statements(self, rng: Random, rows: Sequence[tuple[int, Row]]) -> list[Statement]:
        shares = FACT if self.spec.name in self.benchmark.facts else OTHER
        kinds = ("delete", "move", "update", "copy", "")
        chances = (*shares, 1 - sum(shares))
        fate = {hash_: rng.choices(kinds, chances)[0] for hash_, _ in rows}
        made = self._returned()
        made += self._updated(rng, rows, [h for h in fate if fate[h] == "update"])
        deleted = [h for h in fate if fate[h] == "delete"]
        made += [Statement(self.spec, "delete", where=self._among(deleted))] if deleted else []
        self.gone = tuple(row for h, row in rows if h in deleted)
        made += self._moved_away(rng, [h for h in fate if fate[h] == "move"])
        copies = [i for i, (h, _) in enumerate(rows) if fate[h] == "copy"]
        made += [self._copied(rng, rows, copies)] if copies else []
        return made

    def _returned(self) -> list[Statement]:
        """What earlier rounds deleted or moved away comes back."""
        made = [Statement(self.spec, "append", self.gone)] if self.gone else []
        if self.moved:
            key = quoted(self.moved)
            back = ((self.moved, f"{key} - {AWAY}"),)
            made.append(Statement(self.spec, "update", where=f"{key} >= {AWAY}", set=back))
            self.moved = ""
        return made

    def _moved_away(self, rng: Random, hashes: list[int]) -> list[Statement]:
        """Rows that meet no others for a round: their own key, or one that points elsewhere."""
        keys = [c for c in self.read if self.benchmark.is_key(c)]
        if not hashes or not keys:
            return []
        key = self.moved = rng.choice(keys)
        out = ((key, f"{quoted(key)} + {AWAY}"),)
        where = f"{self._among(hashes)} AND {quoted(key)} < {AWAY}"
        return [Statement(self.spec, "update", where=where, set=out)]

    def _updated(
        self, rng: Random, rows: Sequence[tuple[int, Row]], hashes: list[int]
    ) -> list[Statement]:
        """Two columns, in some rows each, take the value that a row nearby has."""
        if not hashes or not self.read:
            return []
        wanted, cases = set(hashes), dict[str, list[str]]()
        columns = rng.sample(self.read, min(2, len(self.read)))
        for i, (hash_, _) in enumerate(rows):
            if hash_ in wanted:
                column = rng.choice(columns)
                value = self._nearby(rng, rows, i, column)
                cases.setdefault(column, []).append(f"WHEN {hash_} THEN {value}")
        set_ = tuple(
            (c, f"CASE {self._hash} {' '.join(some)} ELSE {quoted(c)} END")
            for c, some in cases.items()
        )
        return [Statement(self.spec, "update", where=self._among(hashes), set=set_)]

    def _nearby(self, rng: Random, rows: Sequence[tuple[int, Row]], place: int, column: str) -> str:
        at = self.spec.names.index(column)
        return _literal(_neighbour(rng, rows, place)[at], self.spec.columns[at][1])

    def _copied(self, rng: Random, rows: Sequence[tuple[int, Row]], places: list[int]) -> Statement:
        """Copies of rows, most of them with one value of a row nearby."""
        copies = []
        for place in places:
            row = list(rows[place][1])
            if self.read and rng.random() < 0.8:
                at = self.spec.names.index(rng.choice(self.read))
                row[at] = _neighbour(rng, rows, place)[at]
            copies.append(tuple(row))
        return Statement(self.spec, "append", tuple(copies))

    def _among(self, hashes: list[int]) -> str:
        return f"{self._hash} IN ({', '.join(map(str, hashes))})"


def _neighbour(rng: Random, rows: Sequence[tuple[int, Row]], place: int) -> Row:
    return rows[max(0, min(len(rows) - 1, place + rng.randint(-NEAR, NEAR)))][1]


def _literal(value: Any, type_: str) -> str:
    if value is None:
        return f"CAST(NULL AS {type_})"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"CAST('{text}' AS {type_})"
