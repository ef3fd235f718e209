"""Rows that are values, as Spark takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from everview.facts.files import InlineFile
from everview.facts.schema import Schema
from everview.run.driver.arrow_types import arrow_schema


def inline_rows(files: Sequence[InlineFile], schema: Schema) -> Any:
    """The rows of the files to make a DataFrame of: an Arrow table where Arrow has all types,
    because Python's days and moments go through Java's, which have another calendar before 1582.
    """
    rows = list(_rows(files, schema.names))
    types = arrow_schema(schema)
    if types is None or not len(types):
        return rows
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, types, strict=True)]
    return pa.table(arrays, names=types.names)


def _rows(files: Sequence[InlineFile], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for file in files:
        place = {name: i for i, name in enumerate(file.columns)}
        for values in file.values:
            yield tuple(values[place[n]] if n in place else None for n in names)
