"""How many random queries a test draws, and which of them it runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from pyspark.sql import DataFrame, SparkSession

from everview.spark.engine import Engine
from everview.spark.session_settings import changed_settings
from tests.corpus.random_sql import Generated
from tests.corpus.small_tables import TABLES

ASKED = os.environ.get("EVERVIEW_FUZZ_SQL")

# Queries over a handful of rows: what Spark does per query counts, not what it does per row.
QUICK = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
}


def cases(default: int) -> int:
    return int(ASKED or default)


def random_cases(default: int, start: int) -> Callable[[Any], Any]:
    """The same queries on every run, unless a number is asked for: then others every time.

    Of what hypothesis draws two thirds resemble what it drew before and are not run.
    """
    chosen = settings(
        max_examples=3 * cases(default),
        derandomize=ASKED is None,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    return lambda test: chosen(test if ASKED else seed(start)(test))


class Cases:
    """Which queries were run, what became of them and which constructs occurred."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.run = 0
        self.counts: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.failed = False  # then hypothesis shrinks, and every text is run
        self._last: frozenset[str] = frozenset()
        self._texts: set[str] = set()

    def takes(self, query: Generated) -> bool:
        """Whether to run the query: enough of it is new."""
        if self.failed:
            return True
        alike = len(query.kinds & self._last) > 0.6 * len(query.kinds | self._last)
        if self.run >= self.wanted or alike or query.text in self._texts:
            return False
        self._last = query.kinds
        self._texts.add(query.text)
        self.run += 1
        self.kinds.update(query.kinds)
        return True

    def share(self, count: str, of: int) -> float:
        return self.counts[count] / max(1, of)


def quick_engine(spark: SparkSession) -> Iterator[tuple[Engine, dict[str, DataFrame]]]:
    """An engine whose session answers small queries quickly, and the small tables in it."""
    engine = Engine(spark)
    with changed_settings(engine.own, QUICK):
        tables = {name: engine.own.sql(table.sql) for name, table in TABLES.items()}
        yield engine, tables
    engine.release()
