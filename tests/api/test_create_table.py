"""Creating tables from schemas and rows, and every argument that does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from deltalake import DeltaTable
from pyspark.sql.types import LongType, StringType, StructField, StructType

import everview as ev
from everview.errors import InvalidArgument, InvalidName, NameTaken, UnsupportedType
from tests.api.bags import bag, frame, refused

TYPES = """
    SELECT true AS bool, 1Y AS tiny, 2S AS small, 3 AS int, 4L AS big, 1.5F AS float,
        2.5D AS double,
        12345678901234567890123456789012345678BD AS wide, 1.25BD AS narrow, 'text' AS text,
        X'00FF' AS bytes, DATE'1582-10-15' AS day, TIMESTAMP'2026-01-02 03:04:05.678901' AS at,
        TIMESTAMP_NTZ'0001-01-01 00:00:00' AS local, array(1, NULL) AS list, map('a', 1) AS pairs,
        named_struct('x', 1, 'inner', array('y')) AS nested, CAST(NULL AS STRING) AS nothing
"""


def test_from_ddl_text(wh: ev.Warehouse) -> None:
    table = wh.create_table("sales", "id BIGINT NOT NULL, city STRING, price DECIMAL(10,2)")
    assert (table.name, table.version, wh.tables()) == ("sales", 0, ["sales"])
    assert table.to_df().dtypes == [
        ("id", "bigint"),
        ("city", "string"),
        ("price", "decimal(10,2)"),
    ]
    assert bag(table.to_df()) == bag([])


def test_from_a_struct_type(wh: ev.Warehouse) -> None:
    schema = StructType([StructField("id", LongType(), False), StructField("Name", StringType())])
    assert wh.create_table("t", schema).to_df().columns == ["id", "Name"]


def test_from_a_frame_with_its_rows(wh: ev.Warehouse) -> None:
    rows = frame(wh.spark, "id BIGINT, city STRING", (1, "Bern"), (1, "Bern"), (2, None))
    assert bag(wh.create_table("t", rows).to_df()) == bag([(1, "Bern"), (1, "Bern"), (2, None)])


def test_every_type_that_delta_has_comes_back_as_it_was(wh: ev.Warehouse) -> None:
    given = wh.spark.sql(TYPES)
    table = wh.create_table("t", given)
    assert table.to_df().dtypes == given.dtypes
    assert table.to_df().toArrow().to_pylist() == given.toArrow().to_pylist()
    view = wh.create_materialized_view("v", "SELECT * FROM t", policy="INCREMENTAL")
    assert view.to_df().dtypes == given.dtypes
    table.append(given)
    table.delete("small = 2 AND bool")
    table.append(given)
    assert view.refresh().strategy == "incremental: rows"
    assert view.to_df().toArrow().to_pylist() == given.toArrow().to_pylist()


def test_partitioned(wh: ev.Warehouse) -> None:
    odd = ["a/b=c", " ", "100%", "%41", "ä", "", None]
    rows = frame(wh.spark, "id BIGINT, city STRING", *enumerate(odd))
    table = wh.create_table("t", rows, partition_by="city")
    assert DeltaTable(table.path).metadata().partition_columns == ["city"]
    expected = bag([(i, city or None) for i, city in enumerate(odd)])
    assert bag(table.to_df()) == expected, "as in every Delta table, '' is NULL there"
    table.update({"city": "'Bern'"}, "city = '%41' OR city IS NULL")
    table.delete("city = 'a/b=c'")
    left = [(1, " "), (2, "100%"), (3, "Bern"), (4, "ä"), (5, "Bern"), (6, "Bern")]
    assert bag(table.to_df()) == bag(left)


def test_declared_keys_are_recorded(wh: ev.Warehouse) -> None:
    wh.create_table("stores", "id BIGINT, chain STRING", primary_key=["id", "chain"])
    sales = wh.create_table(
        "sales",
        "id BIGINT, store BIGINT, chain STRING",
        primary_key="id",
        foreign_keys={("store", "chain"): ("stores.id", "stores.chain")},
    )
    declared = json.loads(DeltaTable(sales.path).metadata().configuration["everview.table"])
    assert declared["primary_key"] == ["id"]
    assert declared["foreign_keys"] == [[["store", "chain"], "stores", ["id", "chain"]]]


COLUMNS = "id BIGINT, city STRING"

Create = Callable[[ev.Warehouse], object]

BAD: dict[str, tuple[type[ev.EverviewError], Create]] = {
    "name with a dash": (InvalidName, lambda wh: wh.create_table("my-table", COLUMNS)),
    "name with a dot": (InvalidName, lambda wh: wh.create_table("db.t", COLUMNS)),
    "empty name": (InvalidName, lambda wh: wh.create_table("", COLUMNS)),
    "reserved name": (InvalidName, lambda wh: wh.create_table("__ev_t", COLUMNS)),
    "name is no text": (InvalidName, lambda wh: wh.create_table(7, COLUMNS)),  # type: ignore[arg-type]
    "name taken": (NameTaken, lambda wh: wh.create_table("taken", COLUMNS)),
    "name taken in other case": (NameTaken, lambda wh: wh.create_table("TAKEN", COLUMNS)),
    "no columns": (InvalidArgument, lambda wh: wh.create_table("t", StructType([]))),
    "empty text": (InvalidArgument, lambda wh: wh.create_table("t", "")),
    "no schema": (InvalidArgument, lambda wh: wh.create_table("t", None)),  # type: ignore[arg-type]
    "a list": (InvalidArgument, lambda wh: wh.create_table("t", ["id"])),  # type: ignore[arg-type]
    "bad DDL": (InvalidArgument, lambda wh: wh.create_table("t", "id BIGNT")),
    "column twice": (InvalidName, lambda wh: wh.create_table("t", "id BIGINT, ID STRING")),
    "reserved column": (InvalidName, lambda wh: wh.create_table("t", "__ev_id BIGINT")),
    "interval": (
        UnsupportedType,
        lambda wh: wh.create_table("t", "id BIGINT, length INTERVAL DAY TO SECOND"),
    ),
    "variant": (UnsupportedType, lambda wh: wh.create_table("t", "id BIGINT, v VARIANT")),
    "void": (UnsupportedType, lambda wh: wh.create_table("t", wh.spark.sql("SELECT NULL AS x"))),
    "unknown primary key": (
        InvalidArgument,
        lambda wh: wh.create_table("t", COLUMNS, primary_key="nothing"),
    ),
    "unknown partition column": (
        InvalidArgument,
        lambda wh: wh.create_table("t", COLUMNS, partition_by=["nothing"]),
    ),
    "partition by all columns": (
        InvalidArgument,
        lambda wh: wh.create_table("t", COLUMNS, partition_by=["id", "city"]),
    ),
    "partition by a double": (
        InvalidArgument,
        lambda wh: wh.create_table("t", "id BIGINT, x DOUBLE", partition_by="x"),
    ),
    "unknown foreign key column": (
        InvalidArgument,
        lambda wh: wh.create_table("t", COLUMNS, foreign_keys={"nothing": "taken.id"}),
    ),
    "foreign key to a table alone": (
        InvalidArgument,
        lambda wh: wh.create_table("t", COLUMNS, foreign_keys={"id": "taken"}),
    ),
    "foreign key of other width": (
        InvalidArgument,
        lambda wh: wh.create_table("t", COLUMNS, foreign_keys={("id", "city"): "taken.id"}),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_arguments_that_do_not_fit(wh: ev.Warehouse, case: str) -> None:
    wh.create_table("taken", "id BIGINT")
    kind, create = BAD[case]
    with refused(kind):
        create(wh)
    assert wh.tables() == ["taken"]


def test_names_in_other_case_are_found(wh: ev.Warehouse) -> None:
    table = wh.create_table("t", "Id BIGINT, City STRING", primary_key="id", partition_by="CITY")
    assert DeltaTable(table.path).metadata().partition_columns == ["City"]


def test_rows_that_fail_leave_no_table(wh: ev.Warehouse) -> None:
    failing = wh.spark.sql("SELECT id, raise_error(concat('no ', id)) AS x FROM range(1)")
    with pytest.raises(Exception, match="no 0"):
        wh.create_table("t", failing.selectExpr("id", "CAST(x AS STRING) AS x"))
    assert wh.tables() == []
    assert wh.create_table("t", COLUMNS).version == 0
