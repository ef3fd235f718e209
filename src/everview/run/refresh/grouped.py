"""Replacing all stored rows of the touched keys in the files of a grouped view."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.algebra.relations import Project
from everview.algebra.scalars import Ref
from everview.apply.grouped import KEYS, RECOMPUTED, ApplyGrouped
from everview.apply.lines import ACTION, DELETE, INSERT, MINUS, PART, PLUS, ROWS
from everview.program.steps import FindKeys, Recompute, RewriteGrouped
from everview.run.refresh.keyed import check_counts, touched_files
from everview.run.refresh.overwrite import clustered
from everview.run.refresh.work import Work
from everview.run.rows.read import packed
from everview.run.rows.write import write_lines
from everview.spark.engine import EACH_FILE, SMALL, whole
from everview.sql.names import quoted
from everview.sql.write.door import local_names
from everview.sql.write.select import WEIGHT


def find_keys(work: Work, step: FindKeys) -> None:
    """Compute the touched keys once; they say which stored files are looked at."""
    columns = step.apply.keys.columns
    pairs = zip(columns, step.changes.columns, strict=True)
    renamed = Project(step.changes, tuple((c, Ref(own.id)) for c, own in pairs))
    frame = work.query(renamed, local_names(columns))
    work.staged = work.staging.stage(frame, "changes", work.actions)
    work.frames.local[KEYS] = work.staged
    work.frames.stored_files = touched_files(work, work.staged, columns)


def recompute_rows(work: Work, step: Recompute) -> None:
    """Compute the new rows of the touched keys once: computed again they might be others."""
    assert work.staged is not None
    settings = SMALL if work.staged.is_small else whole(work.facts.source_bytes())
    names = local_names(step.apply.rows.columns)
    with work.engine.settings(settings, work.facts.stored.record.settings):
        frame = work.query(step.apply.recomputed(), names)
        staged = work.staging.stage(frame, "rows", work.actions)
        work.frames.local[RECOMPUTED] = staged


def rewrite_grouped(work: Work, step: RewriteGrouped) -> None:
    """Write the touched files anew, each without the rows of touched keys, and the new rows in a
    file of their own.

    Where many keys are touched they are joined as Spark sees fit, and the rows are clustered again.
    """
    assert work.staged is not None
    stored = work.facts.stored
    if work.staged.is_small:
        with work.engine.settings(EACH_FILE, stored.record.settings):
            kept, new, changes = _lines(work, step.apply)
            _write(work, kept.unionAll(new.unionAll(changes).coalesce(1)))
        return
    with work.engine.settings(whole(stored.snapshot.bytes), stored.record.settings):
        rows = reduce(DataFrame.unionAll, _lines(work, step.apply))
        _write(work, clustered(rows, stored.record))


def _lines(work: Work, apply: ApplyGrouped) -> tuple[DataFrame, ...]:
    """What stays, what comes, and the net changes, as lines that name their part."""
    stored = work.facts.stored.record.layout.stored
    of_rows = [F.lit(ROWS).alias(PART), F.lit(None).cast("int").alias(ACTION)]
    plain = [work.query(r, stored.names) for r in (apply.kept(), apply.rows)]
    kept, new = (frame.select(*of_rows, *map(_column, stored.names)) for frame in plain)
    weighted = work.query(apply.changes(), stored.names)
    is_new = _column(WEIGHT) > 0
    part = F.when(is_new, F.lit(PLUS)).otherwise(F.lit(MINUS)).alias(PART)
    action = F.when(is_new, F.lit(INSERT)).otherwise(F.lit(DELETE)).cast("int").alias(ACTION)
    copies = F.explode(F.expr(f"sequence(1L, abs({quoted(WEIGHT)}))"))
    each = weighted.withColumn(_COPY, copies).select(part, action, *map(_column, stored.names))
    return tuple(packed(lines, stored, PART, ACTION) for lines in (kept, new, each))


_COPY = "__ev_copy"


def _write(work: Work, lines: DataFrame) -> None:
    work.written = write_lines(lines, work.table, work.token, work.actions)
    work.removed = work.frames.stored_files
    check_counts(work.written, work.removed, work.facts.view)


def _column(name: str) -> Column:
    return F.col(quoted(name))
