"""MERGE INTO by hand on tables of Delta's own connector for Spark, where its jar can be had."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import everview as ev
from bench.aims import DELTA
from bench.by_hand import SUMS, joined_lines, summed_changes
from bench.changes import KEY, Changed
from bench.measure import Said
from bench.views import VIEWS

PACKAGE = "io.delta:delta-spark_4.1_2.13:4.4.0"
CONFIGURATION = {
    "spark.jars.packages": PACKAGE,
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
VIEWS_BY_MERGE = (*SUMS, "lines")


def is_there(spark: SparkSession) -> bool:
    """Whether the session has Delta's connector."""
    return "DeltaSparkSessionExtension" in (spark.conf.get("spark.sql.extensions", "") or "")


class DeltaMerge:
    """Changes computed by hand, merged into a Delta table with deletion vectors."""

    name = DELTA

    def __init__(self, warehouse: ev.Warehouse, view: str, folder: Path) -> None:
        self._warehouse = warehouse
        self._spark = warehouse.spark
        self._view = view
        self._folder = str(folder / "delta")
        rows = warehouse.sql(VIEWS[view].sql)
        rows.write.format("delta").option("delta.enableDeletionVectors", "true").save(self._folder)

    def refresh(self, changed: Changed) -> Said:
        self._changes(changed).createOrReplaceTempView("bench_delta")
        clauses = _lines_clauses() if self._view == "lines" else _sum_clauses(self._columns())
        keys = KEY if self._view == "lines" else SUMS[self._view]
        same = " AND ".join(f"t.{k} = s.{k}" for k in keys)
        self._spark.sql(
            f"MERGE INTO delta.`{self._folder}` t USING bench_delta s ON {same} {clauses}"
        )
        return Said(1)

    def rows(self) -> DataFrame:
        return self._spark.read.format("delta").load(self._folder)

    def _columns(self) -> list[str]:
        return self.rows().columns

    def _changes(self, changed: Changed) -> DataFrame:
        if self._view != "lines":
            return summed_changes(self._warehouse, self._view, changed)
        came = joined_lines(self._warehouse, changed.plus).select(*self._columns())
        gone = changed.minus.select(*KEY).join(changed.plus.select(*KEY), list(KEY), "left_anti")
        came = came.withColumn("gone", F.lit(False))
        return came.unionByName(gone.withColumn("gone", F.lit(True)), allowMissingColumns=True)


def _sum_clauses(columns: list[str]) -> str:
    total = columns[3]
    return f"""
        WHEN MATCHED AND t.n + s.d_n = 0 THEN DELETE
        WHEN MATCHED THEN UPDATE SET n = t.n + s.d_n, {total} = t.{total} + s.d_s
        WHEN NOT MATCHED AND s.d_n > 0 THEN INSERT ({", ".join(columns)})
            VALUES (s.{columns[0]}, s.{columns[1]}, s.d_n, s.d_s)"""


def _lines_clauses() -> str:
    columns = [
        "l_orderkey",
        "l_linenumber",
        "l_quantity",
        "l_extendedprice",
        "o_orderdate",
        "c_name",
    ]
    return f"""
        WHEN MATCHED AND s.gone THEN DELETE
        WHEN MATCHED THEN UPDATE SET {", ".join(f"{c} = s.{c}" for c in columns)}
        WHEN NOT MATCHED AND NOT s.gone THEN INSERT ({", ".join(columns)})
            VALUES ({", ".join(f"s.{c}" for c in columns)})"""
