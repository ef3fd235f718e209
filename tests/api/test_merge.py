"""Merging rows: matched keys are updated, the rest inserted."""

from __future__ import annotations

import pytest

import everview as ev
from everview.errors import AmbiguousMerge, EverviewError, InvalidArgument, SchemaMismatch
from tests.api.bags import bag, frame, refused
from tests.api.shop import SALES, add_sales


def test_matched_rows_are_updated_and_the_rest_inserted(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    new = frame(spark, SALES, (2, "Oslo", 21), (5, "Oslo", None), (6, None, 60))
    assert sales.merge(new, on="id") == sales.version == 3
    expected = [
        (1, "Bern", 10),
        (2, "Oslo", 21),
        (3, "Rome", 30),
        (4, "Rome", 30),
        (5, "Oslo", None),
        (6, None, 60),
    ]
    assert bag(sales.to_df()) == bag(expected)
    assert sales.history()[0]["rows"] == {"insert": 1, "update": 2, "delete": 0}


def test_a_null_key_matches_null(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    sales.merge(frame(spark, "city STRING, amount BIGINT", (None, 5), ("Rome", 3)), on="city")
    expected = [(1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 3), (4, "Rome", 3), (5, None, 5)]
    assert bag(sales.to_df()) == bag(expected), "and all rows of a key are updated"


def test_columns_not_given_stay_or_are_null(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    sales.merge(frame(spark, "amount INT, ID INT", (11, 1), (70, 7)), on=["id"])
    left = bag(sales.to_df().where("id IN (1, 7)"))
    assert left == bag([(1, "Bern", 11), (7, None, 70)])


def test_a_key_of_several_columns(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    new = frame(spark, SALES, (1, "Bern", 11), (1, "Rome", 12), (5, None, 51))
    sales.merge(new, on=("id", "city"))
    changed = bag(sales.to_df().where("id IN (1, 5)"))
    assert changed == bag([(1, "Bern", 11), (1, "Rome", 12), (5, None, 51)])


def test_into_an_empty_and_into_a_partitioned_table(wh: ev.Warehouse) -> None:
    table = wh.create_table("t", SALES, partition_by="city")
    table.merge(frame(wh.spark, SALES, (1, "Bern", 10), (2, "Rome", 20)), on="id")
    table.merge(frame(wh.spark, SALES, (2, "Bern", 21), (3, None, 30)), on="id")
    assert bag(table.to_df()) == bag([(1, "Bern", 10), (2, "Bern", 21), (3, None, 30)])


def test_merging_what_was_read_from_the_table(sales: ev.Table) -> None:
    sales.merge(sales.to_df().selectExpr("id", "amount + 1 AS amount"), on="id")
    expected = [(1, "Bern", 11), (2, "Bern", 21), (3, "Rome", 31), (4, "Rome", 31), (5, None, 51)]
    assert bag(sales.to_df()) == bag(expected)


@pytest.mark.parametrize("key", [7, None])
def test_two_rows_for_one_key_are_refused(sales: ev.Table, key: int | None) -> None:
    spark = sales._warehouse.spark
    with refused(AmbiguousMerge, f"id = {key!r}"):
        sales.merge(frame(spark, SALES, (1, "a", 1), (key, "a", 1), (key, "b", 2)), on="id")
    assert sales.version == 2


@pytest.mark.parametrize(
    ("columns", "on", "kind"),
    [
        ("id BIGINT, amount BIGINT", "city", InvalidArgument),
        ("id BIGINT, amount BIGINT", "nothing", InvalidArgument),
        ("id BIGINT, amount BIGINT", [], InvalidArgument),
        ("id BIGINT, amount BIGINT", None, InvalidArgument),
        ("id BIGINT, extra BIGINT", "id", SchemaMismatch),
        ("id STRING, amount BIGINT", "id", SchemaMismatch),
        ("id BIGINT, amount DOUBLE", "id", SchemaMismatch),
    ],
)
def test_arguments_that_do_not_fit(
    wh: ev.Warehouse, columns: str, on: object, kind: type[EverviewError]
) -> None:
    table = wh.create_table("sales", SALES)
    with refused(kind):
        table.merge(frame(wh.spark, columns, (1, 1)), on=on)  # type: ignore[arg-type]
    assert table.version == 0


def test_a_view_follows_a_merge(wh: ev.Warehouse, sales: ev.Table) -> None:
    sql = "SELECT id, city, amount FROM sales WHERE amount > 15"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    sales.merge(frame(wh.spark, SALES, (1, "Bern", 16), (2, "Bern", 1), (9, "Oslo", 90)), on="id")
    add_sales(sales, (9, "Oslo", 90))
    receipt = view.refresh()
    assert (receipt.rows_inserted, receipt.rows_updated, receipt.rows_deleted) == (3, 0, 1)
    assert bag(view.to_df()) == bag(wh.sql(sql))
