"""What a test says of a view: it is maintained by what changed, and stays equal to its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pyspark.sql import SparkSession

import everview
from everview.errors import InvalidArgument, NotIncremental
from everview.testing.temporary import GivenRows, temporary_warehouse

Change = str | Callable[[everview.Warehouse], object]
"""A change of the tables: SQL statements, or a function that is given the warehouse."""

_VIEW = "view_under_test"


def assert_incremental(
    sql: str,
    tables: Mapping[str, GivenRows],
    changes: Sequence[Change],
    spark: SparkSession | None = None,
) -> list[everview.Receipt]:
    """A view with this text over these tables is kept by what changed, and is exact after each
    change; gives the receipts of its refreshes.

    Each table is a DataFrame, or its columns as DDL text with a list of tuples. Each change is
    one or more SQL statements, or a function that is given the warehouse. AssertionError, with the
    reason and its place in the text, if the view can only be recomputed; if a refresh recomputes
    it; if its rows are not those of a recomputation; or if no change reaches the view, because
    such a test would prove nothing.
    """
    if isinstance(changes, str) or not changes:
        raise InvalidArgument(
            "There is no list of changes to refresh after.",
            remedy='For example changes=["INSERT INTO sales VALUES (3, 10)"].',
        )
    with temporary_warehouse(tables, spark) as warehouse:
        try:
            view = warehouse.create_materialized_view(_VIEW, sql, policy="INCREMENTAL")
        except NotIncremental as error:
            raise AssertionError(f"the view is not incremental\n{error}") from error
        receipts = [_after(warehouse, view, change) for change in changes]
    assert any(r.changed for r in receipts), (
        "no change reached the view, so nothing was tested: its rows are the same after each of "
        f"{len(receipts)} changes"
    )
    return receipts


def assert_refresh_exact(view: everview.View) -> everview.Receipt:
    """A refresh of the view leaves rows that its text gives, as far as they can be compared; gives
    the receipt. One that depends on the clock cannot be.
    """
    receipt = view.refresh()
    verification = view.verify()
    assert verification.outcome in ("exact", "consistent"), str(verification)
    return receipt


def _after(warehouse: everview.Warehouse, view: everview.View, change: Change) -> everview.Receipt:
    """Make a change, refresh the view by it, and compare the view with its recomputation."""
    if isinstance(change, str):
        warehouse.run_script(change)
    else:
        change(warehouse)
    receipt = assert_refresh_exact(view)
    assert not receipt.is_full, f"the refresh was full after {change}\n{receipt}"
    return receipt
