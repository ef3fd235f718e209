"""The changes of lineitem that refreshes answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import everview as ev
from bench.data import LINES, TABLES

KEY = ("l_orderkey", "l_linenumber")
_COLUMNS = TABLES["lineitem"].split(", ")
_MERGE = f"""
    MERGE INTO lineitem AS t USING bench_changes AS s
    ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber
    WHEN MATCHED AND s.kind = 'delete' THEN DELETE
    WHEN MATCHED AND s.kind = 'update' THEN UPDATE SET
        l_quantity = t.l_quantity + 1, l_extendedprice = t.l_extendedprice + 100
    WHEN NOT MATCHED THEN INSERT ({", ".join(_COLUMNS)})
        VALUES ({", ".join(f"s.{c}" for c in _COLUMNS)})"""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of lineitem: how many rows, which kinds, and over which keys.

    `share` is of all rows; `rows`, where given, is a number whatever the scale.
    """

    title: str
    share: float = 0.0
    rows: int = 0
    mixed: bool = True
    clustered: bool = False

    def count(self, scale: float) -> int:
        """How many rows it changes, about."""
        return self.rows or round(LINES * scale * self.share)


@dataclass(frozen=True, slots=True)
class Changed:
    """The rows that went and the rows that came."""

    minus: DataFrame
    plus: DataFrame

    @property
    def signed(self) -> DataFrame:
        """All of them, with -1 or 1 in column `w`."""
        gone = self.minus.withColumn("w", F.lit(-1))
        return gone.unionByName(self.plus.withColumn("w", F.lit(1)))


MIXED = Change("mixed 0.1 %", share=0.001)
QUICK = (MIXED,)
GRID = (
    MIXED,
    Change("insert 0.1 %", share=0.001, mixed=False),
    Change("mixed 1 %", share=0.01),
    Change("6,000 rows", rows=6_000),
    Change("6,000 rows, clustered", rows=6_000, clustered=True),
)
WARM_UP = Change("warm-up", share=0.0005)


def apply(
    warehouse: ev.Warehouse, change: Change, scale: float, folder: Path, turn: int
) -> Changed:
    """Change lineitem through Everview; each turn changes other rows."""
    table = warehouse.table("lineitem")
    chosen_rows(table.to_df(), change, scale, turn).write.parquet(str(folder))
    chosen = warehouse.spark.read.parquet(str(folder))
    if change.mixed:
        chosen.createOrReplaceTempView("bench_changes")
        warehouse.sql(_MERGE)
    else:
        table.append(chosen.drop("kind"))
    updated = chosen.where("kind = 'update'").selectExpr(
        "* EXCEPT (l_quantity, l_extendedprice)",
        "CAST(l_quantity + 1 AS DECIMAL(15,2)) AS l_quantity",
        "CAST(l_extendedprice + 100 AS DECIMAL(15,2)) AS l_extendedprice",
    )
    plus = chosen.where("kind = 'insert'").unionByName(updated)
    return Changed(chosen.where("kind != 'insert'").drop("kind"), plus.drop("kind"))


def chosen_rows(rows: DataFrame, change: Change, scale: float, turn: int) -> DataFrame:
    """The rows to delete, to update, or to insert again under a line number that no turn had."""
    hashed = F.xxhash64("l_orderkey", "l_linenumber", F.lit(turn))
    count = max(1, change.count(scale))
    if change.clustered:  # an order has four lines, and one in four order numbers is taken
        low = F.lit(round(LINES * scale / 6) + turn * count)
        some = rows.where((F.col("l_orderkey") >= low) & (F.col("l_orderkey") < low + count))
    else:
        some = rows.where(F.pmod(hashed, F.lit(max(1, round(LINES * scale / count)))) == 0)
    third = F.pmod(F.xxhash64(hashed), F.lit(3))
    original = F.col("l_linenumber") < 10
    kind = F.when(third == 0, "delete").when((third == 1) | ~original, "update").otherwise("insert")
    if not change.mixed:
        some, kind = some.where(original), F.lit("insert")
    fresh = F.col("l_linenumber") + 10 * (turn + 1)
    number = F.when(F.col("kind") == "insert", fresh).otherwise(F.col("l_linenumber"))
    numbered = number.cast(rows.schema["l_linenumber"].dataType)
    return some.withColumn("kind", kind).withColumn("l_linenumber", numbered)
