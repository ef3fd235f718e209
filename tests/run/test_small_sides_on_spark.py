"""With a small change Spark does not exchange the large side of a join, whatever its kind."""

from __future__ import annotations

import contextlib
import io

import pytest
from pyspark.sql import SparkSession

from everview.algebra.relations import Changes, Rel, Scan
from everview.facts.schema import Field, Schema
from everview.optimize.passes import PassContext, When, improved
from everview.spark.engine import SMALL, Engine
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from everview.sql.write.door import write
from everview.sql.write.select import WEIGHT
from tests.improve import changes_of

SCHEMA = Schema((Field("k", "long"), Field("v", "long")))
QUERIES = {
    "semi": "SELECT * FROM big WHERE EXISTS (SELECT 1 FROM other WHERE other.k = big.k)",
    "anti": "SELECT * FROM big WHERE NOT EXISTS (SELECT 1 FROM other WHERE other.k = big.k)",
    "left": "SELECT big.k, other.v FROM big LEFT JOIN other ON other.k = big.k",
    "full": "SELECT big.k, other.v FROM big FULL JOIN other ON other.k = big.k",
    "distinct": "SELECT DISTINCT k, v FROM big",
    "aggregate": "SELECT n, count(*) FROM (SELECT k, count(*) AS n FROM big GROUP BY k) GROUP BY n",
    "window": "SELECT k, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM big",
}
# Every large table is read by scans of this many rows; none of them may be exchanged.
LARGE, FEW = 10_000_000, 10


def rows(leaf: Rel) -> tuple[int, int]:
    return (FEW, LARGE) if isinstance(leaf, Changes) else (LARGE, LARGE)


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> Engine:
    return Engine(spark)


def explained(engine: Engine, sql: str, changed: frozenset[str], *, hinted: bool) -> str:
    """Spark's physical plan of the changes; it knows no sizes and broadcasts nothing by itself."""
    found = bind(parse_query(sql), {"big": SCHEMA, "other": SCHEMA})
    assert isinstance(found, Lowered)
    plan = changes_of(found.rel, changed)
    assert plan is not None
    off = frozenset() if hinted else frozenset({"small_sides"})
    query = write(improved(When.CHANGES, plan, PassContext(leaf_rows=rows, off=off)).plan, {})
    settings = {**SMALL, "spark.sql.autoBroadcastJoinThreshold": "-1"}
    with engine.settings(settings) as spark:
        large = spark.range(LARGE).selectExpr("id AS k", "id AS v")
        few = spark.createDataFrame([(1, 1, 1)], f"k long, v long, {WEIGHT} long")
        frames = {leaf: large if isinstance(leaf, Scan) else few for leaf in query.leaves.values()}
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            engine.sql(query, frames).explain()
    return shown.getvalue()


def exchanged(plan: str) -> list[str]:
    """The large scans below an exchange by key, with nothing between that cuts them."""
    found, lines = [], plan.splitlines()
    for start, line in enumerate(lines):
        if "Exchange hashpartitioning" not in line and "Exchange SinglePartition" not in line:
            continue
        depth = len(line) - len(line.lstrip(" :|+-"))
        for below in lines[start + 1 :]:
            inner = len(below) - len(below.lstrip(" :|+-"))
            if inner <= depth or "BroadcastHashJoin" in below:
                break
            if "Range (0, 10000000" in below:
                found.append(line.strip())
    return found


CASES = [
    (kind, changed)
    for kind, sql in QUERIES.items()
    for changed in ((("big",), ("other",), ("big", "other")) if "other" in sql else (("big",),))
]


@pytest.mark.spark
@pytest.mark.parametrize(("kind", "changed"), CASES)
def test_the_large_side_is_not_exchanged(
    kind: str, changed: tuple[str, ...], engine: Engine
) -> None:
    plan = explained(engine, QUERIES[kind], frozenset(changed), hinted=True)
    assert "Range (0, 10000000" in plan
    assert exchanged(plan) == [], plan


@pytest.mark.spark
def test_without_hints_it_would_be(engine: Engine) -> None:
    plan = explained(engine, QUERIES["anti"], frozenset({"big"}), hinted=False)
    assert exchanged(plan)
