"""Rows as counted bags, rows from Python tuples, and errors with all their parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import everview as ev

Bag = Counter[tuple[Any, ...]]


def bag(rows: DataFrame | Sequence[tuple[Any, ...]]) -> Bag:
    """Each distinct row with its number of copies."""
    found = rows.collect() if isinstance(rows, DataFrame) else rows
    return Counter(tuple(row) for row in found)


def frame(spark: SparkSession, columns: str, *rows: tuple[Any, ...]) -> DataFrame:
    """A small DataFrame: columns as DDL text, rows as tuples."""
    named = [c.split(maxsplit=1) for c in re.split(r",(?![^(<]*[)>])\s*", columns)]
    inner = ", ".join(f"c{i}" for i, _ in enumerate(named))
    casts = ", ".join(f"CAST(c{i} AS {t}) AS `{n}`" for i, (n, t) in enumerate(named))
    lines = [f"({', '.join(map(_literal, row))})" for row in rows]
    empty = f"({', '.join('NULL' for _ in named)})"
    text = f"SELECT {casts} FROM VALUES {', '.join(lines or [empty])} AS given({inner})"
    return spark.sql(text if rows else f"{text} WHERE FALSE")


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value)


def assert_exact(wh: ev.Warehouse, name: str, sql: str) -> None:
    """The stored view is what Spark computes from its text now, as counted bags."""
    assert bag(wh.view(name).to_df()) == bag(wh.sql(sql))


@contextmanager
def refused(kind: type[ev.EverviewError], *words: str) -> Iterator[Any]:
    """The block raises this kind of error, which has a code, says what, and what to do instead."""
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert re.fullmatch(r"EV-\d{4}", error.code)
    assert error.what
    assert error.remedy, f"no remedy: {error}"
    for word in words:
        assert word in str(error), f"{word!r} is not in: {error}"
