"""Results of one step at hand for the next: staged as Parquet, fetched by the driver when small."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from everview.choose.cost import FEW_CHANGES
from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.lake.footers import read_written
from everview.lake.storage import Storage, decoded, spark_path
from everview.run.driver.arrow_types import arrow_type
from everview.run.driver.stored_files import COMPRESSION
from everview.run.rows.read import empty_frame, schema_of, spark_schema
from everview.spark.engine import Actions, Engine

STAGING_FOLDER = "_everview/staging"
MOST_FETCHED_BYTES = 32_000_000
MOST_LOCAL_ROWS = 20_000  # a local relation travels with every task


@dataclass(frozen=True)
class Staged:
    """Staged rows: their files with bounds, and their frame."""

    storage: Storage
    schema: Schema
    files: tuple[DataFile, ...]
    engine: Engine

    @property
    def rows(self) -> int:
        return sum(f.rows or 0 for f in self.files)

    @property
    def is_small(self) -> bool:
        few = self.rows <= FEW_CHANGES
        return few and sum(f.size for f in self.files) <= MOST_FETCHED_BYTES

    @cached_property
    def table(self) -> pa.Table:
        """The rows on the driver; only asked of small ones."""
        if not self.files:
            return _no_rows(self.schema)
        tables = []
        for file in self.files:
            with self.storage.open(decoded(file.path)) as stream:
                tables.append(pq.read_table(stream))
        return pa.concat_tables(tables)

    @cached_property
    def frame(self) -> DataFrame:
        """The rows in Spark: a local relation when few, else the staged files."""
        spark = self.engine.own
        if not self.files:
            return empty_frame(spark, self.schema)
        if self.is_small and self.rows <= MOST_LOCAL_ROWS:
            return spark.createDataFrame(self.table, spark_schema(self.schema))
        paths = [spark_path(self.storage.uri, f.path) for f in self.files]
        return spark.read.schema(spark_schema(self.schema)).parquet(*paths)

    def most(self, column: str) -> Any:
        """The largest value of a column, None if there is none or it is not known."""
        highs = [f.bounds_of(column).high for f in self.files]
        return max((h for h in highs if h is not None), default=None)

    def least(self, column: str) -> Any:
        lows = [f.bounds_of(column).low for f in self.files]
        return min((low for low in lows if low is not None), default=None)

    def columns(self, names: list[str]) -> list[tuple[Any, ...]] | None:
        """Rows of these columns as Python values; None if one is a value that Python lacks: a day
        before the year 1, say.
        """
        if not self.files:
            return []
        try:
            return list(zip(*(self.table.column(n).to_pylist() for n in names), strict=True))
        except (ValueError, OverflowError):
            return None


def _no_rows(schema: Schema) -> pa.Table:
    """These columns; of what type nothing is does not matter where Arrow has no such type."""
    types = [(f.name, arrow_type(f.parsed) or pa.null()) for f in schema.fields]
    return pa.schema(types).empty_table()


class Staging:
    """The staging folder of one refresh; removed at its end whatever happens."""

    def __init__(self, engine: Engine, warehouse: Storage, token: str) -> None:
        self._engine = engine
        self._storage = warehouse
        self._folder = f"{STAGING_FOLDER}/{token}"

    def of(self, token: str) -> Staging:
        """A staging folder of another name, in the same warehouse."""
        return Staging(self._engine, self._storage, token)

    def stage(self, frame: DataFrame, step: str, actions: Actions, name: str = "") -> Staged:
        """Run the frame once and keep its rows; under a name where a step stages several."""
        folder = f"{self._folder}/{name or step}"
        target = spark_path(self._storage.uri, folder)
        actions.submit(step, lambda: frame.write.option("compression", COMPRESSION).parquet(target))
        schema = schema_of(frame)
        files = actions.timed(step, lambda: read_written(self._storage, folder, schema, ()))
        return Staged(self._storage, schema, tuple(f for f in files if f.rows), self._engine)

    def nothing(self) -> Staged:
        """No rows, as if they were staged."""
        return Staged(self._storage, Schema(()), (), self._engine)

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self._storage.delete_folder(self._folder)
