"""Rows that the driver fetched, at hand for the queries of a refresh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import DataFrame

from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.run.rows.read import spark_schema
from everview.spark.engine import Engine


@dataclass(frozen=True)
class Fetched:
    """Few rows of a source, under the names that the schema gives their columns."""

    schema: Schema
    table: pa.Table
    engine: Engine
    files: tuple[DataFile, ...] = ()  # they are stored nowhere
    is_small: bool = True

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def frame(self) -> DataFrame:
        """The rows in Spark, as a local relation."""
        return self.engine.own.createDataFrame(self.table, spark_schema(self.schema))
