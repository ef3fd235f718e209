"""Applying net changes to the stored files of a bag."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.apply.lines import ACTION, DELETE, INSERT, MINUS, PART, PLUS, ROWS
from everview.errors import InvariantViolated
from everview.facts.checks import COPIES_MISSING, REMEDY
from everview.facts.files import TableFile
from everview.facts.schema import Schema
from everview.lake.storage import spark_path
from everview.optimize.select import files_with_keys
from everview.program.programs import AppendSteps, RowsSteps
from everview.run.refresh.by_driver import Found, change_of_rows, replace_by_driver
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.work import Work
from everview.run.rows.read import (
    flattened,
    packed,
    placed_frame,
    plain_path,
    snapshot_frame,
    spark_schema,
)
from everview.run.rows.staging import Staged
from everview.run.rows.write import write_lines, write_rows
from everview.spark.engine import EACH_FILE
from everview.sql.names import quoted
from everview.sql.write.changing import PATH
from everview.sql.write.comparable import comparable_text
from everview.sql.write.select import WEIGHT

_ID, _COPIES = "__ev_id", "__ev_copies"


# How many copies of a staged row, by its number, a stored file holds, by its path.
CopiesInFiles = Mapping[tuple[str, int], int]


def append_rows(work: Work, steps: AppendSteps) -> Replaced:
    """Write the insertions as new files; every line is one copy."""
    stored = work.facts.stored.record.layout.stored
    with work.during(steps.write.name):
        frame = packed(work.query(steps.write.changes, stored.names), stored)
        return Replaced(write_rows(frame, work.table, work.token, work.actions))


def change_rows(work: Work, steps: RowsSteps) -> Replaced:
    """Stage the net changes, find the stored copies of what is deleted, and apply them."""
    stored = work.facts.stored.record.layout.stored
    with work.during(steps.stage.name):
        staged = work.staged(steps.stage.changes, stored.names, "changes")
    if not staged.rows:
        return Replaced()
    with work.during(steps.find.name):
        change = change_of_rows(work, staged)
        copies = {} if isinstance(change, Found) else find_copies(work, staged)
    with work.during(steps.write.name):
        if isinstance(change, Found):
            return _told(work, staged, replace_by_driver(work, change))
        replaced = _told(work, staged, replace_rows(work, staged, copies))
        return replace(replaced, how=change) if replaced.removed else replaced


def _told(work: Work, staged: Staged, replaced: Replaced) -> Replaced:
    """What was done, with the rows counted that a reader sees: of groups that are stored whether
    they pass HAVING or not, those that pass.
    """
    tail = work.facts.stored.record.layout.tail
    if tail is None or not tail.shown:
        return replaced
    weight, shown = F.col(WEIGHT), F.col(quoted(tail.shown))
    come, gone = (F.sum(F.when(shown & (w > 0), w)) for w in (weight, -weight))
    counted = staged.frame.agg(come.alias("insert"), gone.alias("delete"))
    (row,) = work.actions.submit("seen", counted.toArrow).to_pylist()
    seen = {action: number or 0 for action, number in row.items()}
    return replace(replaced, written=replace(replaced.written, changed=seen))


def find_copies(work: Work, staged: Staged) -> CopiesInFiles:
    """Count the stored copies of the rows to delete, per file, in the files that may hold them."""
    if (staged.least(WEIGHT) or 0) >= 0:
        return {}
    stored = work.facts.stored.record.layout.stored
    rows = staged.columns([*stored.names, WEIGHT])
    files = (snapshot := work.facts.stored.snapshot).files
    if rows is not None:
        deleted = [row[:-1] for row in rows if row[-1] < 0]
        files = files_with_keys(files, stored.names, deleted)
    if not files:
        return {}
    placed = flattened(placed_frame(work.engine.own, snapshot, files), stored, PATH)
    wanted = _deleted(work, staged)
    matched = placed.join(F.broadcast(wanted), _same_row(stored))
    counted = matched.groupBy(PATH, _ID).agg(F.count(F.lit(1)).alias(_COPIES))
    found = work.actions.submit("copies", counted.toArrow).to_pylist()
    by_path = {plain_path(spark_path(snapshot.uri, f.path), encoded=False): f for f in files}
    return {(by_path[plain_path(r[PATH])].path, r[_ID]): r[_COPIES] for r in found}


def replace_rows(work: Work, staged: Staged, copies: CopiesInFiles) -> Replaced:
    """Append the insertions; write anew the files from which rows are taken."""
    stored = work.facts.stored.record.layout.stored
    if (staged.least(WEIGHT) or 0) > 0:
        each = F.explode(F.expr(f"sequence(1L, {quoted(WEIGHT)})"))
        frame = packed(staged.frame.withColumn(_COPIES, each), stored)
        return Replaced(write_rows(frame.coalesce(1), work.table, work.token, work.actions))
    with work.engine.settings(EACH_FILE, work.facts.stored.record.settings):
        return _take_rows(work, staged, copies)


def _take_rows(work: Work, staged: Staged, copies: CopiesInFiles) -> Replaced:
    stored = work.facts.stored.record.layout.stored
    weights = staged.table.column(WEIGHT).to_pylist()
    removed, left = _choose_files(work, weights, copies)
    frames = [_given(work, staged, weights, left)]
    if removed:
        rows = snapshot_frame(work.engine.own, work.facts.stored.snapshot, removed)
        rows = flattened(rows, stored)
        wanted = F.broadcast(_deleted(work, staged))
        kept = rows.join(wanted, _same_row(stored), "left_anti")
        part = [F.lit(ROWS).alias(PART), F.lit(None).cast("int").alias(ACTION)]
        frames.append(kept.select(*part, *map(_column, stored.names)))
    whole = packed(reduce(DataFrame.unionAll, frames), stored, PART, ACTION)
    written = write_lines(whole, work.table, work.token, work.actions)
    return Replaced(written, removed, with_changes=True)


def _choose_files(
    work: Work, weights: list[int], copies: CopiesInFiles
) -> tuple[tuple[TableFile, ...], dict[int, int]]:
    """Files that together hold enough copies of every row to delete, and the copies left in
    them.
    """
    held: dict[str, Counter[int]] = defaultdict(Counter)
    for (path, row), number in copies.items():
        held[path][row] += number
    need = {i: -w for i, w in enumerate(weights) if w < 0}
    taken: Counter[int] = Counter()
    chosen: set[str] = set()
    for path in sorted(held, key=lambda p: (-len(held[p]), p)):
        if any(taken[row] < need[row] for row in held[path]):
            chosen.add(path)
            taken += held[path]
    short = [row for row, n in need.items() if taken[row] < n]
    if short:
        raise InvariantViolated(
            f"{COPIES_MISSING.found}: {len(short)}.", where=work.facts.view, remedy=REMEDY
        )
    files = tuple(f for f in work.facts.stored.snapshot.files if f.path in chosen)
    return files, {row: taken[row] - n for row, n in need.items()}


def _given(work: Work, staged: Staged, weights: list[int], left: dict[int, int]) -> DataFrame:
    """The lines that do not come from stored files, one per copy: a small local relation."""
    lines: list[tuple[int, str, int | None, int]] = []
    for i, weight in enumerate(weights):
        if weight < 0:
            lines.append((i, MINUS, DELETE, -weight))
            lines.append((i, ROWS, None, left[i]))
        else:
            lines += [(i, ROWS, None, weight), (i, PLUS, INSERT, weight)]
    lines = [line for line in lines if line[3] > 0]
    stored = work.facts.stored.record.layout.stored
    index, part, action, copies = (list(column) for column in zip(*lines, strict=True))
    table = staged.table.select(list(stored.names)).take(pa.array(index, pa.int64()))
    table = table.append_column(PART, pa.array(part, pa.string()))
    table = table.append_column(ACTION, pa.array(action, pa.int32()))
    table = table.append_column(_COPIES, pa.array(copies, pa.int64()))
    schema = spark_schema(stored)
    schema = schema.add(PART, "string").add(ACTION, "integer").add(_COPIES, "long")
    frame = work.engine.own.createDataFrame(table, schema)
    each = frame.withColumn(_ID, F.explode(F.expr(f"sequence(1L, {quoted(_COPIES)})")))
    columns = map(_column, (PART, ACTION, *stored.names))
    return each.select(*columns).coalesce(1)


def _deleted(work: Work, staged: Staged) -> DataFrame:
    """The rows to delete, each with its number among the staged rows, under names of their own."""
    stored = work.facts.stored.record.layout.stored
    weights = staged.table.column(WEIGHT).to_pylist()
    index = [i for i, w in enumerate(weights) if w < 0]
    table = staged.table.select(list(stored.names)).take(pa.array(index, pa.int64()))
    schema = spark_schema(stored).add(_ID, "long")
    table = table.append_column(_ID, pa.array(index, pa.int64()))
    frame = work.engine.own.createDataFrame(table, schema)
    return frame.select(*(_column(n).alias(f"__ev_d{i}") for i, n in enumerate(stored.names)), _ID)


def _same_row(stored: Schema) -> Column:
    """Equality of all columns as stored, NULLs equal.

    Spark looks rows up by their hash, one number; `least` keeps it from taking every column into
    the key of the lookup, which costs more than the rest of the pass.
    """
    own = [comparable_text(quoted(f.name), f.type) for f in stored.fields]
    wanted = [comparable_text(f"__ev_d{i}", f.type) for i, f in enumerate(stored.fields)]
    tests = [F.expr(mine).eqNullSafe(F.expr(its)) for mine, its in zip(own, wanted, strict=True)]
    hashes = (F.xxhash64(*map(F.expr, side)) for side in (own, wanted))
    return reduce(Column.__eq__, hashes) & F.least(F.expr("TRUE"), *tests)


def _column(name: str) -> Column:
    return F.col(quoted(name))
