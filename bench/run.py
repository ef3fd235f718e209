"""CPU seconds and actions of small refreshes beside full recomputes, at TPC-H scale factor 1.

Both sides run in one process, interleaved, after warm-up; results are compared first.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

import everview as ev

VIEWS = {
    "by_customer": (
        "SELECT c_custkey, c_name, count(*) AS n, sum(l_extendedprice * (1 - l_discount)) AS r"
        " FROM lineitem JOIN orders ON l_orderkey = o_orderkey"
        " JOIN customer ON o_custkey = c_custkey GROUP BY c_custkey, c_name"
    ),
    "by_order": (
        "SELECT o_orderkey, o_orderdate, count(*) AS n, sum(l_extendedprice) AS price"
        " FROM lineitem JOIN orders ON l_orderkey = o_orderkey GROUP BY o_orderkey, o_orderdate"
    ),
}
TABLES = ("lineitem", "orders", "customer")


@dataclass(frozen=True)
class Measured:
    """One refresh: what it was, and what it cost the whole process tree."""

    view: str
    change: str
    way: str
    actions: int
    cpu_seconds: float
    wall_seconds: float


def cpu_seconds() -> float:
    process = psutil.Process()
    total = 0.0
    for member in (process, *process.children(recursive=True)):
        times = member.cpu_times()
        total += times.user + times.system
    return total


def measured(view: str, change: str, work: Callable[[], ev.Receipt]) -> Measured:
    cpu, wall = cpu_seconds(), time.perf_counter()
    receipt = work()
    return Measured(
        view,
        change,
        receipt.strategy,
        receipt.actions,
        round(cpu_seconds() - cpu, 2),
        round(time.perf_counter() - wall, 2),
    )


def generate(folder: Path, scale: float) -> None:
    """TPC-H tables as Parquet, once per folder and scale."""
    if all((folder / f"{t}.parquet").exists() for t in TABLES):
        return
    folder.mkdir(parents=True, exist_ok=True)
    tool = Path(sys.executable).with_name("tpchgen-cli")
    names = f"--tables={','.join(TABLES)}"
    subprocess.run([tool, "parquet", "-s", str(scale), names, f"--output-dir={folder}"], check=True)


def load(warehouse: ev.Warehouse, data: Path) -> None:
    for name in TABLES:
        warehouse.create_table(name, warehouse.spark.read.parquet(str(data / f"{name}.parquet")))


def insert(warehouse: ev.Warehouse, data: Path, round_: int) -> str:
    """A thousandth of lineitem again, under orders taken at random."""
    rows = warehouse.spark.read.parquet(str(data / "lineitem.parquet"))
    warehouse.table("lineitem").append(rows.sample(0.001, seed=round_))
    return "insert 0.1 %"


def delete(warehouse: ev.Warehouse, data: Path, round_: int) -> str:
    """A thousandth of the orders' lines, spread over all orders."""
    warehouse.table("lineitem").delete(f"l_orderkey % 1000 = {round_}")
    return "delete 0.1 %"


def bench(warehouse: ev.Warehouse, data: Path, rounds: int) -> list[Measured]:
    """Each round: a change, an incremental refresh of every view, then a full recompute of each."""
    found = []
    views = {n: warehouse.create_materialized_view(n, q, "INCREMENTAL") for n, q in VIEWS.items()}
    for round_ in range(1, rounds + 1):
        for change in (insert, delete):
            title = change(warehouse, data, round_)
            for name, view in views.items():
                found.append(measured(name, title, view.refresh))
            for name, view in views.items():
                if round_ == rounds and not view.verify().ok:
                    raise SystemExit(f"{name} is wrong after {title}: no time counts")
                found.append(measured(name, title, lambda view=view: view.refresh(full=True)))
    return found


def report(found: list[Measured], warm_up: int) -> None:
    """Medians after warm-up; the ratio is of CPU seconds, incremental over full."""
    print(f"{'view':14}{'change':16}{'way':22}{'actions':>8}{'CPU s':>8}{'wall s':>8}{'ratio':>8}")
    for view in VIEWS:
        for change in dict.fromkeys(m.change for m in found):
            runs = [m for m in found if (m.view, m.change) == (view, change)]
            full = _median([m for m in runs if m.way == "full"][warm_up:])
            for way in dict.fromkeys(m.way for m in runs):
                some = [m for m in runs if m.way == way][warm_up:]
                cpu, wall = _median(some)
                line = f"{view:14}{change:16}{way:22}{some[-1].actions:>8}{cpu:>8.2f}{wall:>8.2f}"
                print(f"{line}{cpu / full[0]:>8.2f}")


def _median(runs: list[Measured]) -> tuple[float, float]:
    cpu = statistics.median(m.cpu_seconds for m in runs)
    return cpu, statistics.median(m.wall_seconds for m in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--warm-up", type=int, default=1, help="rounds that do not count")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "everview-tpch")
    parser.add_argument("--json", type=Path, help="write every measurement there")
    options = parser.parse_args()
    data = options.data / f"{options.scale:g}"
    generate(data, options.scale)
    folder = Path(tempfile.mkdtemp(prefix="everview-bench-"))
    try:
        with ev.open(folder / "warehouse") as warehouse:
            load(warehouse, data)
            found = bench(warehouse, data, options.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    report(found, options.warm_up)
    if options.json:
        options.json.write_text(json.dumps([asdict(m) for m in found], indent=1))


if __name__ == "__main__":
    main()
