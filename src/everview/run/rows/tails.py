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
    columns of those that are shown, in the order of the tail, cut.
    """
    rows = snapshot_frame(spark, snapshot)
    if tail is None:
        return rows
    public = Schema(tuple(f for f in snapshot.schema.fields if f.name != HIDDEN))
    flag = (tail.shown,) if tail.shown else ()
    read = dict.fromkeys((*public.names, *(k.column for k in tail.order), *flag))
    flat = rows.selectExpr(*map(stored_column, read))
    return cut(flat, tail, public).select(*map(quoted, public.names))


def cut(flat: DataFrame, tail: Tail, public: Schema) -> DataFrame:
    """The rows that the tail shows of flat ones.

    Among ties the public columns decide: each read of one version shows the same rows, so that a
    view above can be compared with its recomputation.
    """
    flat = only_shown(flat, tail)
    if not tail.order and not tail.cuts:
        return flat
    ties = [F.expr(comparable_text(quoted(f.name), f.type)) for f in public.fields]
    rows = flat.orderBy(*map(sorting, tail.order), *ties)
    if tail.offset:
        rows = rows.offset(tail.offset)
    return rows if tail.limit is None else rows.limit(tail.limit)


def only_shown(flat: DataFrame, tail: Tail | None) -> DataFrame:
    """The flat rows of a view without those that no reader sees."""
    return flat.filter(F.col(quoted(tail.shown))) if tail is not None and tail.shown else flat


def shown_column(tail: Tail | None) -> Column:
    """Whether a reader sees a row as it is stored, before the tail counts rows."""
    if tail is None or not tail.shown:
        return F.lit(True)
    return F.expr(stored_column(tail.shown).split(" AS ")[0])


def sorting(key: OrderKey) -> Column:
    column = F.col(quoted(key.column))
    if key.descending:
        return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()
