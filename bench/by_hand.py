"""Plain PySpark for one view, by someone who knows its query and is handed the changes."""

from __future__ import annotations

import re
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import everview as ev
from bench.by_rewriting import ByRewriting
from bench.by_state import STATES, WithState
from bench.changes import KEY, Changed
from bench.data import TABLES
from bench.measure import Said
from bench.views import VIEWS

# Of a sum over joined rows: the keys of its groups.
SUMS = {
    "by_customer": ("c_custkey", "c_name"),
    "by_nation": ("n_nationkey", "n_name"),
    "by_order": ("o_orderkey", "o_orderdate"),
}
# Of a view whose rows belong to keys: which columns those are, and what they are in lineitem.
KEYED = {
    "outer": {"o_orderkey": "l_orderkey"},
    "semi": {"o_orderkey": "l_orderkey"},
    "window": {"l_orderkey": "l_orderkey"},
    "distinct": {"l_partkey": "l_partkey", "l_quantity": "l_quantity"},
    "returned": {"l_partkey": "l_partkey"},
    "large_orders": {"l_orderkey": "l_orderkey"},
    "q3": {"l_orderkey": "l_orderkey"},
    "q18": {"o_orderkey": "l_orderkey"},
}
_NAMES = re.compile(rf"\b({'|'.join(TABLES)})\b")


def by_hand(warehouse: ev.Warehouse, view: str, folder: Path) -> ByRewriting | None:
    """What an expert would write for the view; None if nothing short would do."""
    if view in SUMS:
        return Sums(warehouse, view, folder)
    if view in KEYED:
        return TouchedKeys(warehouse, view, folder)
    if view in STATES:
        return WithState(warehouse, view, folder)
    return Lines(warehouse, view, folder) if view == "lines" else None


class Sums(ByRewriting):
    """The changes joined and summed with signs, broadcast to the stored rows, new keys beside
    them, everything written anew.
    """

    def refresh(self, changed: Changed) -> Said:
        self._rewrite(self._merged(summed_changes(self._warehouse, self._view, changed)))
        return Said(1)

    def _merged(self, delta: DataFrame) -> DataFrame:
        stored = self.rows()
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


def summed_changes(warehouse: ev.Warehouse, view: str, changed: Changed) -> DataFrame:
    """By group how many rows more there are (`d_n`), and by how much its sum grows (`d_s`)."""
    orders = warehouse.table("orders").to_df()
    joined = orders.join(F.broadcast(changed.signed), F.expr("o_orderkey = l_orderkey"))
    value = "sum(w * (l_extendedprice * (1 - l_discount))) AS d_s"
    if view == "by_order":
        value = "sum(w * l_extendedprice) AS d_s"
    else:
        customer = warehouse.table("customer").to_df()
        joined = customer.join(F.broadcast(joined), F.expr("c_custkey = o_custkey"))
    if view == "by_nation":
        nation = warehouse.table("nation").to_df()
        joined = joined.join(F.broadcast(nation), F.expr("c_nationkey = n_nationkey"))
    summed = joined.groupBy(*SUMS[view]).agg(F.expr("sum(w) AS d_n"), F.expr(value))
    return summed.where("d_n != 0 OR d_s != 0")


class TouchedKeys(ByRewriting):
    """The rows of the touched keys computed again, those of all others kept."""

    def refresh(self, changed: Changed) -> Said:
        columns = KEYED[self._view]
        keys = changed.minus.select(*columns.values()).union(changed.plus.select(*columns.values()))
        keys = keys.distinct()
        frames = {"lineitem": self._of(keys, "lineitem", list(columns.values()))}
        if list(columns.values()) == ["l_orderkey"]:
            renamed = keys.withColumnRenamed("l_orderkey", "o_orderkey")
            frames["orders"] = self._of(renamed, "orders", ["o_orderkey"])
        fresh = self._computed(frames)
        own = keys.toDF(*columns)
        kept = self.rows().join(F.broadcast(own), list(columns), "left_anti")
        self._rewrite(kept.select(*fresh.columns).unionAll(fresh))
        return Said(1)

    def _of(self, keys: DataFrame, table: str, columns: list[str]) -> DataFrame:
        rows = self._warehouse.table(table).to_df()
        return rows.join(F.broadcast(keys), columns, "left_semi")

    def _computed(self, frames: dict[str, DataFrame]) -> DataFrame:
        """The view's query over these rows in place of the tables' own."""
        text = VIEWS[self._view].sql
        used = {n: self._warehouse.table(n).to_df() for n in _NAMES.findall(text)} | frames
        named = _NAMES.sub(r"{\1}", text)
        spark = self._warehouse.spark
        return spark.sql(named, **{n: f for n, f in used.items() if f"{{{n}}}" in named})


class Lines(ByRewriting):
    """Matched lines replaced; insertions alone are appended."""

    def refresh(self, changed: Changed) -> Said:
        stored = self.rows()
        new = joined_lines(self._warehouse, changed.plus).select(*stored.columns)
        if changed.minus.isEmpty():
            new.coalesce(1).write.mode("append").parquet(str(self._folder))
            return Said(2)
        kept = stored.join(F.broadcast(changed.minus.select(*KEY)), list(KEY), "left_anti")
        self._rewrite(kept.select(*stored.columns).unionAll(new))
        return Said(2)


def joined_lines(warehouse: ev.Warehouse, lines: DataFrame) -> DataFrame:
    """A few lines with their orders and customers."""
    orders = warehouse.table("orders").to_df()
    customer = warehouse.table("customer").to_df()
    joined = orders.join(F.broadcast(lines), F.expr("o_orderkey = l_orderkey"))
    return customer.join(F.broadcast(joined), F.expr("c_custkey = o_custkey"))
