"""A recomputed view compared with its stored rows, so that readers are told only what differs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.apply.exact import LeftToSpark
from everview.apply.lines import ACTION, DELETE, INSERT, MINUS, PART, PLUS
from everview.choose.netting import MOST_BYTES_BY_DRIVER
from everview.facts.files import DataFile, TableFile
from everview.facts.views import Tail
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.comparable_values import comparable_values
from everview.run.driver.differences import FileRows, differences
from everview.run.driver.locate import rows_at
from everview.run.driver.replace import Replacer
from everview.run.driver.stored_files import StoredFiles
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.work import Work
from everview.run.rows.read import flattened, packed, snapshot_frame
from everview.run.rows.write import Written, write_lines
from everview.sql.names import quoted
from everview.sql.write.comparable import comparable_text
from everview.sql.write.select import WEIGHT

# What goes in: the files of a view as it was recomputed, part of no commit yet. What comes out:
# what the commit publishes. The new files take the place of the old ones, and beside them lie
# change files with the rows that differ, which is what readers of changes are told; where nothing
# differs the stored files stay. Where most rows differ there is nothing to gain, and readers
# compare the files themselves.
#
#     20,000 rows stored, one of them now another
#     publish 20,000 rows in new files, and say: 1 row goes, 1 comes

_ROW = "__ev_row"


def only_what_differs(work: Work, written: Written) -> Replaced:
    """The rows of the new files in place of all stored ones, told as what differs."""
    stored = work.facts.stored.snapshot
    changed = work.actions.timed("compare", lambda: _by_driver(work, written))
    if changed is None:
        changed = _by_spark(work, written)
    counts = changed.changed or {}
    differing = counts["insert"] + counts["update"] + counts["delete"]
    if not differing:
        work.table.remove_folder(f"data/{work.token}")
        return Replaced(Written((), changed=counts), compared=True)
    told = sum(f.rows or 0 for f in (*changed.minus, *changed.plus))
    if 2 * told > written.count() + (stored.rows or 0):
        work.table.remove_folder(f"data/{_token(work)}")
        return Replaced(written, stored.files)
    whole = Written(written.rows, changed.minus, changed.plus, counts)
    return Replaced(whole, stored.files, with_changes=True, compared=True)


def _by_driver(work: Work, written: Written) -> Written | None:
    """The rows that differ as change files; None where they are left to Spark."""
    schema = work.facts.stored.record.layout.stored
    types = arrow_schema(schema)
    before, after = (_data_files(f) for f in (work.facts.stored.snapshot.files, written.rows))
    size = sum(f.size for f in (*before, *after))
    all_files = len(before) + len(after) == len(work.facts.stored.snapshot.files + written.rows)
    is_small = all_files and size <= MOST_BYTES_BY_DRIVER
    if types is None or work.table.partition_by() or not is_small:
        return None
    stored = StoredFiles(types, work.table.open_file)
    try:
        gone, come = differences(
            FileRows.of(stored, before), FileRows.of(stored, after), schema.names
        )
        minus, plus = (rows_at(stored, places, schema.names) for places in (gone, come))
        layout = work.facts.stored.record.layout
        old, new = (_seen(rows, layout.tail) for rows in (minus, plus))
        counts = _counts(old, new, layout.key)
    except (LeftToSpark, pa.ArrowException, OverflowError, ValueError):
        return None
    told = Replacer(work.table, stored, schema, _token(work)).tell(minus, plus)
    return Written((), told.minus, told.plus, counts)


def _token(work: Work) -> str:
    """The folder of the change files: the rows lie there already in that of the refresh."""
    return f"{work.token}_changes"


def _data_files(files: Sequence[TableFile]) -> tuple[DataFile, ...]:
    return tuple(f for f in files if isinstance(f, DataFile))


def _counts(minus: pa.Table, plus: pa.Table, key: Sequence[str]) -> dict[str, int]:
    """Rows as a reader sees them change: one of which the key stays is updated."""
    if not key:
        return {"insert": plus.num_rows, "update": 0, "delete": minus.num_rows}
    before, after = (_keys(rows, key) for rows in (minus, plus))
    both = len(before & after)
    return {"insert": len(after) - both, "update": both, "delete": len(before) - both}


def _seen(rows: pa.Table, tail: Tail | None) -> pa.Table:
    """The rows that a reader sees."""
    return rows if tail is None or not tail.shown else rows.filter(rows.column(tail.shown))


def _keys(rows: pa.Table, key: Sequence[str]) -> frozenset[tuple[object, ...]]:
    columns = [comparable_values(rows.column(n)).to_pylist() for n in key]
    return frozenset(zip(*columns, strict=True))


def _by_spark(work: Work, written: Written) -> Written:
    """The same by one job, both sides counted row by row."""
    stored, snapshot = work.facts.stored.record.layout.stored, work.facts.stored.snapshot
    sides = ((snapshot.files, -1), (written.rows, 1))
    rows = reduce(
        DataFrame.unionAll,
        (
            flattened(snapshot_frame(work.engine.own, snapshot, files), stored).withColumn(
                WEIGHT, F.lit(weight).cast("bigint")
            )
            for files, weight in sides
        ),
    )
    forms = [F.expr(comparable_text(quoted(f.name), f.type)) for f in stored.fields]
    keys = [form.alias(f"__ev_k{i}") for i, form in enumerate(forms)]
    row = F.first(F.struct(*(F.col(quoted(n)) for n in stored.names))).alias(_ROW)
    counted = rows.groupBy(*keys).agg(row, F.sum(WEIGHT).alias(WEIGHT)).filter(f"{WEIGHT} <> 0")
    each = counted.withColumn("__ev_copy", F.explode(F.expr(f"sequence(1L, abs({WEIGHT}))")))
    tail = work.facts.stored.record.layout.tail
    is_seen = F.col(f"{_ROW}.{quoted(tail.shown)}") if tail and tail.shown else F.lit(True)
    action = F.when(F.col(WEIGHT) < 0, DELETE).otherwise(INSERT)
    lines = each.select(
        F.when(F.col(WEIGHT) < 0, MINUS).otherwise(PLUS).alias(PART),
        F.when(is_seen, action).alias(ACTION),
        f"{_ROW}.*",
    )
    whole = packed(lines, stored, PART, ACTION)
    return write_lines(whole, work.table, _token(work), work.actions)
