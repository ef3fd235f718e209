"""MERGE INTO on a pinned snapshot: find the files it touches, then write them anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.apply.lines import ACTION, INSERT, PART, PLUS, ROWS
from everview.errors import AmbiguousMerge
from everview.facts.schema import Schema
from everview.run.dml.lines import changed_lines
from everview.spark.engine import Actions
from everview.sql.names import quoted
from everview.sql.write import changing
from everview.sql.write.changing import ACT, HIT, PATH, ROW, Merge, new_name

Query = Callable[[str, Mapping[str, DataFrame]], DataFrame]
_TIMES = "__ev_times"


def touched_paths(
    query: Query, merge: Merge, rows: DataFrame, source: DataFrame, actions: Actions
) -> set[str]:
    """The files that hold rows to be changed; AmbiguousMerge if a row has several changes."""
    found: set[str] = set()
    marked = source.withColumn(HIT, F.expr("TRUE"))
    if merge.of("MATCHED"):
        placed = rows.withColumn(ROW, F.monotonically_increasing_id())
        pairs = query(merge.pairs(), {changing.ROWS: placed, changing.SOURCE: marked})
        each = pairs.groupBy(PATH, ROW).agg(F.count(F.lit(1)).alias(_TIMES))
        files = each.groupBy(PATH).agg(F.max(_TIMES).alias(_TIMES))
        for file in actions.submit("find", files.collect):
            if file[_TIMES] > 1 and not merge.may_repeat:
                raise AmbiguousMerge(
                    f"{file[_TIMES]} rows of the source match one row of the table.",
                    remedy="Give one source row per row of the table; nothing was written.",
                )
            found.add(file[PATH])
    if merge.of("NOT MATCHED BY SOURCE"):
        lone = query(merge.lone(), {changing.ROWS: rows, changing.SOURCE: marked})
        found |= {r[PATH] for r in actions.submit("find", lone.distinct().collect)}
    return found


def refuse_ambiguous(new: DataFrame, keys: tuple[str, ...], actions: Actions) -> None:
    """AmbiguousMerge if several of the new rows have one key."""
    twice = new.groupBy(*map(quoted, keys)).count().where("count > 1").limit(1)
    found = actions.submit("check", twice.collect)
    if found:
        key = ", ".join(f"{n} = {found[0][i]!r}" for i, n in enumerate(keys))
        raise AmbiguousMerge(
            f"{found[0][len(keys)]} of the rows have the key {key}.",
            remedy="Give one row per key; nothing was written.",
        )


def merged_lines(
    query: Query, merge: Merge, frames: tuple[DataFrame, DataFrame, DataFrame]
) -> DataFrame:
    """The lines of the rewritten files, from the touched rows, all rows, and the source."""
    touched, rows, source = frames
    marked = source.withColumn(HIT, F.expr("TRUE"))
    given = {changing.ROWS: touched, changing.SOURCE: marked}
    lines = _old_lines(query(merge.matched_rows(), given), merge)
    if merge.of("NOT MATCHED BY SOURCE"):
        lines = lines.unionAll(_old_lines(query(merge.lone_rows(), given), merge))
    if merge.of("NOT MATCHED"):
        new = query(merge.new_rows(), {changing.ROWS: rows, changing.SOURCE: marked})
        lines = lines.unionAll(_new_lines(new, merge.schema))
    return lines


def _old_lines(rows: DataFrame, merge: Merge) -> DataFrame:
    act = F.col(ACT)
    updated, deleted = act.isin(merge.acts("update")), act.isin(merge.acts("delete"))
    return changed_lines(rows, merge.schema, updated, deleted)


def _new_lines(rows: DataFrame, schema: Schema) -> DataFrame:
    """Of an inserted row itself, and its change."""
    each = rows.withColumn(PART, F.explode(F.array(F.lit(ROWS), F.lit(PLUS))))
    action = F.when(F.col(PART) == PLUS, F.lit(INSERT))
    columns = [F.col(new_name(i)).alias(n) for i, n in enumerate(schema.names)]
    return each.select(PART, action.alias(ACTION), *columns)
