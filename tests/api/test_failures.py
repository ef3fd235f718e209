"""Spark fails on the rows: our error says of what, what Spark said, and what to do."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

import everview as ev
from everview.errors import ComputationFailed, SchemaMismatch
from everview.facts.checks import GROUP_BELOW_ZERO
from everview.spark.errors import said_by_spark
from tests.api.bags import assert_exact, bag, frame, refused
from tests.api.tampering import tamper_rows

CAST = "SELECT id, CAST(s AS INT) AS i FROM t"
SHARE = "SELECT s, 100 / sum(n) AS share FROM t GROUP BY s"
OOPS = "CAST(concat('oops', id) AS INT)"
ONE = "SELECT id, (SELECT max(s) FROM t) AS most, (SELECT u.id FROM u) AS one FROM t"


@pytest.fixture
def t(wh: ev.Warehouse) -> ev.Table:
    rows = frame(wh.spark, "id BIGINT, s STRING, n INT", (1, "10", 5), (2, "20", 5))
    return wh.create_table("t", rows)


@pytest.mark.parametrize("policy", ["AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL"])
def test_a_value_that_cannot_be_cast(wh: ev.Warehouse, t: ev.Table, policy: str) -> None:
    view = wh.create_materialized_view("v", CAST, policy=policy)
    before, history = bag(view.to_df()), view.history()
    wh.sql("INSERT INTO t VALUES (3, 'oops', 1)")
    said = ("EV-5003", "refresh of v, step ", "`v` cannot be computed", "'oops'", "try_cast")
    with refused(ComputationFailed, *said, "Nothing was published.") as caught:
        view.refresh()
    assert isinstance(caught.value.__cause__, PySparkException)
    assert "SQLSTATE" not in str(caught.value)
    assert "ansi" not in str(caught.value)
    with refused(ComputationFailed, "`v` cannot be computed", "line 1, column 27", "try_cast"):
        wh.sql("REFRESH MATERIALIZED VIEW v")
    assert (bag(view.to_df()), view.history()) == (before, history)
    wh.sql("DELETE FROM t WHERE id = 3")
    view.refresh()
    assert_exact(wh, "v", CAST)


def test_a_view_that_fails_when_it_is_built_is_not_there(wh: ev.Warehouse, t: ev.Table) -> None:
    wh.sql("UPDATE t SET s = 'oops' WHERE id = 1")
    with refused(ComputationFailed, "first build of v, step ", "`v`", "'oops'", "try_cast"):
        wh.create_materialized_view("v", CAST)
    assert wh.views() == []
    wh.create_materialized_view("v", CAST.replace("CAST", "try_cast"))
    assert wh.views() == ["v"]


def test_a_division_by_zero_and_a_second_row(wh: ev.Warehouse, t: ev.Table) -> None:
    share = wh.create_materialized_view("share", SHARE, policy="INCREMENTAL")
    wh.create_table("u", frame(wh.spark, "id BIGINT", (1,)))
    one = wh.create_materialized_view("one", ONE)
    wh.sql("UPDATE t SET n = 0 WHERE id = 2")
    with refused(ComputationFailed, "`share`", "Division by zero", "try_divide", "nullif"):
        share.refresh()
    wh.sql("INSERT INTO u VALUES (2)")
    with refused(ComputationFailed, "`one`", "more than one row", "LIMIT 1"):
        one.refresh()


def test_a_statement_that_fails_writes_nothing(wh: ev.Warehouse, t: ev.Table) -> None:
    before, version = bag(t.to_df()), t.version
    with refused(ComputationFailed, "UPDATE on `t`", "'oops'", "try_cast", "Nothing was written."):
        t.update({"n": "CAST('oops' AS INT) + id"})
    with refused(ComputationFailed, "line 1", "UPDATE on `t`", "zero", "Nothing was written."):
        wh.sql("UPDATE t SET n = n div (id - 2)")
    with refused(ComputationFailed, "INSERT on `t`", "'oops"):
        t.append(
            wh.spark.sql(
                "SELECT 3L AS id, 'a' AS s, CAST(concat('oops', id) AS INT) AS n FROM range(2)"
            )
        )
    with refused(SchemaMismatch, "does not fit the column n INT"):
        wh.sql("INSERT INTO t SELECT 3, 'a', 99999999999")
    assert (bag(t.to_df()), t.version) == (before, version)


def test_a_verification_that_fails_says_so(wh: ev.Warehouse, t: ev.Table) -> None:
    view = wh.create_materialized_view("v", CAST)
    assert tamper_rows(t.path, lambda rows: [{**r, "s": "oops"} for r in rows], "**/*.parquet")
    with refused(ComputationFailed, "verification of v", "`v`", "'oops'", "Nothing was changed."):
        view.verify()


class Wrapped(Exception):
    """What comes from the JVM without fields: the text of all causes, the plan among them."""

    java_exception = "org.apache.spark.SparkException"


def test_what_spark_said_without_fields() -> None:
    raised = GROUP_BELOW_ZERO.raised
    plan = f"Project [CASE WHEN (n < 0) THEN raise_error(USER_RAISED_EXCEPTION, {raised}) END]"
    told = Wrapped(
        f"o1.parquet.\n: SparkException: {plan}\nCaused by: [DIVIDE_BY_ZERO] Zero. SQLSTATE: 1"
    )
    assert (said_by_spark(told).condition, said_by_spark(told).check) == ("DIVIDE_BY_ZERO", None)
    ours = f"Caused by: [USER_RAISED_EXCEPTION] {raised} SQLSTATE: P0001"
    told = Wrapped(f"o1.parquet.\n: [TASK_WRITE_FAILED] Task failed.\n{ours}\n\tat x.y(z.java:1)")
    assert said_by_spark(told).check is GROUP_BELOW_ZERO
    assert said_by_spark(Wrapped("no such plan\n at z")).line == "no such plan"
