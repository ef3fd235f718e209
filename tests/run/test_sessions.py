"""Both kinds of Spark session compute, write and read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_rows_survive_parquet(spark_or_connect: SparkSession, tmp_path: Path) -> None:
    rows = spark_or_connect.sql(
        "SELECT id, id % 3 AS k, CAST(id AS DECIMAL(20, 4)) AS d FROM range(100)"
    )
    rows.write.parquet(str(tmp_path / "rows"))

    read = spark_or_connect.read.schema(rows.schema).parquet(str(tmp_path / "rows"))

    counts = {
        row.k: row.n for row in read.groupBy("k").agg({"d": "count"}).toDF("k", "n").collect()
    }
    assert counts == {0: 34, 1: 33, 2: 33}


def test_the_session_is_of_its_kind(spark_or_connect: SparkSession) -> None:
    kind = type(spark_or_connect).__module__
    assert kind in {"pyspark.sql.session", "pyspark.sql.connect.session"}
    assert spark_or_connect.conf.get("spark.sql.shuffle.partitions") == "2"
