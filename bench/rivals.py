"""What Everview is measured against: a full recompute, and what an expert writes by hand."""

from __future__ import annotations

import shutil
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import everview as ev
from bench.data import KEY, VIEWS
from bench.measure import Said

Changes = tuple[DataFrame, DataFrame]


class FullRecompute:
    """The view's query again, written over the stored rows."""

    way = "full recompute"

    def __init__(self, warehouse: ev.Warehouse, view: str, folder: Path) -> None:
        self._warehouse = warehouse
        self._sql = VIEWS[view]
        self.folder = folder / "full"

    def refresh(self, changes: Changes) -> Said:
        self._warehouse.sql(self._sql).write.mode("overwrite").parquet(str(self.folder))
        return Said(actions=1)


class ByHand:
    """Plain PySpark for one view, by someone who knows its query and is handed the changes.

    Aggregates: the changes joined and summed with signs, broadcast to the stored rows, new keys
    beside them, everything written anew. Join: matched lines replaced; insertions alone appended.
    """

    way = "by hand"

    def __init__(self, warehouse: ev.Warehouse, view: str, folder: Path) -> None:
        self._spark: SparkSession = warehouse.spark
        self._warehouse = warehouse
        self._view = view
        self.folder = folder / "hand-0"
        warehouse.view(view).to_df().write.parquet(str(self.folder))

    def refresh(self, changes: Changes) -> Said:
        minus, plus = changes
        if self._view == "lines":
            return self._lines(minus, plus)
        signed = minus.withColumn("w", F.lit(-1)).unionAll(plus.withColumn("w", F.lit(1)))
        delta = self._delta(signed).where("d_n != 0 OR d_s != 0")
        self._rewrite(self._merged(delta))
        return Said(actions=1)

    def _delta(self, signed: DataFrame) -> DataFrame:
        orders = self._warehouse.table("orders").to_df()
        joined = orders.join(F.broadcast(signed), F.expr("o_orderkey = l_orderkey"))
        if self._view == "by_order":
            value = "sum(w * l_extendedprice) AS d_s"
            keys = ["o_orderkey", "o_orderdate"]
        else:
            customer = self._warehouse.table("customer").to_df()
            joined = customer.join(F.broadcast(joined), F.expr("c_custkey = o_custkey"))
            value = "sum(w * (l_extendedprice * (1 - l_discount))) AS d_s"
            keys = ["c_custkey", "c_name"]
        return joined.groupBy(*keys).agg(F.expr("sum(w) AS d_n"), F.expr(value))

    def _merged(self, delta: DataFrame) -> DataFrame:
        stored = self._spark.read.parquet(str(self.folder))
        keys, (total, type_) = stored.columns[:2], (stored.columns[3], stored.dtypes[3][1])
        changed = stored.join(F.broadcast(delta), keys, "left").selectExpr(
            *keys,
            "n + coalesce(d_n, 0) AS n",
            f"CAST({total} + coalesce(d_s, 0) AS {type_}) AS {total}",
        )
        known = stored.select(*keys).join(F.broadcast(delta.select(*keys)), keys, "left_semi")
        new = delta.join(known, keys, "left_anti").selectExpr(
            *keys, "d_n AS n", f"CAST(d_s AS {type_}) AS {total}"
        )
        return changed.where("n > 0").unionAll(new)

    def _lines(self, minus: DataFrame, plus: DataFrame) -> Said:
        orders = self._warehouse.table("orders").to_df()
        customer = self._warehouse.table("customer").to_df()
        joined = orders.join(F.broadcast(plus), F.expr("o_orderkey = l_orderkey"))
        joined = customer.join(F.broadcast(joined), F.expr("c_custkey = o_custkey"))
        stored = self._spark.read.parquet(str(self.folder))
        new = joined.select(*stored.columns)
        if minus.isEmpty():
            new.coalesce(1).write.mode("append").parquet(str(self.folder))
            return Said(actions=2)
        kept = stored.join(F.broadcast(minus.select(*KEY)), list(KEY), "left_anti")
        self._rewrite(kept.select(*stored.columns).unionAll(new))
        return Said(actions=2)

    def _rewrite(self, rows: DataFrame) -> None:
        old = self.folder
        self.folder = old.with_name(f"hand-{int(old.name.split('-')[1]) + 1}")
        rows.write.parquet(str(self.folder))
        shutil.rmtree(old)


class Everview:
    """The view itself."""

    way = "everview"

    def __init__(self, warehouse: ev.Warehouse, view: str) -> None:
        self._view = warehouse.view(view)

    def refresh(self, changes: Changes) -> Said:
        receipt = self._view.refresh()
        return Said(receipt.actions, dict(receipt.seconds))
