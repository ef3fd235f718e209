"""UPDATE: what becomes of the rows of touched files."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.apply.lines import ACTION, MINUS, PART, PLUS, ROWS, UPDATE_NEW, UPDATE_OLD
from everview.facts.schema import Schema
from everview.sql.names import quoted
from everview.sql.write.changing import MATCHED, new_name


def updated_lines(matched: DataFrame, schema: Schema) -> DataFrame:
    """Of a matched row its new form, and old and new as changes; of the others themselves."""
    touched = F.col(MATCHED)
    parts = F.when(touched, F.array(*map(F.lit, (ROWS, MINUS, PLUS))))
    each = matched.withColumn(PART, F.explode(parts.otherwise(F.array(F.lit(ROWS)))))
    is_new = touched & (F.col(PART) != MINUS)
    action = F.when(F.col(PART) == PLUS, F.lit(UPDATE_NEW)).when(
        F.col(PART) == MINUS, F.lit(UPDATE_OLD)
    )
    columns = [
        F.when(is_new, F.col(new_name(i))).otherwise(F.col(quoted(n))).alias(n)
        for i, n in enumerate(schema.names)
    ]
    return each.select(PART, action.alias(ACTION), *columns)
