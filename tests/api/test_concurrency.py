"""Two warehouse objects on one folder: who loses a race says so, and nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import everview as ev
from everview.errors import (
    CommitConflict,
    EverviewError,
    InvalidArgument,
    NameTaken,
    UnknownName,
)
from everview.facts.refreshes import Wish
from everview.refresh import refresh_view
from tests.api.bags import assert_exact, bag, refused
from tests.api.meanwhile import write_once_at
from tests.api.shop import BY_CITY, LARGE, add_sales


@pytest.fixture
def other(wh: ev.Warehouse, tmp_path: Path) -> ev.Warehouse:
    """Somebody else in the same warehouse."""
    return ev.open(str(tmp_path / "shop"), spark=wh.spark)


def _refresh_to(wh: ev.Warehouse, version: int) -> None:
    """A refresh of by_city by somebody who saw this version of sales last."""
    entry = wh._world.entry("by_city")
    pins = {wh._world.open(wh._world.entry("sales")).head().id: version}
    refresh_view(wh._world, entry, wh._world.open(entry), pins, Wish())


def test_each_sees_what_the_other_did(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse
) -> None:
    assert other.tables() == ["sales"]
    other.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    assert wh.views() == ["by_city"]
    add_sales(sales, (6, "Oslo", 60))
    assert other.view("by_city").refresh().rows_inserted == 1
    assert wh.view("by_city").refresh().strategy.startswith("skipped")
    other.view("by_city").drop()
    with refused(UnknownName, "by_city"):
        wh.view("by_city")


@pytest.mark.parametrize(("name", "sql"), [("by_city", BY_CITY), ("large", LARGE)])
def test_a_refresh_that_loses_the_race_publishes_nothing_twice(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse, name: str, sql: str
) -> None:
    view = wh.create_materialized_view(name, sql, policy="INCREMENTAL")
    add_sales(sales, (6, "Oslo", 60), (7, "Bern", 70))
    sales.delete("id = 3")
    write_once_at(wh, "refresh: commit", lambda: other.view(name).refresh())
    receipt = view.refresh()
    assert receipt.strategy == "skipped: already done"
    assert receipt.reason == "another refresh of the view was first"
    assert receipt.watermark_after == {"sales": sales.version}
    assert_exact(wh, name, sql)
    assert view.verify().ok
    assert view.refresh().strategy.startswith("skipped")


def test_a_refresh_that_loses_to_one_that_went_less_far_is_run_again_if_wished(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse
) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    for retry in (0, 1):
        add_sales(sales, (6 + retry, "Oslo", 60))
        # The other one refreshes to the version before the one that this one was asked for.
        pinned = sales.version
        add_sales(sales, (10 + retry, "Bern", 5))
        write_once_at(wh, "refresh: commit", partial(_refresh_to, other, pinned))
        if retry:
            assert view.refresh(retry=retry).strategy == "incremental: groups"
        else:
            with refused(CommitConflict, "Run it again"):
                view.refresh()
    assert_exact(wh, "by_city", BY_CITY)
    assert view.verify().ok
    with refused(InvalidArgument, "-1 is not a number of tries"):
        wh.refresh(retry=-1)


def test_a_refresh_that_meets_a_compaction_is_right_afterwards(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse
) -> None:
    view = wh.create_materialized_view("large", LARGE, policy="INCREMENTAL")
    add_sales(sales, (6, "Oslo", 60))
    view.refresh()
    sales.delete("id = 3")
    write_once_at(wh, "refresh: commit", lambda: other.view("large").compact())
    try:
        view.refresh()
    except CommitConflict:
        assert view.refresh().strategy == "incremental: rows"
    assert_exact(wh, "large", LARGE)


def test_an_append_that_loses_the_race_goes_on_top(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse
) -> None:
    write_once_at(wh, "write: commit", lambda: add_sales(other.table("sales"), (7, "Bern", 70)))
    assert add_sales(sales, (6, "Oslo", 60), token="mine") == 4
    assert add_sales(sales, (6, "Oslo", 60), token="mine") == 4
    assert sorted(r.id for r in sales.to_df().collect()) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("statement", ["delete", "overwrite"])
def test_a_write_that_loses_the_race_says_so_and_can_be_run_again(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse, statement: str
) -> None:
    statements: dict[str, Callable[[], int]] = {
        "delete": lambda: sales.delete("id IN (1, 7)", token="mine"),
        "overwrite": lambda: sales.overwrite(sales.to_df().where("id > 1"), token="mine"),
    }
    write_once_at(wh, "write: commit", lambda: add_sales(other.table("sales"), (7, "Bern", 70)))
    with refused(CommitConflict, "Run it again"):
        statements[statement]()
    assert sales.version == 3
    statements[statement]()
    statements[statement]()
    assert sales.version == 4
    expected = {
        "delete": [2, 3, 4, 5],
        "overwrite": [2, 3, 4, 5, 7],
    }
    assert sorted(r.id for r in sales.to_df().collect()) == expected[statement]


def test_a_view_that_another_refresh_took_further_is_not_taken_back(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY)
    before = sales.version
    add_sales(sales, (6, "Oslo", 60))
    view.refresh()
    versions = len(view.history())
    _refresh_to(wh, before)
    assert len(view.history()) == versions
    assert view.status().exact_at == {"sales": sales.version}


def test_one_name_is_given_once(wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse) -> None:
    def take_the_name() -> None:
        other.create_materialized_view("v", BY_CITY)

    write_once_at(wh, "refresh: commit", take_the_name)
    with refused(NameTaken, "`v`"):
        wh.create_materialized_view("v", LARGE)
    assert_exact(wh, "v", BY_CITY)


def test_a_source_dropped_while_a_view_is_built_on_it(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse
) -> None:
    write_once_at(wh, "refresh: commit", lambda: other.table("sales").drop())
    with refused(EverviewError, "sales"):
        wh.create_materialized_view("v", BY_CITY)
    assert wh.views() == []


def test_threads_that_write_and_refresh_at_once(
    wh: ev.Warehouse, sales: ev.Table, other: ev.Warehouse
) -> None:
    wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")

    def again(work: Callable[[], object]) -> None:
        for _ in range(20):
            try:
                work()
            except CommitConflict:
                continue
            return
        raise AssertionError("twenty conflicts in a row")

    def write(table: ev.Table, first: int) -> None:
        for i in range(first, first + 3):
            again(lambda i=i: add_sales(table, (i, "Oslo", i), token=f"row {i}"))  # type: ignore[misc]

    with ThreadPoolExecutor(4) as pool:
        work = [
            pool.submit(write, sales, 10),
            pool.submit(write, other.table("sales"), 20),
            pool.submit(again, lambda: wh.view("by_city").refresh()),
            pool.submit(again, lambda: other.view("by_city").refresh()),
        ]
        for each in work:
            each.result()
    again(wh.refresh)
    assert bag(sales.to_df()).total() == 11
    assert_exact(wh, "by_city", BY_CITY)
    assert wh.view("by_city").verify().ok
