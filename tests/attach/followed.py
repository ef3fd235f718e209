"""A Delta table written by plain deltalake, attached, with a view that follows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

import everview as ev
from everview.facts.receipts import Receipt
from tests.scripts.oracle import Oracle, compare, result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GROUPS = "SELECT s, count(*) AS n, sum(v) AS total, min(v) AS low, max(k) AS high FROM t GROUP BY s"
ROWS = "SELECT k, s, v * 2 AS double FROM t WHERE k IS NULL OR k <> 13"
SHAPES = {"groups": GROUPS, "rows": ROWS}


def rows(*given: tuple[Any, ...]) -> pa.Table:
    """Rows (k, s, v) of the table that most tests use."""
    columns = zip(*given, strict=True)
    types = (("k", pa.int64()), ("s", pa.string()), ("v", pa.int32()))
    return pa.table({n: pa.array(c, t) for (n, t), c in zip(types, columns, strict=True)})


FIRST = rows((1, "a", 10), (2, "b", 20), (3, "a", 30), (3, "a", 30), (4, None, None), (5, "", 5))


class Followed:
    """The foreign table, the warehouse it is attached in, and a view over it."""

    def __init__(self, spark: SparkSession, folder: Path, **written: Any) -> None:
        self.path = folder / "foreign table"
        self.spark = spark
        self.oracle = Oracle(spark)
        self.write(written.pop("data", FIRST), **written)
        self.wh = ev.open(str(folder / "warehouse"), spark=spark)
        self.table = self.wh.attach("t", str(self.path))
        self.views: dict[str, str] = {}

    def view(self, sql: str, policy: str = "INCREMENTAL STRICT", name: str = "v") -> None:
        self.wh.create_materialized_view(name, sql, policy=policy)
        self.views[name] = sql
        self.check(name)

    def write(self, data: pa.Table, mode: str = "append", **options: Any) -> None:
        write_deltalake(self.path, data, mode=mode, **options)

    @property
    def delta(self) -> DeltaTable:
        return DeltaTable(self.path)

    def files(self) -> set[str]:
        return {str(p.relative_to(self.path)) for p in self.path.rglob("*") if p.is_file()}

    def refresh(self, strategy: str = "incremental", name: str = "v") -> Receipt:
        """Refresh and compare with a recomputation; nothing of the foreign folder is touched."""
        before = self.files()
        receipt = self.wh.view(name).refresh()
        assert receipt.strategy.startswith(strategy), receipt
        self.check(name)
        assert self.files() == before
        return receipt

    def check(self, name: str = "v") -> None:
        """The view is Spark's answer over the rows as the library reads them."""
        read = pa.table(self.delta.scan())
        copy = self.oracle.session.createDataFrame(read.cast(_without_views(read.schema)))
        copy.createOrReplaceTempView("t")
        found, expected = result(self.wh.view(name).to_df()), self.oracle.answer(self.views[name])
        wrong = compare(found, expected, loose=False)
        assert not wrong, "\n".join(wrong)
        verified = self.wh.view(name).verify()
        assert verified.ok, str(verified)


def _without_views(schema: pa.Schema) -> pa.Schema:
    """The library reads strings as a type that Spark does not take."""
    plain = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    return pa.schema([f.with_type(plain.get(f.type, f.type)) for f in schema])
