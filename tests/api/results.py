"""What a statement gave back."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

CHANGES = ["version", "rows_inserted", "rows_updated", "rows_deleted"]


def rows(frame: DataFrame | None) -> list[tuple[Any, ...]]:
    assert frame is not None
    return [tuple(row) for row in frame.collect()]


def text(frame: DataFrame) -> str:
    ((said,),) = rows(frame)
    return str(said)
