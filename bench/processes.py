"""Whole processes: the command line from cold, and a process that goes on refreshing."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil

import everview as ev
from bench.aims import AS_IT_COMES, AS_SPARK_STARTS, COLD, WARM
from bench.contestants import said_of
from bench.measure import Cost, Run, costs

# What starts Spark as it starts without Everview's help: no archive of classes, no options for
# short runs, which are left to whoever gives options of their own.
PLAIN = {"EVERVIEW_CLASS_ARCHIVE": "off", "JAVA_TOOL_OPTIONS": "-Deverview.options=none"}
_LOOK = 0.05  # seconds
_WARM_ROUNDS = 20
_INSERT = (
    "INSERT INTO sales SELECT sale_id + 100000000 + {number}, store_id, item_id, sold_on, "
    "quantity, price FROM sales WHERE sale_id = 1"
)


def cold_start(folder: Path, rounds: int, sales: int) -> Iterator[Run]:
    """`everview refresh` of the demo's warehouse after one insert, each time in a new process."""
    shop = str(folder / "shop")
    command("demo", shop, "--sales", str(sales))
    inserts = iter(range(2 * rounds))
    for number in range(rounds):
        for name, more in ((AS_IT_COMES, {}), (AS_SPARK_STARTS, PLAIN)):
            command("--warehouse", shop, "sql", _INSERT.format(number=next(inserts)))
            cost = command("--warehouse", shop, "refresh", environment=more)
            yield Run(0.0, COLD, "one insert", name, cost, number=number)


def warm_refreshes(folder: Path, rows: int) -> Iterator[Run]:
    """A small view in a process that goes on: refreshed again and again after a few insertions."""
    with ev.open(folder / "warm") as warehouse:
        spark = warehouse.spark
        new = "id + {0} AS sale, id % 1000 AS store, CAST(id % 97 AS DECIMAL(10,2)) AS price"
        warehouse.create_table("sales", spark.range(rows).selectExpr(*new.format(0).split(", ")))
        warehouse.create_table(
            "stores", spark.range(1000).selectExpr("id AS store", "concat('c', id % 200) AS city")
        )
        view = warehouse.create_materialized_view(
            "city_sales",
            "SELECT city, count(*) AS n, sum(price) AS total "
            "FROM sales JOIN stores USING (store) GROUP BY city",
        )
        for number in range(-5, _WARM_ROUNDS):  # the first ones warm up
            start = rows + (number + 5) * 100
            some = spark.range(100).selectExpr(*new.format(start).split(", "))
            warehouse.table("sales").append(some)
            cost, said = costs(lambda: said_of(view.refresh()))
            if number >= 0:
                yield Run(0.0, WARM, "100 rows inserted", "everview", cost, said, number=number)


def command(*arguments: str, environment: Mapping[str, str] | None = None) -> Cost:
    """Run the command line in a process of its own; what it and all below it spent.

    The JVM may outlive it for a moment, so the times are looked at while they run.
    """
    begun = time.perf_counter()
    seconds: dict[int, float] = {}
    with tempfile.TemporaryFile("w+") as said:
        line = [sys.executable, "-m", "everview", *arguments]
        known = {**os.environ, **(environment or {})}
        process = psutil.Popen(line, stdout=said, stderr=said, env=known)
        while process.poll() is None:
            seconds |= _seconds(process)
            time.sleep(_LOOK)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"everview {' '.join(arguments)}: {said.read()}")
    return Cost(round(sum(seconds.values()), 2), round(time.perf_counter() - begun, 2))


def _seconds(process: psutil.Process) -> dict[int, float]:
    """CPU seconds so far of a process and those below it, by number."""
    found = {}
    with contextlib.suppress(psutil.Error):
        for member in (process, *process.children(recursive=True)):
            times = member.cpu_times()
            found[member.pid] = times.user + times.system
    return found
