"""Views that depend on the moment they are computed at: the clock, chance, the session."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import everview as ev
from everview.errors import NotIncremental
from everview.views.world import VIEW_PROPERTY
from tests.api.bags import refused
from tests.api.shop import add_sales

RECENT = "SELECT count(*) AS n FROM sales WHERE at > current_timestamp() - INTERVAL 2 SECONDS"


def test_a_view_of_the_last_seconds_is_recomputed_though_nothing_changed(wh: ev.Warehouse) -> None:
    wh.create_table("sales", "id BIGINT, at TIMESTAMP")
    wh.sql("INSERT INTO sales SELECT 1, current_timestamp()")
    view = wh.create_materialized_view("recent", RECENT)
    above = wh.create_materialized_view("above", "SELECT n + 1 AS m FROM recent")
    time.sleep(2.5)
    status = view.status()
    said = "current_timestamp() (line 1, column 44)"
    assert status.clock == said
    assert status.is_behind
    assert f"depends on the clock: {said}" in str(status)
    assert "up to date" not in str(status)
    assert "depends on the clock" in view._repr_html_()
    receipt = above.refresh()
    assert receipt.below[0].strategy == "full"
    told = "read by above, so only what differs is told"
    assert receipt.below[0].reason == f"it depends on the clock: {said}; {told}"
    assert [row.n for row in view.to_df().collect()] == [0]
    assert [row.m for row in above.to_df().collect()] == [1]
    assert "up to date" in str(above.status())
    assert view.refresh().strategy == "full"
    verified = view.verify()
    assert verified.ok
    assert verified.outcome == "not comparable"
    assert said in verified.why_not
    assert (verified.compared, verified.left_out) == ((), ("n",))
    rows = wh.sql("VERIFY MATERIALIZED VIEWS").collect()
    assert sorted((r.view, r.ok, r.outcome) for r in rows) == [
        ("above", True, "exact"),
        ("recent", True, "not comparable"),
    ]


OF_THE_MOMENT = {
    "rand()": "SELECT id, rand() AS x FROM sales",
    "uuid()": "SELECT id, g FROM sales LATERAL VIEW explode(array(uuid())) AS g",
    "now()": "SELECT id, v.x FROM sales CROSS JOIN VALUES (now()) AS v(x)",
    "current_date": "SELECT id, max(current_date) OVER (PARTITION BY city) AS x FROM sales",
    "'today'": "SELECT id FROM sales WHERE DATE'2020-01-01' < 'today'",
    "current_timestamp()": """SELECT id, rank() OVER (ORDER BY amount) AS place FROM sales
        WHERE current_timestamp() > DATE'2020-01-01'""",
    "TABLESAMPLE (50 PERCENT)": "SELECT id FROM sales TABLESAMPLE (50 PERCENT)",
}


@pytest.mark.parametrize("expression", OF_THE_MOMENT)
def test_wherever_it_stands(wh: ev.Warehouse, sales: ev.Table, expression: str) -> None:
    sql = OF_THE_MOMENT[expression]
    with refused(NotIncremental):
        wh.create_materialized_view("v", sql, policy="INCREMENTAL")
    view = wh.create_materialized_view("v", sql)
    assert view.status().clock.startswith(expression)
    assert view.refresh().strategy == "full"
    assert view.explain().strategy == "full"
    assert view.verify().outcome == "not comparable"


def test_what_only_reads_like_the_clock_does_not_depend_on_it(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    sql = "SELECT id, city = 'today' AS now, unix_timestamp(DATE'2020-01-01') AS x FROM sales"
    view = wh.create_materialized_view("v", sql)
    assert view.status().clock == ""
    assert view.refresh().strategy.startswith("skipped")
    assert view.verify().outcome == "exact"


def test_an_older_record_does_not_say_it_and_its_text_does(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    view = wh.create_materialized_view("v", "SELECT id, rand() AS x FROM sales")
    forget_the_moment(view)
    with ev.open(wh.path, spark=wh.spark) as again:
        older = again.view("v")
        assert older.status().clock == "rand() (line 1, column 12)"
        assert "depends on the clock" in older._repr_html_()
        assert older.refresh().strategy == "full"
        assert older.verify().outcome == "not comparable"


def forget_the_moment(view: ev.View) -> None:
    """Write the record as an older version wrote it."""
    for log in sorted(Path(view.path, "_delta_log").glob("*.json")):
        actions = [json.loads(line) for line in log.read_text().splitlines()]
        for action in (a for a in actions if "metaData" in a):
            properties = action["metaData"]["configuration"]
            record = json.loads(properties[VIEW_PROPERTY])
            del record["moment"], record["kept"]
            properties[VIEW_PROPERTY] = json.dumps(record)
        log.write_text("\n".join(map(json.dumps, actions)) + "\n")
        log.with_name(f".{log.name}.crc").unlink(missing_ok=True)


@contextmanager
def functions(spark: SparkSession) -> Iterator[None]:
    """Functions of the user's own in the session's catalog."""
    spark.sql("CREATE OR REPLACE FUNCTION ev_moment() RETURNS TIMESTAMP RETURN current_timestamp()")
    spark.sql("CREATE OR REPLACE FUNCTION ev_dice(x BIGINT) RETURNS DOUBLE RETURN x * rand()")
    spark.sql("CREATE OR REPLACE FUNCTION ev_two(x BIGINT) RETURNS BIGINT RETURN x * 2")
    spark.sql("CREATE OR REPLACE FUNCTION ev_deep() RETURNS STRING RETURN concat('', ev_moment())")
    try:
        yield
    finally:
        for name in ("ev_deep", "ev_moment", "ev_dice", "ev_two"):
            spark.sql(f"DROP FUNCTION {name}")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT id, ev_dice(amount) AS x FROM sales", "ev_dice(amount)"),
        ("SELECT id, max(ev_moment()) OVER (PARTITION BY city) AS x FROM sales", "ev_moment()"),
        ("SELECT id, ev_deep() AS x, rank() OVER (ORDER BY id) AS r FROM sales", "ev_deep()"),
        ("SELECT id, ev_two(amount) AS x FROM sales", ""),
    ],
)
def test_functions_of_the_users_own(
    spark: SparkSession, tmp_path: Path, sql: str, said: str
) -> None:
    with functions(spark), ev.open(str(tmp_path / "shop"), spark=spark) as wh:
        add_sales(wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT"), (1, "a", 2))
        view = wh.create_materialized_view("v", sql)
        assert view.status().clock.startswith(said)
        assert bool(view.status().clock) is bool(said)
        assert view.refresh().strategy.startswith("full" if said else "skipped")
        assert view.verify().outcome == ("not comparable" if said else "exact")


def test_a_python_function_that_is_not_deterministic(wh: ev.Warehouse, sales: ev.Table) -> None:
    dice = F.udf(lambda x: random.random() * x, "double").asNondeterministic()
    wh._world.engine.own.udf.register("ev_python_dice", dice)
    sql = "SELECT id, x FROM sales LATERAL VIEW explode(array(ev_python_dice(id))) AS x"
    view = wh.create_materialized_view("v", sql)
    assert view.status().clock == "ev_python_dice(id) (line 1, column 52)"
    assert view.refresh().strategy == "full"
