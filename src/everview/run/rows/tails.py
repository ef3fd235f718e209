"""What a reader sees of a stored view: its rows with the tail applied."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from everview.facts.schema import Schema
from everview.facts.tables import Snapshot
from everview.facts.views import HIDDEN, OrderKey, Tail
from everview.run.rows.read import snapshot_frame, stored_column
from everview.sql.names import quoted
from everview.sql.write.comparable import comparable_text


def shown_frame(spark: SparkSession, snapshot: Snapshot, tail: Tail | None) -> DataFrame:
    """The rows of a snapshot that a reader sees: all of them, or of a view with a tail its public
    columns in the order of the tail, cut.
    """
    rows = snapshot_frame(spark, snapshot)
    if tail is None:
        return rows
    public = Schema(tuple(f for f in snapshot.schema.fields if f.name != HIDDEN))
    read = dict.fromkeys((*public.names, *(k.column for k in tail.order)))
    flat = rows.selectExpr(*map(stored_column, read))
    return cut(flat, tail, public).select(*map(quoted, public.names))


def cut(flat: DataFrame, tail: Tail, public: Schema) -> DataFrame:
    """The rows that the tail shows of flat ones.

    Among ties the public columns decide: each read of one version shows the same rows, so that a
    view above can be compared with its recomputation.
    """
    ties = [F.expr(comparable_text(quoted(f.name), f.type)) for f in public.fields]
    rows = flat.orderBy(*map(sorting, tail.order), *ties)
    if tail.offset:
        rows = rows.offset(tail.offset)
    return rows if tail.limit is None else rows.limit(tail.limit)


def sorting(key: OrderKey) -> Column:
    column = F.col(quoted(key.column))
    if key.descending:
        return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()
