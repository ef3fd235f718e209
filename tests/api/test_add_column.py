"""ALTER TABLE ADD COLUMN: rows that are there have NULL in it, and views go on."""

from __future__ import annotations

from pathlib import Path

import pytest

import everview as ev
from everview.errors import (
    EverviewError,
    InvalidArgument,
    InvalidName,
    ReadOnlyTable,
    SchemaMismatch,
    UnsupportedType,
)
from tests.api.bags import assert_exact, bag, frame, refused
from tests.api.meanwhile import write_once_at
from tests.api.shop import BY_CITY, LARGE, add_sales

WIDER = "id BIGINT, city STRING, amount BIGINT, note STRING"


def test_rows_before_it_have_null_in_a_new_column(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.sql("ALTER TABLE sales ADD COLUMN note STRING COMMENT 'what was said'")
    sales.append(frame(wh.spark, WIDER, (6, "Oslo", 60, "hi")))
    rows = [(1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30), (4, "Rome", 30), (5, None, 50)]
    expected = [*((*r, None) for r in rows), (6, "Oslo", 60, "hi")]
    assert bag(sales.to_df()) == bag(expected)
    described = {r.col_name: r for r in wh.sql("DESCRIBE sales").collect()}
    assert (described["note"].data_type, described["note"].comment) == ("string", "what was said")
    assert sales.to_df(version=1).columns == ["id", "city", "amount"]
    wh.sql("UPDATE sales SET note = 'x' WHERE id = 1")
    wh.sql("DELETE FROM sales WHERE note IS NULL AND id > 2")
    expected = [(1, "Bern", 10, "x"), (2, "Bern", 20, None), (6, "Oslo", 60, "hi")]
    assert bag(sales.to_df()) == bag(expected)
    sales.compact()
    assert bag(sales.to_df()) == bag(expected)
    assert "ADD COLUMNS" in [h["operation"] for h in sales.history()]
    with refused(SchemaMismatch, "note missing"):
        add_sales(sales, (7, "Bern", 70))


def test_views_go_on_across_a_new_column(wh: ev.Warehouse, sales: ev.Table) -> None:
    views = {"by_city": BY_CITY, "large": LARGE}
    for name, sql in views.items():
        wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
    before = "SELECT id, city, amount FROM sales"
    copy = wh.create_materialized_view("copy", "SELECT * FROM sales", policy="INCREMENTAL STRICT")
    full = wh.create_materialized_view("whole", "SELECT * FROM sales", policy="FULL")
    add_sales(sales, (6, "Oslo", 60))
    sales.update({"amount": "amount + 1"}, "id = 1")
    assert sales.add_column("note", "STRING") == 5
    sales.append(frame(wh.spark, WIDER, (7, "Oslo", 70, "hi")))
    sales.update({"amount": "amount + 1"}, "id IN (2, 7)")
    sales.delete("id = 3")
    for name, sql in views.items():
        receipt = wh.view(name).refresh()
        assert receipt.strategy.startswith("incremental"), receipt.strategy
        assert_exact(wh, name, sql)
        assert wh.view(name).verify().ok
    assert copy.refresh().strategy.startswith("incremental")
    full.refresh()
    for name in ("copy", "whole"):  # they have the columns that there were when they were made
        assert_exact(wh, name, before)
        assert wh.view(name).verify().ok


def test_several_columns_of_a_partitioned_table_with_a_key(wh: ev.Warehouse) -> None:
    wh.sql("CREATE TABLE t (id INT PRIMARY KEY, day STRING) PARTITIONED BY (day)")
    wh.sql("INSERT INTO t VALUES (1, 'mo'), (2, 'tu')")
    wh.sql("ALTER TABLE t ADD COLUMNS (`a b` DECIMAL(10, 2), c ARRAY<INT>)")
    wh.sql("INSERT INTO t BY NAME SELECT array(1) AS c, 'mo' AS day, 3 AS id")
    wh.sql("INSERT INTO t VALUES (4, 'mo', 1.5, NULL)")
    expected = [(1, "mo", None, None), (2, "tu", None, None), (3, "mo", None, "[1]")]
    shown = wh.sql("SELECT id, day, CAST(`a b` AS DOUBLE), CAST(c AS STRING) FROM t")
    assert bag(shown) == bag([*expected, (4, "mo", 1.5, None)])
    assert all(wh.table("t").verify())


def test_columns_that_cannot_be_added(wh: ev.Warehouse, sales: ev.Table, tmp_path: Path) -> None:
    wh.attach("theirs", sales.path)
    bad: dict[str, type[EverviewError]] = {
        "ALTER TABLE sales ADD COLUMN CITY STRING": InvalidName,
        "ALTER TABLE sales ADD COLUMN __ev_x STRING": InvalidName,
        "ALTER TABLE sales ADD COLUMN a NOTHING": InvalidArgument,
        "ALTER TABLE sales ADD COLUMN a INTERVAL DAY TO SECOND": UnsupportedType,
        "ALTER TABLE sales ADD COLUMN a STRING COLLATE UTF8_LCASE": UnsupportedType,
        "ALTER TABLE theirs ADD COLUMN a STRING": ReadOnlyTable,
    }
    for text, kind in bad.items():
        with refused(kind):
            wh.sql(text)
    with refused(InvalidArgument, "NOT NULL"):
        sales.add_column("a", "INT NOT NULL")
    with refused(ReadOnlyTable):
        wh.table("theirs").add_column("a", "INT")
    assert sales.version == 2


@pytest.mark.parametrize("change", ["append", "add column"])
def test_a_new_column_meets_another_writer(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path, change: str
) -> None:
    other = ev.open(str(tmp_path / "shop"), spark=wh.spark).table("sales")
    if change == "append":  # an append whose table has other columns meanwhile is told so
        write_once_at(wh, "write: commit", lambda: other.add_column("note", "STRING"))
        with refused(EverviewError, "Run it again"):
            add_sales(sales, (6, "Oslo", 60))
    else:
        add_sales(other, (6, "Oslo", 60))
        assert sales.add_column("note", "STRING") == 4
    assert sales.to_df().columns[-1] == "note"
