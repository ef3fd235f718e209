"""Refreshes beside full recomputes, hand-written PySpark and Delta MERGE, over TPC-H.

All contestants run in one process, interleaved, after a warm-up; a time counts only if all results
are equal. Every run is saved as it is made, so that a run that was cut off goes on where it was.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

from bench.aims import (
    AUTO,
    COLD,
    CONTESTANTS,
    DELTA,
    FULL,
    HAND,
    MARKING,
    NIGHT,
    READING,
    SOAK,
    STATEMENTS,
    WARM,
)
from bench.changes import GRID, QUICK, Change
from bench.data import generate
from bench.grid import Grid, Place, Tables, unavailable
from bench.processes import cold_start, warm_refreshes
from bench.profile_run import profile_view
from bench.results import Results
from bench.scenarios import nightly_overwrite, reading, soak, statements
from bench.session import started
from bench.tables import summary
from bench.views import VIEWS

GROUPS = (
    ("by_customer", "by_nation", "by_order", "lines"),
    ("outer", "semi", "distinct", "window", "nested"),
    ("shipments", "returned", "large_orders", "everything"),
    ("q1", "q3", "q5", "q10", "q18"),
)
SCENARIOS = (WARM, NIGHT, COLD, READING, STATEMENTS)
SOME = (FULL, HAND, AUTO)  # who takes part in a quick run
_SALES = {False: 200_000, True: 4_000_000}  # of the demo's shop, in a quick run and in a whole one


@dataclass
class Clock:
    """How long it has run, and whether there is time for more."""

    minutes: float
    begun: float = field(default_factory=time.perf_counter)

    def say(self, what: str) -> None:
        print(f"{time.perf_counter() - self.begun:6.0f} s  {what}", file=sys.stderr, flush=True)

    def has(self, seconds: float) -> bool:
        """Whether so many seconds are left."""
        return not self.minutes or time.perf_counter() - self.begun + seconds < self.minutes * 60


def main() -> None:
    options = _parser().parse_args()
    options.contestants = options.contestants or list(CONTESTANTS if options.whole else SOME)
    clock = Clock(options.minutes)
    data = {scale: options.data / f"{scale:g}" for scale in options.scale}
    for scale, folder in data.items():
        generate(folder, scale)
    spark, delta = started(delta=DELTA in options.contestants and not options.no_delta)
    clock.say("Spark started")
    if options.profile:
        folder = Path(tempfile.mkdtemp(prefix="everview-bench-"))
        place = Place(spark, options.scale[0], data[options.scale[0]], folder)
        print(profile_view(place, options.profile, clock.say))
        return
    out = unavailable(options.contestants, delta)
    results = Results.opened(options.json, resume=options.resume)
    results.unavailable = out
    for name, why in out.items():
        clock.say(f"not available: {name} ({why})")
    try:
        for scale, folder in data.items():
            _at_scale(_Bench(spark, scale, folder, options, clock, results))
    finally:
        print(f"\n{summary(results)}\n")


@dataclass(frozen=True)
class _Bench:
    """What one scale is run with."""

    spark: SparkSession
    scale: float
    data: Path
    options: argparse.Namespace
    clock: Clock
    results: Results

    def place(self) -> Place:
        folder = Path(tempfile.mkdtemp(prefix="everview-bench-"))
        return Place(self.spark, self.scale, self.data, folder)

    @property
    def changes(self) -> tuple[Change, ...]:
        some = GRID if self.options.whole else QUICK
        return tuple(c for c in some if self.options.only in c.title)


def _at_scale(bench: _Bench) -> None:
    tables = Tables(bench.place()) if bench.options.views else None
    if tables is not None:
        bench.clock.say(f"tables of scale factor {bench.scale:g} loaded")
        try:
            _views(bench, tables)
        finally:
            tables.close()
    if not (bench.options.views_only or bench.options.soak):
        _scenarios(bench)


def _views(bench: _Bench, tables: Tables) -> None:
    if bench.options.soak:
        _soak(bench, tables)
        return
    longest = 0.0
    for views in _groups(bench):
        if not bench.clock.has(longest):
            bench.results.left_out += views
            bench.clock.say(f"no time left for {', '.join(views)}")
            continue
        begun = time.perf_counter()
        _group(bench, tables, views)
        longest = max(longest, time.perf_counter() - begun)


def _groups(bench: _Bench) -> Iterator[list[str]]:
    """The views that still have to run, those together that share a change."""
    for group in GROUPS:
        wanted = [v for v in group if v in bench.options.views]
        left = [v for v in wanted if not all(_is_done(bench, v, c) for c in bench.changes)]
        if left:
            yield left


def _is_done(bench: _Bench, view: str, change: Change) -> bool:
    return bench.results.rounds(bench.scale, view, change.title) >= bench.options.rounds


def _group(bench: _Bench, tables: Tables, views: list[str]) -> None:
    grid = Grid(tables, views, bench.options.contestants, bench.clock.say)
    try:
        grid.warm_up()
        for change in bench.changes:
            if all(_is_done(bench, v, change) for v in views):
                continue
            for number in range(bench.options.rounds):
                bench.results.add(grid.run(change, number))
    finally:
        grid.close()


def _soak(bench: _Bench, tables: Tables) -> None:
    grid = Grid(tables, bench.options.views, bench.options.contestants, bench.clock.say)
    try:
        grid.warm_up()
        soak(grid, bench.options.soak, bench.results.add)
    finally:
        grid.close()


def _scenarios(bench: _Bench) -> None:
    place, rounds = bench.place(), bench.options.rounds
    sales = _SALES[bench.options.whole]
    runs = {
        WARM: lambda: warm_refreshes(place.folder, sales),
        NIGHT: lambda: nightly_overwrite(place, rounds),
        COLD: lambda: cold_start(place.folder, rounds, sales),
        READING: lambda: reading(place, rounds),
        STATEMENTS: lambda: statements(place, rounds),
    }
    for name in SCENARIOS:
        scale = 0.0 if name in (COLD, WARM) else bench.scale
        if bench.results.has(scale, name):
            continue
        if not bench.clock.has(_MOST[name] * max(1.0, bench.scale)):
            bench.clock.say(f"no time left for {name}")
            continue
        bench.results.add(list(runs[name]()))
        bench.clock.say(name)
    shutil.rmtree(place.folder, ignore_errors=True)


_MOST = {WARM: 30.0, NIGHT: 15.0, COLD: 75.0, READING: 40.0, STATEMENTS: 90.0}  # seconds, about


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cache = Path(tempfile.gettempdir()) / "everview-tpch"
    parser.add_argument("--scale", type=float, nargs="*", default=[1.0], help="scale factors")
    parser.add_argument("--rounds", type=int, default=1, help="how often each change is made")
    parser.add_argument("--minutes", type=float, default=0.0, help="begin nothing new after these")
    parser.add_argument("--whole", action="store_true", help="all changes, not one")
    parser.add_argument("--only", default="", help="changes whose title holds this text")
    parser.add_argument("--views", nargs="*", default=list(VIEWS), choices=VIEWS)
    parser.add_argument("--views-only", action="store_true", help="no other scenarios")
    parser.add_argument(
        "--contestants", nargs="*", choices=CONTESTANTS, help="all with --whole, else some"
    )
    parser.add_argument("--no-delta", action="store_true", help="do not fetch Delta's jar")
    parser.add_argument("--soak", type=int, default=0, help=f"{SOAK}: so many refreshes in a row")
    parser.add_argument("--profile", choices=VIEWS, help=f"where a refresh ({MARKING}) goes")
    parser.add_argument("--data", type=Path, default=cache, help="where the tables are kept")
    parser.add_argument("--json", type=Path, help="every run goes there, as it is made")
    parser.add_argument("--resume", action="store_true", help="go on with the runs in --json")
    return parser


if __name__ == "__main__":
    main()
