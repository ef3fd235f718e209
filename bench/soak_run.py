"""Ten views kept fresh by a scheduler while a writer writes: their lags, refreshes and the CPU.

Prints one line per view and one for the whole; with `--idle` the writer then rests for as long, and
the CPU of that time is told apart. Every view is verified at the end; the exit code is 1 if one is
wrong, if a refresh failed, or if a lag was longer than its target.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import psutil
from pyspark.sql import DataFrame

import everview as ev

LAG = 30  # seconds, the target of most views
_PAUSE = 2.0
_SALES = "sale_id BIGINT, store_id BIGINT, amount BIGINT"
_JOINED = "sales JOIN stores USING (store_id)"
VIEWS = {
    "by_store": "SELECT store_id, count(*) AS n, sum(amount) AS total FROM sales GROUP BY store_id",
    "by_city": f"SELECT city, count(*) AS n, sum(amount) AS total FROM {_JOINED} GROUP BY city",
    "by_country": "SELECT country, sum(total) AS total FROM by_city JOIN cities USING (city) "
    "GROUP BY country",
    "large": "SELECT sale_id, store_id, amount FROM sales WHERE amount > 900",
    "large_by_city": "SELECT city, count(*) AS n FROM large JOIN stores USING (store_id) "
    "GROUP BY city",
    "highest": "SELECT store_id, max(amount) AS highest FROM sales GROUP BY store_id",
    "averages": f"SELECT city, avg(amount) AS mean FROM {_JOINED} GROUP BY city",
    "amounts": "SELECT DISTINCT amount FROM sales",
    "whole": "SELECT count(*) AS n, sum(amount) AS total FROM sales",
    "without": "SELECT store_id FROM stores WHERE store_id NOT IN (SELECT store_id FROM large)",
}
WHEN = {"by_city": "ON DEMAND", "large": "ON DEMAND", "whole": "EVERY 5 SECONDS"}


@dataclass
class Seen:
    """What was seen of one view: how long it lacked a commit at each look, in seconds."""

    lags: list[float] = field(default_factory=list)

    def line(self, name: str, refreshes: int) -> str:
        ordered = sorted(self.lags)
        late = ordered[int(0.95 * (len(ordered) - 1))]
        middle = statistics.median(ordered)
        return f"{name:<14}{refreshes:>10}{middle:>10.1f}{late:>10.1f}{ordered[-1]:>10.1f}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--idle", action="store_true")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, ev.open(folder) as wh:
        made(wh, asked.rows)
        with wh.run_scheduler() as scheduler:
            seen = {name: Seen() for name in VIEWS}
            busy = written(wh, seen, asked)
            time.sleep(LAG)  # what was written last
            rest = cpu_of(asked.minutes * 60) if asked.idle else None
            status = scheduler.status()
        return told(wh, seen, (busy, rest), status)


def made(wh: ev.Warehouse, rows: int) -> None:
    """The tables with their first rows, and the views."""
    spark = wh.spark
    wh.create_table("sales", _SALES)
    wh.create_table(
        "stores", spark.sql("SELECT id AS store_id, concat('c', id % 50) AS city FROM range(1000)")
    )
    cities = "SELECT concat('c', id) AS city, concat('k', id % 7) AS country FROM range(50)"
    wh.create_table("cities", spark.sql(cities))
    wh.table("sales").append(sales(wh, 0, rows))
    for name, text in VIEWS.items():
        wh.create_materialized_view(name, text, when=WHEN.get(name, f"TARGET LAG {LAG} SECONDS"))


def sales(wh: ev.Warehouse, first: int, rows: int) -> DataFrame:
    columns = "id AS sale_id, id * 7919 % 1000 AS store_id, id * 104729 % 1000 AS amount"
    return wh.spark.range(first, first + rows).selectExpr(*columns.split(", "))


def written(wh: ev.Warehouse, seen: dict[str, Seen], asked: argparse.Namespace) -> float:
    """Write and look until the time is over; gives the share of one core that all of it took."""
    table, first = wh.table("sales"), asked.rows
    end, before, begun = time.monotonic() + asked.minutes * 60, used(), time.monotonic()
    while time.monotonic() < end:
        table.append(sales(wh, first, 100))
        if first % 1000 == 0:
            table.delete(f"sale_id % 1000 = {first // 100 % 1000}")
        first += 100
        for name in VIEWS:
            status = wh.view(name).status()
            since = status.behind_since
            seen[name].lags.append(0 if since is None else (status.asked_at - since) / 1000)
        time.sleep(_PAUSE)
    return (used() - before) / (time.monotonic() - begun)


def used() -> float:
    """The CPU seconds of this process and of the Java that it started."""
    own = psutil.Process()
    times = [p.cpu_times() for p in (own, *own.children(recursive=True))]
    return sum(t.user + t.system for t in times)


def cpu_of(seconds: float) -> float:
    """The share of one core that is used while nothing is written."""
    before = used()
    time.sleep(seconds)
    return (used() - before) / seconds


def told(
    wh: ev.Warehouse,
    seen: dict[str, Seen],
    cpu: tuple[float, float | None],
    status: ev.SchedulerStatus,
) -> int:
    print(f"{'view':<14}{'refreshes':>10}{'lag p50':>10}{'p95':>10}{'max':>10}")
    for name, each in seen.items():
        print(each.line(name, len(wh.view(name).history()) - 1))
    busy, rest = cpu
    idle = "" if rest is None else f", {100 * rest:.1f} % while nothing was written"
    share = f"{100 * busy:.0f} % of a core, writer included{idle}"
    print(f"{status.refreshes} refreshes, {status.failures} failed; {share}")
    wrong = [v.view for v in (wh.view(n).verify() for n in VIEWS) if not v.ok]
    late = [n for n, s in seen.items() if WHEN.get(n) is None and max(s.lags) > LAG]
    print(f"wrong: {', '.join(wrong) or 'none'}; later than {LAG} s: {', '.join(late) or 'none'}")
    return 1 if wrong or late or status.failures else 0


if __name__ == "__main__":
    sys.exit(main())
