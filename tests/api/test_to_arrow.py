"""Rows as Arrow tables: those that Spark gives, and without Spark where they are few."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pyarrow as pa
import pytest

import everview as ev
from everview.run.driver import way
from everview.spark import engine

EVERY = """
    SELECT id, id > 1 AS b, CAST(id AS TINYINT) AS i1, CAST(id AS SMALLINT) AS i2, INT(id) AS i4,
      CAST(1.5 * id AS FLOAT) AS f, CAST(id / 3 AS DOUBLE) AS d, CAST(id AS DECIMAL(30, 2)) AS dec,
      CAST(id AS STRING) AS s, CAST('x' AS BINARY) AS bin, DATE '1200-02-03' AS day,
      TIMESTAMP '0001-01-02 03:04:05.123456' AS at, TIMESTAMP_NTZ '9999-12-31 23:59:59' AS ntz,
      CAST(NULL AS STRING) AS nothing
    FROM range(5)
"""


def _bag(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))


def _same(handle: ev.Table | ev.View, version: int | None = None) -> None:
    own, sparks = handle.to_arrow(version), handle.to_df(version).toArrow()
    assert own.schema.equals(sparks.schema, check_metadata=True)
    assert _bag(own) == _bag(sparks)


def test_rows_and_types_are_those_of_spark(
    wh: ev.Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = wh.create_table("every", wh.spark.sql(EVERY))
    top = wh.create_materialized_view("top", "SELECT id FROM every ORDER BY id DESC LIMIT 2")
    nested = wh.create_materialized_view("nested", "SELECT id, array(id) AS a FROM every")
    strict = wh.create_table("strict", "id BIGINT NOT NULL, p STRING")
    filled = wh.create_table("filled", "id BIGINT NOT NULL")
    wh.sql("INSERT INTO filled VALUES (1)")
    parted = wh.create_table("parted", wh.spark.sql(EVERY), partition_by="s")
    table.add_column("later", "BIGINT")
    table.append(wh.spark.sql(EVERY).selectExpr("*", "id AS later"))
    view = wh.create_materialized_view(
        "doubled",
        "SELECT id, s, at, count(*) AS n, sum(dec) AS total FROM every GROUP BY id, s, at",
        policy="INCREMENTAL",
    )
    monkeypatch.setattr(way, "MOST_REWRITTEN", 0)
    table.delete("id = 3")
    view.refresh()
    assert view.readers.marked_rows > 0
    for handle in (table, view, top, nested, strict, filled, parted):
        _same(handle)
    _same(table, 1)
    assert [r["id"] for r in top.to_arrow().to_pylist()] == [4, 3]
    assert list(table.to_pandas().columns) == table.columns
    with pytest.raises(ev.errors.InvalidArgument):
        table.to_arrow(-1)

    def refuse(*_: object) -> None:
        raise AssertionError("Spark is asked")

    monkeypatch.setattr(engine.Engine, "caller", property(refuse))
    monkeypatch.setattr(engine.Engine, "own", property(refuse))
    assert len(table.to_arrow()) == 8
    assert len(view.to_pandas()) == 4
    assert strict.to_arrow().num_rows == 0


def test_no_session_is_started(sales: ev.Table, wh: ev.Warehouse) -> None:
    text = f"""
import sys
import everview as ev
with ev.open({wh.path!r}) as wh:
    assert wh.table("sales").to_arrow().num_rows == 5
    assert len(wh.table("sales").to_pandas(1)) == 4
assert "pyspark" not in sys.modules, "pyspark is loaded"
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
