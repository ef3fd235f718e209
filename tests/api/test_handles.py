"""What the handles of tables and views say of their columns and rows."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame

import everview as ev
from tests.api.shop import BY_CITY, add_sales

TOP = "SELECT city, amount FROM sales ORDER BY amount DESC, id LIMIT 2"


def test_columns_schema_and_rows(
    wh: ev.Warehouse, sales: ev.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY)
    assert view.columns == ["city", "n", "total"]
    assert view.schema == view.to_df().schema
    assert view.sql == BY_CITY
    assert len(view) == 3
    assert sales.columns == ["id", "city", "amount"]
    assert sales.schema == sales.to_df().schema
    assert len(sales) == 5
    add_sales(sales, (6, "Oslo", 60))
    assert (len(sales), len(view)) == (6, 3)
    view.show(1)
    shown = capsys.readouterr().out
    assert "only showing top 1 row" in shown
    sales.show()
    assert "Oslo" in capsys.readouterr().out


def test_len_is_what_a_reader_sees(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("top", TOP)
    assert len(view) == view.to_df().count() == 2
    assert view.columns == ["city", "amount"]


def test_a_handle_of_no_rows_is_there(wh: ev.Warehouse) -> None:
    table = wh.create_table("empty", "id BIGINT")
    assert len(table) == 0
    assert table


def test_no_job_is_needed(
    wh: ev.Warehouse, sales: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY)

    def refuse(*_: object) -> None:
        raise AssertionError("Spark was asked")

    for name in ("count", "collect", "toArrow"):
        monkeypatch.setattr(DataFrame, name, refuse)
    assert (view.columns, view.sql, len(view)) == (["city", "n", "total"], BY_CITY, 3)
    assert (sales.columns, len(sales)) == (["id", "city", "amount"], 5)
    assert view.schema.names == view.columns
