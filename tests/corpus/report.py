"""What becomes of every query of the corpus: lowered, refused or wrong, a line each; and of those
of benchmarks as views: incremental, or why not.

python -m tests.corpus.report [--suite NAME ...] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from everview.spark import java
from everview.spark.engine import Engine
from tests.conftest import SETTINGS
from tests.corpus import functions, tricky, view_rounds
from tests.corpus.benchmarks import TPCDS, TPCH, Benchmark
from tests.corpus.round_trip import Outcome
from tests.corpus.view_rounds import Kept, Played

_REASON_WIDTH = 100


@dataclass(frozen=True)
class Suite:
    """Queries under one name, each with what became of it."""

    name: str
    run: Callable[[Engine], Iterator[tuple[str, Outcome | Kept]]]


def _as_views(benchmark: Benchmark) -> Callable[[Engine], Iterator[tuple[str, Kept]]]:
    def run(engine: Engine) -> Iterator[tuple[str, Kept]]:
        with (
            tempfile.TemporaryDirectory() as folder,
            Played(engine.caller, folder, benchmark, jobs=2) as played,
        ):
            yield from ((kept.id, kept) for kept in played.play(benchmark.queries()))

    return run


SUITES = (
    Suite("tpch", TPCH.run),
    Suite("tpcds", TPCDS.run),
    Suite("tricky", tricky.run),
    Suite("functions", functions.run),
    Suite("tpch-views", _as_views(TPCH)),
    Suite("tpcds-views", _as_views(TPCDS)),
)


@dataclass(frozen=True)
class Told:
    """One query of a suite and what became of it."""

    suite: str
    id: str
    outcome: Outcome | Kept

    @property
    def failed(self) -> bool:
        return self.outcome.status in ("wrong", "fell back")

    def line(self) -> str:
        o = self.outcome
        text = " ".join(o.reason.split())
        reason = text if self.failed else text[:_REASON_WIDTH]
        numbers = o.numbers if isinstance(o, Kept) else _numbers(o)
        return f"{self.suite:<11} {o.status:<11} {numbers}  {self.id}  {reason}".rstrip()

    def fields(self) -> dict[str, Any]:
        o = self.outcome
        more = o.fields() if isinstance(o, Kept) else _fields(o)
        return {"suite": self.suite, "id": self.id, "status": o.status, "reason": o.reason} | more


def _numbers(outcome: Outcome) -> str:
    return f"{outcome.rows:>6} rows {outcome.seconds * 1000:>6.0f} ms"


def _fields(outcome: Outcome) -> dict[str, Any]:
    return {"rows": outcome.rows, "lowering_ms": round(outcome.seconds * 1000, 1)}


def told(engine: Engine, suites: tuple[Suite, ...]) -> Iterator[Told]:
    """Each query of each suite in turn."""
    for suite in suites:
        for id_, outcome in suite.run(engine):
            yield Told(suite.name, id_, outcome)


def summary(all_: list[Told]) -> Iterator[str]:
    """Counts per suite, with the slowest lowering; then how the views are kept."""
    lowered = [(t, t.outcome) for t in all_ if isinstance(t.outcome, Outcome)]
    for suite in dict.fromkeys(t.suite for t, _ in lowered):
        outcomes = [o for t, o in lowered if t.suite == suite]
        counts = Counter(o.status for o in outcomes)
        shown = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
        with_rows = sum(o.rows > 0 for o in outcomes)
        yield f"{suite}: {len(outcomes)} queries, {shown}; {with_rows} with rows"
    if lowered:
        slowest, outcome = max(lowered, key=lambda pair: pair[1].seconds)
        yield f"slowest lowering: {slowest.id}, {outcome.seconds * 1000:.0f} ms"
    kept = [t.outcome for t in all_ if isinstance(t.outcome, Kept)]
    if kept:
        yield from view_rounds.summary(kept)


def main() -> int:
    """Tell every query as it is done; 1 if one is wrong, or a view not kept as it was promised."""
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    names = [s.name for s in SUITES]
    parser.add_argument("--suite", action="append", choices=names, help="only this, repeatable")
    parser.add_argument("--json", action="store_true", help="one object per line, no summary")
    options = parser.parse_args()
    chosen = tuple(s for s in SUITES if s.name in (options.suite or names))
    with tempfile.TemporaryDirectory() as folder:
        spark = corpus_session(folder)
        all_ = []
        for one in told(Engine(spark), chosen):
            all_.append(one)
            say(json.dumps(one.fields()) if options.json else one.line())
        if not options.json:
            say("", *summary(all_))
        spark.stop()
    return int(any(t.failed for t in all_))


def corpus_session(folder: str) -> SparkSession:
    """A session with the settings of the tests; what Spark logs would hide the lines."""
    java.prepare()
    builder = SparkSession.builder.appName("everview corpus").master("local[2]")
    for name, value in {**SETTINGS, "spark.sql.warehouse.dir": folder}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
