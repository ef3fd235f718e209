"""Appending, overwriting, deleting and updating rows."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from deltalake import write_deltalake

import everview as ev
from everview.errors import (
    ConstraintViolated,
    CopiedTable,
    EverviewError,
    InvalidArgument,
    ReadOnlyTable,
    SchemaMismatch,
)
from tests.api.bags import bag, frame, refused
from tests.api.shop import SALES, add_sales


def test_append_adds_copies(sales: ev.Table) -> None:
    before = bag(sales.to_df())
    version = add_sales(sales, (1, "Bern", 10), (1, "Bern", 10))
    assert version == sales.version == 3
    assert bag(sales.to_df()) - before == bag([(1, "Bern", 10), (1, "Bern", 10)])


def test_append_goes_by_name_and_widens(wh: ev.Warehouse) -> None:
    table = wh.create_table(
        "t", "big BIGINT, price DECIMAL(20,4), x DOUBLE, exact DECIMAL(12,0), note STRING"
    )
    given = "NOTE VARCHAR(9), X FLOAT, price DECIMAL(10,2), exact INT, big SMALLINT"
    table.append(frame(wh.spark, given, ("n", 0.5, 1.25, 7, 3)))
    table.append(wh.spark.sql("SELECT 1Y AS big, 2BD AS price, 3S AS x, 4Y AS exact, NULL AS note"))
    expected = [
        (3, Decimal("1.2500"), 0.5, Decimal(7), "n"),
        (1, Decimal("2.0000"), 3.0, Decimal(4), None),
    ]
    assert bag(table.to_df()) == bag(expected)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("id BIGINT, city STRING", "amount missing"),
        ("id BIGINT, city STRING, amount BIGINT, extra INT", "extra unknown"),
        ("id BIGINT, city STRING, amounts BIGINT", "amount missing; amounts unknown"),
        ("id BIGINT, city STRING, amount DECIMAL(20,0)", "`amount` is decimal(20,0)"),
        ("id BIGINT, city STRING, amount DOUBLE", "`amount` is double"),
        ("id STRING, city STRING, amount BIGINT", "`id` is string"),
        ("id BIGINT, city BIGINT, amount BIGINT", "`city` is long"),
    ],
)
def test_rows_that_do_not_fit_are_refused(sales: ev.Table, columns: str, said: str) -> None:
    given = frame(sales._warehouse.spark, columns, tuple(1 for _ in columns.split(", ")))
    for write in (sales.append, sales.overwrite):
        with refused(SchemaMismatch, said):
            write(given)
    assert sales.version == 2


def test_a_column_given_twice_is_refused(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    with refused(SchemaMismatch, "amount"):
        sales.append(spark.sql("SELECT 1L AS id, 'a' AS city, 1L AS amount, 2L AS AMOUNT"))


def test_overwrite_replaces_all_rows(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    sales.overwrite(sales.to_df().where("city = 'Rome'"))
    assert bag(sales.to_df()) == bag([(3, "Rome", 30), (4, "Rome", 30)])
    sales.overwrite(frame(spark, SALES))
    assert bag(sales.to_df()) == bag([])
    assert bag(sales.to_df(version=2)).total() == 5


def test_appending_a_table_to_itself_doubles_it(sales: ev.Table) -> None:
    before = bag(sales.to_df())
    sales.append(sales.to_df())
    assert bag(sales.to_df()) == before + before


def test_delete_takes_the_rows_for_which_the_condition_is_true(sales: ev.Table) -> None:
    sales.delete("city = 'Bern'")
    left = bag([(3, "Rome", 30), (4, "Rome", 30), (5, None, 50)])
    assert bag(sales.to_df()) == left, "NULL = 'Bern' is not true"
    sales.delete("NOT (city = 'Bern') AND id % 2 = 0")
    assert bag(sales.to_df()) == bag([(3, "Rome", 30), (5, None, 50)])
    sales.delete("city IS NULL OR length(city) > (1 + 1)")
    assert bag(sales.to_df()) == bag([])
    assert sales.delete("TRUE") == sales.version, "deleting from an empty table"


def test_a_statement_that_matches_nothing_commits_nothing(sales: ev.Table) -> None:
    spark = sales._warehouse.spark
    assert sales.delete("id = 99") == 2
    assert sales.delete("city = NULL") == 2
    assert sales.update({"amount": "0"}, "id = 99") == 2
    assert sales.merge(frame(spark, SALES), on="id") == 2
    assert sales.version == 2


def test_update_sees_the_old_values(wh: ev.Warehouse) -> None:
    table = wh.create_table("t", "a INT, b INT, `c d` STRING")
    table.append(
        wh.spark.sql("SELECT * FROM VALUES (1, 2, 'x'), (3, NULL, NULL) AS t(a, b, `c d`)")
    )
    table.update({"a": "b", "b": "a", "c d": "upper(`c d`)"})
    assert bag(table.to_df()) == bag([(2, 1, "X"), (None, 3, None)])


def test_update_touches_only_rows_for_which_the_condition_is_true(sales: ev.Table) -> None:
    sales.update({"amount": "amount * 2 + length(city)", "city": "NULL"}, "city <> 'Rome'")
    expected = [(1, None, 24), (2, None, 44), (3, "Rome", 30), (4, "Rome", 30), (5, None, 50)]
    assert bag(sales.to_df()) == bag(expected)
    sales.update({"AMOUNT": "id"}, where="id >= 4")
    assert bag(sales.to_df().where("id >= 4")) == bag([(4, "Rome", 4), (5, None, 5)])


def test_a_value_that_does_not_fit_fails_the_whole_update(sales: ev.Table) -> None:
    before = bag(sales.to_df())
    for value in ("'many'", "id * 9223372036854775807"):
        with pytest.raises(Exception, match=r"CAST_INVALID_INPUT|OVERFLOW|EV-"):
            sales.update({"amount": value})
    assert sales.version == 2
    assert bag(sales.to_df()) == before


Write = Callable[[ev.Table], object]

BAD: dict[str, tuple[type[EverviewError], Write]] = {
    "append a list": (InvalidArgument, lambda t: t.append([(1, "a", 1)])),  # type: ignore[arg-type]
    "overwrite with text": (InvalidArgument, lambda t: t.overwrite("rows")),  # type: ignore[arg-type]
    "merge a list": (InvalidArgument, lambda t: t.merge([(1,)], on="id")),  # type: ignore[arg-type]
    "no condition": (InvalidArgument, lambda t: t.delete(None)),  # type: ignore[arg-type]
    "an empty condition": (EverviewError, lambda t: t.delete("")),
    "a condition Spark cannot parse": (EverviewError, lambda t: t.delete("id = = 1")),
    "a condition on an unknown column": (EverviewError, lambda t: t.delete("nothing = 1")),
    "a condition that is no condition": (EverviewError, lambda t: t.delete("id + 1")),
    "a condition with an aggregate": (EverviewError, lambda t: t.delete("count(*) > 1")),
    "nothing to set": (InvalidArgument, lambda t: t.update({})),
    "set an unknown column": (InvalidArgument, lambda t: t.update({"nothing": "1"})),
    "set by an unknown column": (EverviewError, lambda t: t.update({"amount": "nothing"})),
    "set what Spark cannot parse": (EverviewError, lambda t: t.update({"amount": "1 +"})),
    "set a number, not text": (InvalidArgument, lambda t: t.update({"amount": 5})),  # type: ignore[dict-item]
    "set by an aggregate": (EverviewError, lambda t: t.update({"amount": "max(amount)"})),
    "a condition of update that fails": (EverviewError, lambda t: t.update({"id": "1"}, "x > 1")),
    "an empty token": (InvalidArgument, lambda t: t.delete("TRUE", token="")),
    "a version not yet there": (EverviewError, lambda t: t.to_df(version=99)),
    "a negative version": (EverviewError, lambda t: t.to_df(version=-1)),
    "a negative retention": (EverviewError, lambda t: t.vacuum(-1)),
}


@pytest.mark.parametrize("case", BAD)
def test_arguments_that_do_not_fit(wh: ev.Warehouse, case: str) -> None:
    table = wh.create_table("sales", SALES)
    add_sales(table, (1, "Bern", 10))
    kind, write = BAD[case]
    with refused(kind):
        write(table)
    assert table.version == 1


def test_not_null_is_kept_by_every_statement(wh: ev.Warehouse) -> None:
    columns = "id BIGINT, city STRING"
    table = wh.create_table("t", "id BIGINT NOT NULL, city STRING NOT NULL", partition_by="city")
    table.append(frame(wh.spark, columns, (1, "Bern")))
    statements: tuple[Callable[[], object], ...] = (
        lambda: table.append(frame(wh.spark, columns, (None, "Bern"), (2, "Bern"))),
        lambda: table.append(frame(wh.spark, columns, (2, None))),
        lambda: table.overwrite(frame(wh.spark, columns, (None, "Bern"))),
        lambda: table.update({"id": "NULL"}),
        lambda: table.update({"city": "NULL"}),
        lambda: table.merge(frame(wh.spark, "id BIGINT", (2,)), on="id"),
    )
    for statement in statements:
        with refused(ConstraintViolated, "NOT NULL"):
            statement()
    assert bag(table.to_df()) == bag([(1, "Bern")])
    assert table.version == 1


def test_an_attached_table_is_only_read(wh: ev.Warehouse, sales: ev.Table, tmp_path: Path) -> None:
    path = str(tmp_path / "foreign")
    write_deltalake(path, sales.to_df().toArrow())
    table = wh.attach("foreign", path)
    assert bag(table.to_df()) == bag(sales.to_df())
    rows = table.to_df()
    statements: tuple[Callable[[], object], ...] = (
        lambda: table.append(rows),
        lambda: table.overwrite(rows),
        lambda: table.delete("TRUE"),
        lambda: table.update({"id": "1"}),
        lambda: table.merge(rows, on="id"),
        table.compact,
        table.vacuum,
    )
    for statement in statements:
        with refused(ReadOnlyTable, "foreign"):
            statement()
    shutil.copytree(path, tmp_path / "copy")
    with refused(CopiedTable):
        wh.attach("copy", str(tmp_path / "copy"))
    table.drop()
    assert wh.tables() == ["sales"]
    assert (tmp_path / "foreign" / "_delta_log").exists()
