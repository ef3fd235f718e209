"""Whether rows may be marked: said of a table, a view or the warehouse, and obeyed by refreshes."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

import everview as ev
from everview.facts.files import DataFile
from everview.facts.readers import Readers
from everview.facts.receipts import Receipt
from everview.lake.delta.table import EmbeddedTable
from everview.lake.port import LakeTable
from everview.run.driver import way
from everview.settings import Settings
from everview.views.world import receipts_of
from tests.lake.test_delta_readers import forget_tombstones

BY_CITY = "SELECT city, sum(amount) AS total FROM sales GROUP BY city"
LARGE = "SELECT id, city FROM sales WHERE amount >= 20"


@pytest.fixture
def large_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stored file counts as a large one."""
    monkeypatch.setattr(way, "MOST_REWRITTEN", 0)


def _marked_rows(view: ev.View) -> int:
    table = view._world.open(view._entry)
    files = table.snapshot(table.head().version).files
    return sum(len(f.deleted) for f in files if isinstance(f, DataFile))


def _way(receipt: Receipt) -> tuple[str, str]:
    assert receipt.replaced is not None
    return receipt.replaced.way, receipt.replaced.reason


@pytest.mark.usefixtures("large_files")
def test_a_refresh_obeys_and_says_how(
    wh: ev.Warehouse, sales: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    rows = wh.create_materialized_view("large", LARGE, "INCREMENTAL", merge_on_read="never")
    sales.update({"amount": "amount + 1"}, "id = 1")
    sales.delete("id = 2")
    receipt = view.refresh()
    assert _way(receipt)[0] == "marked"
    assert _marked_rows(view) == 1
    assert "rows marked" in str(receipt)
    assert receipt.to_dict()["replaced"]["way"] == "marked"
    stored = Receipt.from_dict(receipts_of(view._world.open(view._entry), 1)[0])
    assert stored.replaced == receipt.replaced

    assert _way(rows.refresh()) == ("rewritten by the driver", "merge_on_read = never")
    assert _marked_rows(rows) == 0

    wh.sql("ALTER MATERIALIZED VIEW by_city SET TBLPROPERTIES ('merge_on_read' = 'never')")
    monkeypatch.setattr(way, "MOST_REWRITTEN_UNMARKED", 0)
    sales.update({"amount": "amount + 1"}, "id IN (1, 3)")
    sales.delete("id = 4")
    assert view.explain().replacing is not None
    assert "files rewritten by Spark" in str(view.explain())
    for one in (view, rows):
        how, why = _way(one.refresh())
        assert how == "rewritten by Spark"
        assert why.startswith("merge_on_read = never, and")
        assert one.verify().outcome == "exact"
        assert _marked_rows(one) == 0


def test_it_is_said_in_sql_and_shown(wh: ev.Warehouse) -> None:
    wh.run_script("""
        CREATE TABLE t (a BIGINT) TBLPROPERTIES ('merge_on_read' = 'never');
        CREATE TABLE u (a BIGINT);
        CREATE MATERIALIZED VIEW v TBLPROPERTIES ('merge_on_read' = 'auto') AS SELECT a FROM t;
    """)
    assert _described(wh, "t") == "never"
    assert _described(wh, "u") == "auto (setting)"
    assert _described(wh, "v") == "auto"
    made = wh.sql("SHOW CREATE MATERIALIZED VIEW v").collect()[0][0]
    wh.sql("ALTER MATERIALIZED VIEW v SET TBLPROPERTIES ('merge_on_read' = 'never')")
    assert _described(wh, "v") == "never"
    wh.sql(made.replace("CREATE", "CREATE OR REPLACE", 1))
    assert _described(wh, "v") == "auto"
    wh.view("v").set_merge_on_read("never")
    wh.create_materialized_view("v", "SELECT a + 1 AS a FROM t", replace=True)
    assert _described(wh, "v") == "never"
    assert wh.view("v").refresh().way.is_skipped  # a property is no change by another writer
    assert "'merge_on_read' = 'never'" in wh.sql("SHOW CREATE TABLE t").collect()[0][0]
    with pytest.raises(ev.errors.InvalidArgument, match="EV-1005"):
        wh.table("u").set_merge_on_read("always")
    with pytest.raises(ev.errors.InvalidArgument, match="EV-1005"):
        wh.create_table("w", "a INT", merge_on_read="always")
    wh.attach("other", wh.table("u").path.replace("tables", "./tables"))
    with pytest.raises(ev.errors.ReadOnlyTable):
        wh.table("other").set_merge_on_read("never")


def _described(wh: ev.Warehouse, name: str) -> str:
    return _detail(wh, name, "Merge on read")


def _detail(wh: ev.Warehouse, name: str, detail: str) -> str:
    rows = wh.sql(f"DESCRIBE EXTENDED {name}").collect()
    return str(next(row[1] for row in rows if row[0] == detail))


@pytest.mark.usefixtures("large_files")
def test_the_setting_holds_for_what_does_not_say(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    settings = Settings(merge_on_read="never")
    with ev.open(str(tmp_path / "shop"), spark=spark_or_connect, settings=settings) as wh:
        sales = wh.create_table("sales", "id BIGINT, city STRING, amount BIGINT")
        wh.sql("INSERT INTO sales VALUES (1, 'Bern', 1), (2, 'Rome', 2)")
        view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
        sales.delete("id = 1")
        assert _way(view.refresh()) == (
            "rewritten by the driver",
            "merge_on_read = never (setting)",
        )
        view.set_merge_on_read("auto")
        sales.update({"amount": "3"}, "id = 2")
        assert _way(view.refresh())[0] == "marked"


@pytest.mark.usefixtures("large_files")
def test_optimize_brings_a_view_back_to_every_reader(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    above = wh.create_materialized_view("above", "SELECT total FROM by_city", "INCREMENTAL")
    assert view.status().to_dict()["readable_by"] == "readable by everything"
    sales.delete("id = 1")
    wh.refresh()
    assert view.readers == Readers(("deletionVectors",), 1)
    assert "has deletion vectors: readers must know" in str(view.status())
    assert view.status().to_dict()["readers"]["marked_rows"] == 1
    before = sorted(map(tuple, view.to_df().collect()), key=str)
    for _ in range(2):
        wh.sql("OPTIMIZE by_city")
        assert view.readers == Readers(("deletionVectors",), 0)
    assert _detail(wh, "by_city", "Readers").startswith("had deletion vectors")

    wh.refresh()
    table = view._world.open(view._entry)
    forget_history(table)
    assert view.compact() == table.head().version
    assert view.readers.is_everything
    assert DeltaTable(view.path).to_pyarrow_table().num_rows == len(before)
    assert sorted(map(tuple, view.to_df().collect()), key=str) == before
    sales.append(
        wh.spark.createDataFrame([(9, "Oslo", 1)], "id BIGINT, city STRING, amount BIGINT")
    )
    assert [r.is_full for r in wh.refresh()] == [False, False]
    assert above.verify().outcome == "exact"


def forget_history(table: LakeTable) -> None:
    """What retention does in time: old commits and tombstones are gone."""
    assert isinstance(table, EmbeddedTable)
    head = table.head().version
    table.checkpoint()
    for version in range(head):
        (Path(table.uri) / f"_delta_log/{version:020d}.json").unlink()
    forget_tombstones(table)
