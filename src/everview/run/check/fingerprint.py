"""A fingerprint of rows, to compare two ways to one result."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.algebra.types import can_be_compared
from everview.facts.schema import Field, Schema
from everview.spark.engine import Actions
from everview.sql.names import quoted
from everview.sql.write.comparable import comparable_text


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The rows counted, and the sum of the hashes of their compared columns."""

    rows: int
    hashes: str


def fingerprint(frame: DataFrame, compared: Schema, step: str, actions: Actions) -> Fingerprint:
    row = actions.submit(step, frame.agg(*_expressions(compared)).collect)[0]
    return Fingerprint(row[0], str(row[1]))


def compared_columns(columns: Schema, loose: frozenset[str]) -> tuple[Schema, tuple[str, ...]]:
    """The columns whose values repeat, and the names of those left out."""
    kept = tuple(f for f in columns.fields if f.name not in loose and can_be_compared(f.parsed))
    return Schema(kept), tuple(f.name for f in columns.fields if f not in kept)


def _expressions(compared: Schema) -> list[Column]:
    parts: list[Column] = []
    for field in compared.fields:
        parts += [F.col(quoted(field.name)).isNull(), _hashable(field)]
    hashed = F.xxhash64(*parts) if parts else F.lit(0)
    return [F.count(F.lit(1)), F.sum(hashed.cast("decimal(20,0)"))]


def _hashable(field: Field) -> Column:
    """xxhash64 skips NULLs inside nested values and refuses maps: those are hashed as JSON."""
    form = F.expr(comparable_text(quoted(field.name), field.type))
    if not field.is_nested:
        return form
    return F.to_json(F.struct(form.alias("v")), {"ignoreNullFields": "false"})
