"""Refreshes beside full recomputes and hand-written PySpark, at TPC-H scale factor 1.

All ways run in one process, interleaved, after a warm-up; a time counts only if the three results
are equal.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import everview as ev
from bench.data import CHANGES, HAND_WRITTEN, VIEWS, WARM_UP, Change, apply, generate, load
from bench.measure import Measured, measured
from bench.report import plot, profile, table
from bench.rivals import ByHand, Everview, FullRecompute


class Bench:
    """One warehouse, its views, and for each view the three ways to refresh it."""

    def __init__(self, warehouse: ev.Warehouse, folder: Path, views: list[str]) -> None:
        self._warehouse = warehouse
        self._folder = folder
        self._ways: dict[str, tuple[Everview | FullRecompute | ByHand, ...]] = {}
        self._turn = 0
        for name in views:
            warehouse.create_materialized_view(name, VIEWS[name], "INCREMENTAL")
            own = folder / name
            ours, full = Everview(warehouse, name), FullRecompute(warehouse, name, own)
            hand = (ByHand(warehouse, name, own),) if name in HAND_WRITTEN else ()
            self._ways[name] = (ours, full, *hand)

    def run(self, change: Change) -> list[Measured]:
        """Make a change, then refresh every view by every way, none always first."""
        self._turn += 1
        changes = apply(self._warehouse, change, self._folder / f"change-{self._turn}")
        found = []
        for name in (v for v in change.views if v in self._ways):
            ways = self._ways[name]
            self._turn += 1
            first = self._turn % len(ways)
            order = [*ways[first:], *ways[:first]]
            runs = [measured(name, change.title, w.way, partial(w.refresh, changes)) for w in order]
            if change is not WARM_UP:
                self._compare(name, change)
            found += runs
        return found

    def _compare(self, name: str, change: Change) -> None:
        spark = self._warehouse.spark
        results = {"everview": self._warehouse.view(name).to_df()}
        for way in self._ways[name]:
            if not isinstance(way, Everview):
                results[way.way] = spark.read.parquet(str(way.folder))
        prints = {way: _fingerprint(rows) for way, rows in results.items()}
        if len(set(prints.values())) != 1:
            raise SystemExit(f"{name} after {change.title}: {prints}: no time counts")


def _fingerprint(rows: DataFrame) -> tuple[int, int]:
    hashes = F.xxhash64(*rows.columns).cast("decimal(20,0)")
    found = rows.agg(F.count(F.lit(1)), F.sum(hashes)).collect()[0]
    return int(found[0]), int(found[1] or 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=1, help="how often each change is made")
    parser.add_argument("--only", default="", help="changes whose title holds this text")
    parser.add_argument("--views", nargs="*", default=list(VIEWS), choices=VIEWS)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "everview-tpch")
    parser.add_argument("--plot", type=Path, default=Path("artifacts/bench.svg"))
    parser.add_argument("--json", type=Path, help="write every measurement there")
    options = parser.parse_args()
    begun = time.perf_counter()
    data = options.data / f"{options.scale:g}"
    generate(data, options.scale)
    folder = Path(tempfile.mkdtemp(prefix="everview-bench-"))
    found: list[Measured] = []
    try:
        settings = ev.Settings(compare_bytes=0)
        with ev.open(folder / "warehouse", settings=settings) as warehouse:
            warehouse.spark.conf.set("spark.sql.shuffle.partitions", "8")
            load(warehouse, data)
            bench = Bench(warehouse, folder, options.views)
            _say(begun, "views built")
            bench.run(WARM_UP)
            for _ in range(options.rounds):
                for change in (c for c in CHANGES if options.only in c.title):
                    found += bench.run(change)
                    _say(begun, change.title)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{table(found)}\n\n{profile(found)}\n")
    plot(found, options.plot)
    _say(begun, f"plot in {options.plot}")
    if options.json:
        options.json.write_text(json.dumps([asdict(m) for m in found], indent=1))


def _say(begun: float, what: str) -> None:
    print(f"{time.perf_counter() - begun:6.0f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
