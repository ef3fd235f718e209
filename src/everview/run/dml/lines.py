"""What becomes of the rows of touched files under UPDATE and MERGE: lines to be written."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.apply.lines import ACTION, DELETE, MINUS, PART, PLUS, ROWS, UPDATE_NEW, UPDATE_OLD
from everview.facts.schema import Schema
from everview.sql.names import quoted
from everview.sql.write.changing import new_name


def changed_lines(
    rows: DataFrame, schema: Schema, updated: Column, deleted: Column | None = None
) -> DataFrame:
    """Of an updated row its new form, and old and new as changes; of a deleted one its change; of
    the others themselves.

    A row whose conditions are NULL is one of the others.
    """
    deleted = F.lit(False) if deleted is None else deleted
    parts = (
        F.when(updated, F.array(*map(F.lit, (ROWS, MINUS, PLUS))))
        .when(deleted, F.array(F.lit(MINUS)))
        .otherwise(F.array(F.lit(ROWS)))
    )
    each = rows.withColumn(PART, F.explode(parts))
    is_new = updated & (F.col(PART) != MINUS)
    action = (
        F.when(deleted, F.lit(DELETE))
        .when(updated & (F.col(PART) == PLUS), F.lit(UPDATE_NEW))
        .when(updated & (F.col(PART) == MINUS), F.lit(UPDATE_OLD))
    )
    columns = [
        F.when(is_new, F.col(new_name(i))).otherwise(F.col(quoted(n))).alias(n)
        for i, n in enumerate(schema.names)
    ]
    return each.select(PART, action.alias(ACTION), *columns)
