"""A statement with a token is applied once, however often it is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import everview as ev
from tests.api.bags import bag, frame
from tests.api.shop import BY_CITY, SALES, add_sales

Statement = Callable[[ev.Table, str], int]


def merge(table: ev.Table, token: str) -> int:
    rows = frame(table._warehouse.spark, SALES, (1, "Oslo", 11), (6, "Oslo", 60))
    return table.merge(rows, on="id", token=token)


def overwrite(table: ev.Table, token: str) -> int:
    rows = frame(table._warehouse.spark, SALES, (6, "Oslo", 60))
    return table.overwrite(rows, token=token)


STATEMENTS: dict[str, Statement] = {
    "append": lambda table, token: add_sales(table, (6, "Oslo", 60), token=token),
    "overwrite": overwrite,
    "delete": lambda table, token: table.delete("id <= 2", token=token),
    "update": lambda table, token: table.update({"amount": "amount + 1"}, token=token),
    "merge": merge,
    "delete nothing": lambda table, token: table.delete("id = 99", token=token),
    "update nothing": lambda table, token: table.update({"id": "1"}, "id = 99", token=token),
    "append nothing": lambda table, token: add_sales(table, token=token),
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_rerun_is_applied_once(sales: ev.Table, tmp_path: Path, statement: str) -> None:
    run = STATEMENTS[statement]
    version = run(sales, "load 1/2026")
    assert version == sales.version == 3
    add_sales(sales, (2, "Bern", 20), (99, "Bern", 99))
    after = bag(sales.to_df())
    assert run(sales, "load 1/2026") == version
    with ev.open(str(tmp_path / "shop"), spark=sales._warehouse.spark) as again:
        assert run(again.table("sales"), "load 1/2026") == version
    assert (sales.version, bag(sales.to_df())) == (4, after)


def test_another_token_is_another_statement(sales: ev.Table) -> None:
    for token in ("a", "b", "A", "a", "b"):
        add_sales(sales, (6, "Oslo", 60), token=token)
    assert bag(sales.to_df())[6, "Oslo", 60] == 3


def test_a_token_belongs_to_its_table(wh: ev.Warehouse, sales: ev.Table) -> None:
    other = wh.create_table("other", SALES)
    add_sales(sales, (6, "Oslo", 60), token="a")
    add_sales(other, (6, "Oslo", 60), token="a")
    assert bag(other.to_df()) == bag([(6, "Oslo", 60)])


def test_views_see_a_rerun_as_nothing(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    add_sales(sales, (6, "Oslo", 60), token="a")
    assert view.refresh().rows_inserted == 1
    add_sales(sales, (6, "Oslo", 60), token="a")
    assert view.refresh().strategy.startswith("skipped")
    sales.delete("id = 99", token="b")
    assert view.refresh().strategy.startswith("skipped"), "an empty commit changes no row"
