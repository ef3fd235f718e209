"""A warehouse that lasts as long as a test."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import everview
from everview.errors import InvalidArgument

GivenRows = DataFrame | tuple[str, Sequence[Sequence[Any]]]
"""The rows of a table: a DataFrame, or the columns as DDL text and tuples of Python values."""


@contextlib.contextmanager
def temporary_warehouse(
    tables: Mapping[str, GivenRows] | None = None, spark: SparkSession | None = None
) -> Iterator[everview.Warehouse]:
    """An empty warehouse in a temporary folder, or one with these tables; it is removed at the end.

    Without `spark` the running session is used, or one is started on this machine.
    """
    with (
        tempfile.TemporaryDirectory(prefix="everview-") as folder,
        everview.open(folder, spark=spark) as warehouse,
    ):
        for name, rows in (tables or {}).items():
            warehouse.create_table(name, _frame(warehouse.spark, name, rows))
        yield warehouse


def _frame(spark: SparkSession, name: str, rows: Any) -> Any:
    if not isinstance(rows, tuple):
        return rows
    if len(rows) != 2 or not isinstance(rows[0], str):
        raise InvalidArgument(
            f"The rows of `{name}` are neither a frame nor columns and tuples.",
            remedy='For example ("id BIGINT, city STRING", [(1, "Oslo")]).',
        )
    columns, values = rows
    return spark.createDataFrame([tuple(row) for row in values], columns)
