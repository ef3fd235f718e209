"""Replacing all stored rows of the touched keys in the files of a grouped view."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.apply.grouped import KEYS, RECOMPUTED, ApplyGrouped
from everview.apply.lines import ACTION, DELETE, INSERT, MINUS, PART, PLUS, ROWS
from everview.program.programs import PartitionsSteps
from everview.run.refresh.by_driver import Found, change_of_partitions, replace_by_driver
from everview.run.refresh.overwrite import clustered
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.touched import TouchedKeys, check_counts, stage_by_key
from everview.run.refresh.work import Work
from everview.run.rows.read import packed
from everview.run.rows.staging import Staged
from everview.run.rows.write import write_lines
from everview.spark.engine import EACH_FILE, SMALL, whole
from everview.sql.names import quoted
from everview.sql.write.door import local_names
from everview.sql.write.select import WEIGHT


def replace_partitions(work: Work, steps: PartitionsSteps) -> Replaced:
    """Find the touched keys, compute their rows, and put them in the place of the stored ones."""
    apply = steps.find.apply
    with work.during(steps.find.name):
        columns = apply.keys.columns
        touched = stage_by_key(work, steps.find.changes, columns, len(columns))
    if not touched.staged.rows:
        return Replaced()
    work = work.holding(KEYS, touched.staged).reading(touched.files)
    with work.during(steps.recompute.name):
        rows = recompute_rows(work, apply, is_small=touched.staged.is_small)
    work = work.holding(RECOMPUTED, rows)
    with work.during(steps.write.name):
        change = change_of_partitions(work, touched, rows)
        if isinstance(change, Found):
            return replace_by_driver(work, change)
        return replace(replace_keys(work, apply, touched), how=change)


def recompute_rows(work: Work, apply: ApplyGrouped, *, is_small: bool) -> Staged:
    """Compute the new rows of the touched keys once: computed again they might be others."""
    settings = SMALL if is_small else whole(work.facts.source_bytes())
    names = local_names(apply.rows.columns)
    with work.engine.settings(settings, work.facts.stored.record.settings):
        return work.staged(apply.recomputed(), names, "rows")


def replace_keys(work: Work, apply: ApplyGrouped, touched: TouchedKeys) -> Replaced:
    """Write the touched files anew, each without the rows of touched keys, and the new rows in a
    file of their own.

    Where many keys are touched they are joined as Spark sees fit, and the rows are clustered again.
    """
    stored = work.facts.stored
    if touched.staged.is_small:
        with work.engine.settings(EACH_FILE, stored.record.settings):
            kept, new, changes = _lines(work, apply)
            return _write(work, kept.unionAll(new.unionAll(changes).coalesce(1)), touched)
    with work.engine.settings(whole(stored.snapshot.bytes), stored.record.settings):
        rows = reduce(DataFrame.unionAll, _lines(work, apply))
        return _write(work, clustered(rows, stored.record), touched)


def _lines(work: Work, apply: ApplyGrouped) -> tuple[DataFrame, ...]:
    """What stays, what comes, and the net changes, as lines that name their part."""
    stored = work.facts.stored.record.layout.stored
    of_rows = [F.lit(ROWS).alias(PART), F.lit(None).cast("int").alias(ACTION)]
    rels = (apply.kept(), apply.rows, apply.changes())
    *plain, weighted = (work.query(rel, stored.names) for rel in rels)
    kept, new = (frame.select(*of_rows, *map(_column, stored.names)) for frame in plain)
    is_new = _column(WEIGHT) > 0
    part = F.when(is_new, F.lit(PLUS)).otherwise(F.lit(MINUS)).alias(PART)
    action = F.when(is_new, F.lit(INSERT)).otherwise(F.lit(DELETE)).cast("int").alias(ACTION)
    copies = F.explode(F.expr(f"sequence(1L, abs({quoted(WEIGHT)}))"))
    each = weighted.withColumn(_COPY, copies).select(part, action, *map(_column, stored.names))
    return tuple(packed(lines, stored, PART, ACTION) for lines in (kept, new, each))


_COPY = "__ev_copy"


def _write(work: Work, lines: DataFrame, touched: TouchedKeys) -> Replaced:
    written = write_lines(lines, work.table, work.token, work.actions)
    check_counts(written, touched.files, work.facts.view)
    return Replaced(written, touched.files, with_changes=True)


def _column(name: str) -> Column:
    return F.col(quoted(name))
