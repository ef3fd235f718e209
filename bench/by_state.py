"""Hand-written refreshes that keep a table of sums and counts beside the view."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import everview as ev
from bench.by_rewriting import ByRewriting
from bench.changes import Changed
from bench.measure import Said


@dataclass(frozen=True, slots=True)
class State:
    """What is kept: the keys, the sums by name over weighted lines `w`, of which `n` counts rows;
    where the lines come from, and the view's columns over all that.
    """

    keys: tuple[str, ...]
    sums: dict[str, str]
    lines: str
    shown: str

    @property
    def text(self) -> str:
        """The query of the state over lines that have a weight."""
        sums = ", ".join(f"sum({scalar}) AS {name}" for name, scalar in self.sums.items())
        return f"SELECT {', '.join(self.keys)}, {sums} {self.lines} GROUP BY {', '.join(self.keys)}"


_REVENUE = "w * (l_extendedprice * (1 - l_discount))"
STATES = {
    "q1": State(
        ("l_returnflag", "l_linestatus"),
        {
            "n": "w",
            "qty": "w * l_quantity",
            "base": "w * l_extendedprice",
            "discounted": _REVENUE,
            "charge": f"{_REVENUE} * (1 + l_tax)",
            "disc": "w * l_discount",
        },
        "FROM {lineitem} WHERE l_shipdate <= DATE'1998-09-02'",
        "l_returnflag, l_linestatus, qty AS sum_qty, base AS sum_base_price, "
        "discounted AS sum_disc_price, charge AS sum_charge, qty / n AS avg_qty, "
        "base / n AS avg_price, disc / n AS avg_disc, n AS count_order",
    ),
    "q5": State(
        ("n_name",),
        {"n": "w", "revenue": _REVENUE},
        "FROM {customer} JOIN {orders} ON c_custkey = o_custkey "
        "JOIN {lineitem} ON l_orderkey = o_orderkey "
        "JOIN {supplier} ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey "
        "JOIN {nation} ON s_nationkey = n_nationkey JOIN {region} ON n_regionkey = r_regionkey "
        "WHERE r_name = 'ASIA' AND o_orderdate >= DATE'1994-01-01' "
        "AND o_orderdate < DATE'1995-01-01'",
        "n_name, revenue",
    ),
    "q10": State(
        (
            "c_custkey",
            "c_name",
            "c_acctbal",
            "c_phone",
            "n_name",
            "c_address",
            "c_comment",
        ),
        {"n": "w", "revenue": _REVENUE},
        "FROM {customer} JOIN {orders} ON c_custkey = o_custkey "
        "JOIN {lineitem} ON l_orderkey = o_orderkey JOIN {nation} ON c_nationkey = n_nationkey "
        "WHERE o_orderdate >= DATE'1993-10-01' AND o_orderdate < DATE'1994-01-01' "
        "AND l_returnflag = 'R'",
        "c_custkey, c_name, revenue, c_acctbal, n_name, c_address, c_phone, c_comment",
    ),
    "nested": State(("l_orderkey",), {"n": "w"}, "FROM {lineitem}", ""),
}


class WithState(ByRewriting):
    """The sums over signed changes added to those that are kept, the view computed from them."""

    def __init__(self, warehouse: ev.Warehouse, view: str, folder: Path) -> None:
        super().__init__(warehouse, view, folder)
        self._state_folder = folder / "state-0"
        lines = warehouse.table("lineitem").to_df().withColumn("w", F.lit(1))
        self._summed(lines).write.parquet(str(self._state_folder))
        self._types = self.rows().schema

    def refresh(self, changed: Changed) -> Said:
        state, keys = STATES[self._view], list(STATES[self._view].keys)
        kept = self._warehouse.spark.read.parquet(str(self._state_folder))
        both = kept.unionAll(self._summed(F.broadcast(changed.signed)).select(*kept.columns))
        added = [F.sum(name).cast(kept.schema[name].dataType).alias(name) for name in state.sums]
        self._state_folder = self._state_folder.with_name(f"state-{self._number() + 1}")
        both.groupBy(*keys).agg(*added).where("n > 0").write.parquet(str(self._state_folder))
        self._rewrite(self._shown(self._warehouse.spark.read.parquet(str(self._state_folder))))
        return Said(2)

    def _number(self) -> int:
        return int(self._state_folder.name.split("-")[1])

    def _summed(self, lines: DataFrame) -> DataFrame:
        text = STATES[self._view].text
        names = ("customer", "orders", "supplier", "nation", "region")
        others = {n: self._warehouse.table(n).to_df() for n in names if f"{{{n}}}" in text}
        return self._warehouse.spark.sql(text, lineitem=lines, **others)

    def _shown(self, state: DataFrame) -> DataFrame:
        if self._view == "nested":
            return state.groupBy("n").agg(F.count(F.lit(1)).alias("orders"))
        shown = state.selectExpr(*STATES[self._view].shown.split(", "))
        return shown.select(*(F.col(f.name).cast(f.dataType) for f in self._types))
