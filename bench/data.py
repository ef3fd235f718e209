"""The tables of TPC-H, generated once per scale and kept beside the repository's reach."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import everview as ev

TABLES = {
    "lineitem": "l_orderkey, l_linenumber, l_partkey, l_suppkey, l_quantity, l_extendedprice, "
    "l_discount, l_tax, l_returnflag, l_linestatus, l_shipdate",
    "orders": "o_orderkey, o_custkey, o_orderdate, o_orderpriority, o_shippriority, o_totalprice",
    "customer": "c_custkey, c_name, c_nationkey, c_mktsegment, c_acctbal, c_phone, c_address, "
    "c_comment",
    "supplier": "s_suppkey, s_nationkey",
    "nation": "n_nationkey, n_name, n_regionkey",
    "region": "r_regionkey, r_name",
}
LINES = 6_000_000  # of lineitem at scale factor 1, about


def generate(folder: Path, scale: float) -> None:
    """The tables as Parquet, once per folder and scale."""
    if all((folder / f"{t}.parquet").exists() for t in TABLES):
        return
    folder.mkdir(parents=True, exist_ok=True)
    tool = Path(sys.executable).with_name("tpchgen-cli")
    names = f"--tables={','.join(TABLES)}"
    subprocess.run([tool, "parquet", "-s", str(scale), names, f"--output-dir={folder}"], check=True)


def load(warehouse: ev.Warehouse, data: Path) -> None:
    """The tables as tables of the warehouse."""
    for name in TABLES:
        load_table(warehouse, data, name, name)


def load_table(warehouse: ev.Warehouse, data: Path, table: str, name: str, **others: Any) -> None:
    """One of the tables under a name, created with what else is given."""
    rows = warehouse.spark.read.parquet(str(data / f"{table}.parquet"))
    warehouse.create_table(name, rows.selectExpr(*TABLES[table].split(", ")), **others)
