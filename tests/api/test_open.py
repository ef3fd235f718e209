"""Opening, closing and opening a warehouse again."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession

import everview as ev
from everview.errors import InvalidArgument, NotAWarehouse, UnknownName, WarehouseClosed
from everview.spark.session_settings import changed_settings
from tests.api.bags import assert_exact, bag, refused
from tests.api.shop import BY_CITY, add_sales


def test_a_new_folder_becomes_an_empty_warehouse(wh: ev.Warehouse, tmp_path: Path) -> None:
    assert (wh.tables(), wh.views()) == ([], [])
    assert wh.refresh() == []
    assert wh.path.endswith(str(tmp_path / "shop"))
    assert "0 tables, 0 views" in repr(wh)


def test_an_empty_folder_becomes_a_warehouse(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "shop").mkdir()
    assert ev.open(str(tmp_path / "shop"), spark=spark_or_connect).tables() == []


def test_a_path_object_will_do(spark_or_connect: SparkSession, tmp_path: Path) -> None:
    assert ev.open(tmp_path / "shop", spark=spark_or_connect).tables() == []  # type: ignore[arg-type]


def test_everything_is_there_when_opened_again(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path
) -> None:
    wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    before = bag(sales.to_df())
    spark = wh.spark
    wh.close()
    with ev.open(str(tmp_path / "shop"), spark=spark) as again:
        assert again.tables() == ["sales"]
        assert again.views() == ["by_city"]
        assert bag(again.table("sales").to_df()) == before
        assert_exact(again, "by_city", BY_CITY)
        add_sales(again.table("sales"), (6, "Oslo", 60))
        assert again.view("by_city").refresh().strategy == "incremental: groups"
        assert_exact(again, "by_city", BY_CITY)


def test_the_running_session_is_used_when_none_is_given(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    with ev.open(str(tmp_path / "shop")) as wh:
        assert type(wh.spark) is type(spark_or_connect)
        wh.create_table("sales", "id BIGINT").append(spark_or_connect.range(3))
        assert bag(wh.sql("SELECT * FROM sales")) == bag([(0,), (1,), (2,)])


def test_a_second_warehouse_is_on_the_session_of_the_first(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Not on the one that the first has beside it, which is active after a write."""
    with ev.open(str(tmp_path / "one")) as one, changed_settings(spark, {"my.own": "here"}):
        one.create_table("t", "id INT").append(one.spark.range(3).selectExpr("CAST(id AS INT) id"))
        one.create_materialized_view("v", "SELECT id FROM t")
        one._world.engine.own.createDataFrame([], "id INT")
        with ev.open(str(tmp_path / "two")) as two:
            assert two.spark.conf.get("my.own", None) == "here"


def test_a_closed_warehouse_says_so(wh: ev.Warehouse, sales: ev.Table) -> None:
    spark = wh.spark
    wh.close()
    calls = (
        wh.tables,
        wh.views,
        wh.refresh,
        lambda: wh.spark,
        lambda: wh.sql("SELECT 1 AS one"),
        lambda: wh.table("sales"),
        lambda: wh.create_table("t", "id BIGINT"),
        lambda: wh.create_materialized_view("v", BY_CITY),
        lambda: sales.delete("id = 1"),
        lambda: sales.to_df(),
    )
    for call in calls:
        with refused(WarehouseClosed, "closed"):
            call()
    assert bag(spark.range(1)) == bag([(0,)]), "the session stays"
    wh.close()
    assert "closed" in repr(wh)


def test_a_context_manager_closes_after_an_error_too(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    with (
        pytest.raises(UnknownName),
        ev.open(str(tmp_path / "shop"), spark=spark_or_connect) as wh,
    ):
        wh.table("nothing")
    with pytest.raises(WarehouseClosed):
        wh.tables()


def test_a_folder_with_something_else_is_refused(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("a cat")
    with refused(NotAWarehouse, "photos"):
        ev.open(str(tmp_path / "photos"), spark=spark_or_connect)
    assert [p.name for p in (tmp_path / "photos").iterdir()] == ["cat.jpg"]


def test_the_folder_of_a_delta_table_is_refused(
    spark_or_connect: SparkSession, tmp_path: Path
) -> None:
    write_deltalake(tmp_path / "lake", spark_or_connect.range(2).toArrow())
    with refused(NotAWarehouse, "lake"):
        ev.open(str(tmp_path / "lake"), spark=spark_or_connect)


def test_a_file_is_refused(spark_or_connect: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes")
    with refused(NotAWarehouse, "notes.txt"):
        ev.open(str(tmp_path / "notes.txt"), spark=spark_or_connect)
    assert (tmp_path / "notes.txt").read_text() == "notes"


@pytest.mark.parametrize("path", ["", None, 7])
def test_a_path_must_be_a_path(spark_or_connect: SparkSession, path: object) -> None:
    with refused(InvalidArgument):
        ev.open(path, spark=spark_or_connect)  # type: ignore[arg-type]


def test_unknown_names_are_said_with_the_known_ones(wh: ev.Warehouse, sales: ev.Table) -> None:
    with refused(UnknownName, "`orders`", "sales"):
        wh.table("orders")
    with refused(UnknownName, "`sales`"):
        wh.view("sales")
    with refused(UnknownName, "`orders`"):
        wh.refresh("orders")
    assert wh.table("SALES").name == "sales", "names are one name whatever their case"
