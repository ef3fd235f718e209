"""What becomes of every query of the corpus: lowered, refused or wrong, a line each.

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

from everview.run import java
from everview.run.engine import Engine
from tests.conftest import SETTINGS
from tests.corpus import functions, tricky
from tests.corpus.benchmarks import TPCDS, TPCH
from tests.corpus.round_trip import Outcome

_REASON_WIDTH = 100


@dataclass(frozen=True)
class Suite:
    """Queries under one name, each with what became of it."""

    name: str
    run: Callable[[Engine], Iterator[tuple[str, Outcome]]]


SUITES = (
    Suite("tpch", TPCH.run),
    Suite("tpcds", TPCDS.run),
    Suite("tricky", tricky.run),
    Suite("functions", functions.run),
)


@dataclass(frozen=True)
class Told:
    """One query of a suite and what became of it."""

    suite: str
    id: str
    outcome: Outcome

    def line(self) -> str:
        o = self.outcome
        reason = " ".join(o.reason.split())[:_REASON_WIDTH]
        numbers = f"{o.rows:>6} rows {o.seconds * 1000:>6.0f} ms"
        return f"{self.suite:<9} {o.status:<8} {numbers}  {self.id}  {reason}".rstrip()

    def fields(self) -> dict[str, Any]:
        o = self.outcome
        return {
            "suite": self.suite,
            "id": self.id,
            "status": o.status,
            "reason": o.reason,
            "rows": o.rows,
            "lowering_ms": round(o.seconds * 1000, 1),
        }


def told(engine: Engine, suites: tuple[Suite, ...]) -> Iterator[Told]:
    """Each query of each suite in turn."""
    for suite in suites:
        for id_, outcome in suite.run(engine):
            yield Told(suite.name, id_, outcome)


def summary(all_: list[Told]) -> Iterator[str]:
    """Counts per suite, then the slowest lowering."""
    for suite in dict.fromkeys(t.suite for t in all_):
        outcomes = [t.outcome for t in all_ if t.suite == suite]
        counts = Counter(o.status for o in outcomes)
        shown = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
        with_rows = sum(o.rows > 0 for o in outcomes)
        yield f"{suite}: {len(outcomes)} queries, {shown}; {with_rows} with rows"
    if all_:
        slowest = max(all_, key=lambda t: t.outcome.seconds)
        yield f"slowest lowering: {slowest.id}, {slowest.outcome.seconds * 1000:.0f} ms"


def main() -> int:
    """Tell every query as it is done; 1 if some is wrong."""
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    names = [s.name for s in SUITES]
    parser.add_argument("--suite", action="append", choices=names, help="only this, repeatable")
    parser.add_argument("--json", action="store_true", help="one object per line, no summary")
    options = parser.parse_args()
    chosen = tuple(s for s in SUITES if s.name in (options.suite or names))
    with tempfile.TemporaryDirectory() as folder:
        spark = _spark(folder)
        all_ = []
        for one in told(Engine(spark), chosen):
            all_.append(one)
            _say(json.dumps(one.fields()) if options.json else one.line())
        if not options.json:
            _say("", *summary(all_))
        spark.stop()
    return int(any(t.outcome.status == "wrong" for t in all_))


def _spark(folder: str) -> SparkSession:
    """A session with the settings of the tests; what Spark logs would hide the lines."""
    java.prepare()
    builder = SparkSession.builder.appName("everview corpus").master("local[2]")
    for name, value in {**SETTINGS, "spark.sql.warehouse.dir": folder}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
