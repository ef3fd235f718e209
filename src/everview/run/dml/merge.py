"""MERGE INTO on a pinned snapshot: the rows it changes and inserts, and the files they lie in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.apply.lines import ACTION, INSERT, PART, PLUS, ROWS
from everview.errors import AmbiguousMerge
from everview.facts.schema import Schema
from everview.run.dml.lines import changed_lines
from everview.run.dml.marking import FoundRows
from everview.run.dml.target import RunQuery
from everview.run.rows.read import spark_schema
from everview.run.rows.staging import MOST_LOCAL_ROWS, Staged
from everview.spark.engine import Actions
from everview.sql.names import quoted
from everview.sql.write import changing
from everview.sql.write.changing import ACT, HIT, PATH, ROW, SOURCE_ROW, Merge, new_name

_TIMES = "__ev_times"


def touched_paths(
    query: RunQuery, merge: Merge, rows: DataFrame, source: DataFrame, actions: Actions
) -> set[str]:
    """The files that hold rows to be changed; AmbiguousMerge if a row has several changes."""
    found: set[str] = set()
    marked = source.withColumn(HIT, F.expr("TRUE"))
    if merge.of("MATCHED"):
        pairs = query(merge.pairs(), {changing.TARGET_ROWS: rows, changing.SOURCE: marked})
        each = pairs.groupBy(PATH, ROW).agg(F.count(F.lit(1)).alias(_TIMES))
        files = each.groupBy(PATH).agg(F.max(_TIMES).alias(_TIMES))
        for file in actions.submit("find", files.collect):
            if file[_TIMES] > 1 and not merge.may_repeat:
                raise _ambiguous(file[_TIMES])
            found.add(file[PATH])
    if merge.of("NOT MATCHED BY SOURCE"):
        lone = query(merge.lone(), {changing.TARGET_ROWS: rows, changing.SOURCE: marked})
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


@dataclass(frozen=True, slots=True)
class MergedRows:
    """The rows that a MERGE changes and inserts, without those of the files around them."""

    query: RunQuery
    merge: Merge
    rows: DataFrame  # of the table, with their places
    source: Staged  # with numbers that tell its rows apart
    actions: Actions

    def changed(self) -> DataFrame | None:
        """The rows of the table that a clause changes, with their places and new values; None if
        no clause does.
        """
        parts = [self.query(text, self._given) for text in self.merge.changed_rows()]
        return reduce(DataFrame.unionAll, parts) if parts else None

    def inserted(self, found: FoundRows) -> DataFrame | None:
        """The rows to insert, None if there are none."""
        if not self.merge.of("NOT MATCHED"):
            return None
        if not self.source.is_small:
            return self.query(self.merge.new_rows(), self._given)
        table = self.source.table
        unmet = table.filter(pc.invert(pc.is_in(table.column(SOURCE_ROW), self._met(found))))
        if not unmet.num_rows:
            return None
        if unmet.num_rows > MOST_LOCAL_ROWS:
            return self.query(self.merge.new_rows(), self._given)
        schema = spark_schema(self.source.schema)
        frame = self.source.engine.own.createDataFrame(unmet, schema)
        return self.query(self.merge.unmet_rows(), {changing.SOURCE: frame})

    def _met(self, found: FoundRows) -> pa.ChunkedArray:
        """The numbers of the source rows that have a row of the table: those of the rows found, or
        by a join of which the source is the small side.
        """
        if self.merge.changes_every_match and not self.merge.may_repeat:
            return found.source_rows
        numbers = self.query(self.merge.met(), self._given)
        return self.actions.submit("find", numbers.toArrow).column(0)

    @property
    def _given(self) -> dict[str, DataFrame]:
        return {changing.TARGET_ROWS: self.rows, changing.SOURCE: self.source.frame}


def refuse_several_changes(found: FoundRows) -> None:
    """AmbiguousMerge if a row of the table was found for several rows of the source."""
    times = found.most_repeated
    if times > 1:
        raise _ambiguous(times)


def merged_lines(
    query: RunQuery, merge: Merge, frames: tuple[DataFrame, DataFrame, DataFrame]
) -> DataFrame:
    """The lines of the rewritten files, from the touched rows, all rows, and the source."""
    touched, rows, source = frames
    marked = source.withColumn(HIT, F.expr("TRUE"))
    given = {changing.TARGET_ROWS: touched, changing.SOURCE: marked}
    lines = _old_lines(query(merge.matched_rows(), given), merge)
    if merge.of("NOT MATCHED BY SOURCE"):
        lines = lines.unionAll(_old_lines(query(merge.lone_rows(), given), merge))
    if merge.of("NOT MATCHED"):
        new = query(merge.new_rows(), {changing.TARGET_ROWS: rows, changing.SOURCE: marked})
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


def _ambiguous(times: int) -> AmbiguousMerge:
    return AmbiguousMerge(
        f"{times} rows of the source match one row of the table.",
        remedy="Give one source row per row of the table; nothing was written.",
    )
