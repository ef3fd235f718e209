"""TPC-H tables, the views over them, and the changes that are made."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import everview as ev

TABLES = {
    "lineitem": "l_orderkey, l_linenumber, l_partkey, l_quantity, l_extendedprice, l_discount",
    "orders": "o_orderkey, o_custkey, o_orderdate, o_orderpriority",
    "customer": "c_custkey, c_name, c_nationkey",
}
VIEWS = {
    "by_customer": """
        SELECT c_custkey, c_name, count(*) AS n, sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey
        GROUP BY c_custkey, c_name""",
    "by_order": """
        SELECT o_orderkey, o_orderdate, count(*) AS n, sum(l_extendedprice) AS price
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        GROUP BY o_orderkey, o_orderdate""",
    "lines": """
        SELECT l_orderkey, l_linenumber, l_quantity, l_extendedprice, o_orderdate, c_name
        FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        JOIN customer ON o_custkey = c_custkey""",
    "outer": """
        SELECT o_orderkey, o_orderdate, l_linenumber, l_quantity
        FROM orders LEFT JOIN lineitem ON l_orderkey = o_orderkey AND l_quantity > 45""",
    "semi": """
        SELECT o_orderkey, o_custkey, o_orderdate FROM orders
        WHERE EXISTS (
            SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_discount > 0.08)""",
    "distinct": "SELECT DISTINCT l_partkey, l_quantity FROM lineitem",
    "nested": """
        SELECT n, count(*) AS orders
        FROM (SELECT l_orderkey, count(*) AS n FROM lineitem GROUP BY l_orderkey) GROUP BY n""",
    "window": """
        SELECT l_orderkey, l_linenumber,
            rank() OVER (PARTITION BY l_orderkey ORDER BY l_extendedprice DESC) AS place
        FROM lineitem""",
}
HAND_WRITTEN = ("by_customer", "by_order", "lines")  # of the others there is no rival by hand
KEY = ("l_orderkey", "l_linenumber")
_MERGE = """
    MERGE INTO lineitem AS t USING bench_changes AS s
    ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber
    WHEN MATCHED AND s.kind = 'delete' THEN DELETE
    WHEN MATCHED AND s.kind = 'update' THEN UPDATE SET
        l_quantity = t.l_quantity + 1, l_extendedprice = t.l_extendedprice + 100
    WHEN NOT MATCHED THEN INSERT
        (l_orderkey, l_linenumber, l_partkey, l_quantity, l_extendedprice, l_discount)
        VALUES (s.l_orderkey, s.l_linenumber, s.l_partkey, s.l_quantity, s.l_extendedprice,
                s.l_discount)"""


@dataclass(frozen=True)
class Change:
    """A change of lineitem: how much of it, which kinds, and over which keys."""

    title: str
    parts: int  # one in so many rows
    mixed: bool
    clustered: bool = False

    @property
    def views(self) -> tuple[str, ...]:
        if self.clustered:
            return ("by_order",)
        return tuple(VIEWS) if self.mixed and self.parts >= 1000 else HAND_WRITTEN


CHANGES = (
    Change("insert 0.1 %", 1000, mixed=False),
    Change("mixed 0.1 %", 1000, mixed=True),
    Change("mixed 1 %", 100, mixed=True),
    Change("mixed 0.1 %, clustered", 1000, mixed=True, clustered=True),
)
WARM_UP = Change("warm-up", 20_000, mixed=True)


def generate(folder: Path, scale: float) -> None:
    """TPC-H tables as Parquet, once per folder and scale."""
    if all((folder / f"{t}.parquet").exists() for t in TABLES):
        return
    folder.mkdir(parents=True, exist_ok=True)
    tool = Path(sys.executable).with_name("tpchgen-cli")
    names = f"--tables={','.join(TABLES)}"
    subprocess.run([tool, "parquet", "-s", str(scale), names, f"--output-dir={folder}"], check=True)


def load(warehouse: ev.Warehouse, data: Path) -> None:
    for name, columns in TABLES.items():
        rows = warehouse.spark.read.parquet(str(data / f"{name}.parquet"))
        warehouse.create_table(name, rows.selectExpr(*columns.split(", ")))


def apply(warehouse: ev.Warehouse, change: Change, folder: Path) -> tuple[DataFrame, DataFrame]:
    """Change lineitem through Everview; gives the rows that went and that came."""
    table = warehouse.table("lineitem")
    _chosen(table.to_df(), change).write.parquet(str(folder))
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
    minus = chosen.where("kind != 'insert'")
    plus = chosen.where("kind = 'insert'").unionByName(updated)
    return minus.drop("kind"), plus.drop("kind")


def _chosen(rows: DataFrame, change: Change) -> DataFrame:
    """The rows to delete, to update, or to insert again under a new line number."""
    keys = F.xxhash64("l_orderkey", "l_linenumber", F.lit(change.title))
    if change.clustered:  # neighbours in the key: as many orders as a thousandth of all rows needs
        low = F.lit(1_000_000)
        some = rows.where((F.col("l_orderkey") >= low) & (F.col("l_orderkey") < low + 6_000))
    else:
        some = rows.where(F.pmod(keys, F.lit(change.parts)) == 0)
    kind = F.when(F.pmod(keys / change.parts, F.lit(3)) < 1, "delete")
    kind = kind.when(F.pmod(keys / change.parts, F.lit(3)) < 2, "update").otherwise("insert")
    marked = some.withColumn("kind", kind if change.mixed else F.lit("insert"))
    fresh = F.col("l_linenumber") + 100 + F.abs(F.hash(F.lit(change.title))) % 1000 * 10
    number = F.when(F.col("kind") == "insert", fresh).otherwise(F.col("l_linenumber"))
    return marked.withColumn("l_linenumber", number.cast(rows.schema["l_linenumber"].dataType))
