"""Every check of a refresh, provoked: it fails the refresh, or is answered in full by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.aggregates import functions
from everview.choose import changes, choose
from everview.choose.cost import Cost
from everview.errors import ComputationFailed, InvariantViolated
from everview.facts.checks import (
    AVERAGE_TOO_LARGE,
    CHANGE_UNKNOWN,
    CHECKS,
    COPIES_MISSING,
    FILE_UNKNOWN,
    GROUP_BELOW_ZERO,
    ROW_BELOW_ZERO,
    ROWS_MISCOUNTED,
    SUM_OVERFLOWED,
    WEIGHT_TOO_LARGE,
    Check,
)
from everview.facts.files import ChangeFile, DataFile, Sign
from everview.facts.schema import Field, Schema
from everview.facts.tables import TableChanges
from everview.run.rows.read import changes_frame
from everview.spark.errors import said_by_spark
from everview.sql.write import grouping as write_grouping
from tests.api.bags import assert_exact, bag, refused
from tests.api.shop import BY_CITY, LARGE, add_sales
from tests.api.tampering import tamper, tamper_rows

SIZES = "SELECT city, count(*) AS n FROM sales GROUP BY city"
TWICE = f"SELECT n, count(*) AS cities FROM ({SIZES}) GROUP BY n"
AVERAGE = "SELECT city, avg(CAST(amount AS DECIMAL(10, 2))) AS mean FROM sales GROUP BY city"
POLICIES = ("AUTO", "INCREMENTAL", "INCREMENTAL STRICT")


def _fewer_counted(view: ev.View, sales: ev.Table) -> None:
    tamper(view, _with_counts(0))
    sales.delete("city = 'Bern'")


def _with_counts(count: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A stored group with other numbers of rows, wherever it keeps them."""

    def changed(row: dict[str, Any]) -> dict[str, Any]:
        hidden = {k: count if k.startswith("count") else v for k, v in (row["__ev"] or {}).items()}
        return {**row, "n": count, "__ev": hidden}

    return changed


def _inserted_nowhere(view: ev.View, sales: ev.Table) -> None:
    sales.update({"amount": "amount + 1"}, "city = 'Bern'")
    found = tamper_rows(
        sales.path,
        lambda rows: [{**r, "city": "Oslo"} for r in rows],
        "**/part=plus/*.parquet",
    )
    assert found


def _other_rows(view: ev.View, sales: ev.Table) -> None:
    tamper(view, lambda row: {**row, "amount": row["amount"] + 1})
    sales.delete("city = 'Rome'")


def _a_row_lost(view: ev.View, sales: ev.Table) -> None:
    assert tamper_rows(view.path, lambda rows: [r for r in rows if r["city"]], "**/*.parquet")
    sales.delete("id = 1")


VIOLATED: dict[Check, tuple[str, Callable[[ev.View, ev.Table], None]]] = {
    GROUP_BELOW_ZERO: (BY_CITY, _fewer_counted),
    ROW_BELOW_ZERO: (TWICE, _inserted_nowhere),
    COPIES_MISSING: (LARGE, _other_rows),
    ROWS_MISCOUNTED: (BY_CITY, _a_row_lost),
}


@pytest.mark.parametrize("check", VIOLATED, ids=lambda c: c.name)
def test_what_must_not_be_fails_the_refresh_whatever_the_policy(
    wh: ev.Warehouse, sales: ev.Table, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of a large table the rows before the changes are those after them without the changes.
    monkeypatch.setattr(changes, "MOST_READ_AGAIN", 0)
    monkeypatch.setattr(choose, "_full_cost", lambda facts: Cost(10**12, 10**12, 1, ()))
    sql, provoke = VIOLATED[check]
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL")
    provoke(view, sales)
    before, commits = bag(view.to_df()), len(view.history())
    for policy in POLICIES:
        view.set_policy(policy)
        with refused(InvariantViolated, "EV-5002", check.found, "v", "full=True"):
            view.refresh()
        assert len(view.history()) == commits
        assert bag(view.to_df()) == before
    assert view.refresh(full=True).strategy == "full"
    assert_exact(wh, "v", sql)
    assert view.verify().ok


def _no_weight(view: ev.View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_grouping, "_MOST_WEIGHT", 0)


def _no_average(view: ev.View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "MOST_AVERAGED", 0)


def _no_sum(view: ev.View, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(row: dict[str, Any]) -> dict[str, Any]:
        hidden = {k: None if "sum" in k and k.endswith("s") else v for k, v in row["__ev"].items()}
        return {**row, "total": None, "__ev": hidden}

    tamper(view, changed)


LIMITS: dict[Check, tuple[str, Callable[[ev.View, pytest.MonkeyPatch], None]]] = {
    WEIGHT_TOO_LARGE: (BY_CITY, _no_weight),
    AVERAGE_TOO_LARGE: (AVERAGE, _no_average),
    SUM_OVERFLOWED: (BY_CITY, _no_sum),
}


@pytest.mark.parametrize("check", LIMITS, ids=lambda c: c.name)
def test_where_exact_arithmetic_ends_the_view_is_recomputed_with_the_reason(
    wh: ev.Warehouse,
    sales: ev.Table,
    tmp_path: Path,
    check: Check,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sql, limit = LIMITS[check]
    limit(wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT"), monkeypatch)
    add_sales(sales, (6, "Bern", 60))
    again = ev.open(str(tmp_path / "shop"), spark=wh.spark)  # nothing is kept of the definition
    view = again.view("v")
    with refused(ComputationFailed, "EV-5003", check.found, "`v`", "full=True"):
        view.refresh()
    view.set_policy("INCREMENTAL")
    receipt = view.refresh()
    assert receipt.strategy == "full"
    assert check.found in receipt.reason
    assert_exact(wh, "v", sql)


def test_a_change_of_an_unknown_kind_is_not_counted(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"id": [1], "_change_type": ["upsert"]}), tmp_path / "f.parquet")
    file = ChangeFile(DataFile("f.parquet", 1, 1), Sign.FEED)
    given = TableChanges("t", str(tmp_path), 1, 2, Schema((Field("id", "long"),)), (file,))
    with pytest.raises(Exception, match="USER_RAISED") as caught:
        changes_frame(spark_or_connect, given, ()).collect()
    assert said_by_spark(caught.value).check is CHANGE_UNKNOWN


def test_every_check_is_provoked_here() -> None:
    """A file unknown is provoked among the tests of deletion vectors."""
    assert {*VIOLATED, *LIMITS, CHANGE_UNKNOWN, FILE_UNKNOWN} == set(CHECKS)
    assert {c for c in CHECKS if c.answer == "fail"} == {*VIOLATED, FILE_UNKNOWN}
    assert len({c.name for c in CHECKS}) == len(CHECKS)
