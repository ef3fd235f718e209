"""One statement on a table: the rows it leaves and the changes it makes, as one write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from everview.delta.parts import (
    ACTION,
    DELETE,
    INSERT,
    MINUS,
    PART,
    PLUS,
    ROWS,
    UPDATE_NEW,
    UPDATE_OLD,
)
from everview.errors import AmbiguousMerge, InvalidArgument
from everview.facts.files import TableFile
from everview.facts.schema import Schema
from everview.facts.tables import Snapshot
from everview.lake.delta.storage import Storage, spark_path
from everview.lake.delta.table import EmbeddedTable
from everview.run.align import aligned, check_not_null
from everview.run.engine import ALWAYS, Actions, Engine, changed_settings, whole
from everview.run.faults import Probe
from everview.run.pinned import pinned_settings
from everview.run.read import PATH, placed_frame, plain_path, snapshot_frame
from everview.run.staging import Staging
from everview.run.write import Written, files_wanted, write_lines, write_rows
from everview.sql.names import quoted

_MATCHED = "__ev_matched"


@dataclass(frozen=True, slots=True)
class Target:
    """The table a statement writes, and where it runs."""

    engine: Engine
    table: EmbeddedTable
    warehouse: Storage
    probe: Probe
    name: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement wrote, and which files that replaces."""

    written: Written
    removed: tuple[TableFile, ...] = ()
    has_change_files: bool = False


class Statement:
    """One statement on a pinned snapshot."""

    def __init__(self, target: Target, snapshot: Snapshot, token: str) -> None:
        self._engine = target.engine
        self._table = target.table
        self._probe = target.probe
        self.snapshot = snapshot
        self.token = token
        self.staging = Staging(target.engine, target.warehouse, token)
        self._actions = Actions()

    @property
    def _schema(self) -> Schema:
        return self.snapshot.schema

    def append(self, frame: DataFrame) -> Result:
        return Result(self._write(frame))

    def overwrite(self, frame: DataFrame) -> Result:
        written = self._write(frame)
        removed = sum(f.rows or 0 for f in self.snapshot.files)
        changed = {**(written.changed or {}), "delete": removed}
        return Result(replace(written, changed=changed), self.snapshot.files)

    def _write(self, frame: DataFrame) -> Written:
        """Write the caller's rows, in the caller's session."""
        self._probe("write: write")
        fitting = aligned(frame, self._schema, self._table.uri)
        with changed_settings(frame.sparkSession, ALWAYS):
            written = write_rows(fitting, self._table, self.token, self._actions)
        return self._checked(written)

    def delete(self, where: str) -> Result | None:
        with self._session():
            files = self._find(F.expr(where))
            if not files:
                return None
            rows = snapshot_frame(self._engine.own, self.snapshot, files)
            gone = F.coalesce(F.expr(where), F.expr("FALSE"))
            part = F.when(gone, MINUS).otherwise(ROWS)
            action = F.when(gone, F.lit(DELETE))
            lines = rows.select(part.alias(PART), action.alias(ACTION), *self._columns())
            return self._rewritten(lines, files)

    def update(self, set_: Mapping[str, str], where: str | None) -> Result | None:
        wanted = self._assignments(set_)
        with self._session():
            condition = F.expr("TRUE") if where is None else F.expr(where)
            files = self._find(condition)
            if not files:
                return None
            rows = snapshot_frame(self._engine.own, self.snapshot, files)
            new = {n: F.expr(e) for n, e in wanted.items()}
            matched = rows.select(
                F.coalesce(condition, F.expr("FALSE")).alias(_MATCHED),
                *self._columns(),
                *(
                    new.get(n, F.col(quoted(n))).cast(rows.schema[n].dataType).alias(f"__ev_n{i}")
                    for i, n in enumerate(self._schema.names)
                ),
            )
            return self._rewritten(self._updated(matched), files)

    def merge(self, frame: DataFrame, on: tuple[str, ...]) -> Result | None:
        columns = {c.lower() for c in frame.columns}
        given = tuple(n for n in self._schema.names if n.lower() in columns)
        on = self._key(on, given)
        unknown = columns - {n.lower() for n in given}
        wanted = self._schema if unknown else self._schema.only(given)
        fitting = aligned(frame, wanted, self._table.uri)
        with changed_settings(frame.sparkSession, ALWAYS):
            staged = self.staging.stage(fitting, "rows", self._actions)
        if not staged.rows:
            return None
        with self._session():
            new = staged.frame.select(
                *(F.col(quoted(n)).alias(f"__ev_m{i}") for i, n in enumerate(given))
            )
            same = _all(F.col(quoted(n)).eqNullSafe(F.col(f"__ev_m{given.index(n)}")) for n in on)
            self._check_unique(new, tuple(f"__ev_m{given.index(n)}" for n in on), on)
            rows = placed_frame(self._engine.own, self.snapshot)
            files = self._files(rows.join(new, same, "left_semi"))
            touched = snapshot_frame(self._engine.own, self.snapshot, files)
            lines = self._merged(touched, new, same, (given, on))
            return self._rewritten(lines, files)

    def compact(self) -> Result | None:
        """Few larger files with the same rows."""
        if len(self.snapshot.files) < 2:
            return None
        with self._session():
            rows = snapshot_frame(self._engine.own, self.snapshot)
            count = files_wanted(self.snapshot.bytes)
            written = write_rows(rows.coalesce(count), self._table, self.token, self._actions)
        return Result(replace(written, changed={}), self.snapshot.files)

    # Parts of statements

    def _assignments(self, set_: Mapping[str, str]) -> dict[str, str]:
        """The expressions by the table's own column names."""
        found = {self._schema.find(name) or "": expression for name, expression in set_.items()}
        if "" in found or not set_ or len(found) != len(set_):
            raise InvalidArgument(
                f"{', '.join(set_) or 'nothing'} cannot be set.",
                remedy=f"Set columns of the table, each once: {', '.join(self._schema.names)}.",
            )
        return found

    def _key(self, on: tuple[str, ...], given: tuple[str, ...]) -> tuple[str, ...]:
        found = [self._schema.find(name) for name in on]
        if not on or any(name is None or name not in given for name in found):
            raise InvalidArgument(
                f"The key {', '.join(on) or '(none)'} is not in both the table and the rows.",
                remedy=f"Columns in both: {', '.join(given) or 'none'}.",
            )
        return tuple(name for name in found if name is not None)

    def _session(self) -> AbstractContextManager[SparkSession]:
        return self._engine.settings(
            whole(self.snapshot.bytes), pinned_settings(self._engine.caller)
        )

    def _columns(self) -> list[Column]:
        return [F.col(quoted(n)) for n in self._schema.names]

    def _find(self, condition: Column) -> tuple[TableFile, ...]:
        """The files that hold a row for which the condition is true."""
        return self._files(placed_frame(self._engine.own, self.snapshot).where(condition))

    def _files(self, rows: DataFrame) -> tuple[TableFile, ...]:
        self._probe("write: find")
        if not self.snapshot.files:
            return ()
        found = self._actions.submit("find", rows.select(PATH).distinct().toArrow)
        paths = {plain_path(p) for p in found.column(0).to_pylist()}
        uri = self.snapshot.uri
        return tuple(
            f
            for f in self.snapshot.files
            if plain_path(spark_path(uri, f.path), encoded=False) in paths
        )

    def _updated(self, matched: DataFrame) -> DataFrame:
        """Of a matched row its new form, and old and new as changes; of the others themselves."""
        touched = F.col(_MATCHED)
        parts = F.when(touched, F.array(*map(F.lit, (ROWS, MINUS, PLUS))))
        each = matched.withColumn(PART, F.explode(parts.otherwise(F.array(F.lit(ROWS)))))
        is_new = touched & (F.col(PART) != MINUS)
        action = F.when(F.col(PART) == PLUS, F.lit(UPDATE_NEW)).when(
            F.col(PART) == MINUS, F.lit(UPDATE_OLD)
        )
        columns = [
            F.when(is_new, F.col(f"__ev_n{i}")).otherwise(F.col(quoted(n))).alias(n)
            for i, n in enumerate(self._schema.names)
        ]
        return each.select(PART, action.alias(ACTION), *columns)

    def _merged(
        self,
        touched: DataFrame,
        new: DataFrame,
        same: Column,
        names: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> DataFrame:
        given, on = names
        marked = new.withColumn(_MATCHED, F.expr("TRUE"))
        joined = touched.join(marked, same, "left")
        place = {n: F.col(f"__ev_m{i}") for i, n in enumerate(given)}
        old = joined.select(
            F.coalesce(F.col(_MATCHED), F.expr("FALSE")).alias(_MATCHED),
            *self._columns(),
            *(
                place.get(n, F.col(quoted(n))).alias(f"__ev_n{i}")
                for i, n in enumerate(self._schema.names)
            ),
        )
        keys = touched.select(*(F.col(quoted(n)) for n in on)).distinct()
        fresh = new.join(keys, same, "left_anti")
        types = {f.name: f.dataType for f in touched.schema}
        inserted = fresh.withColumn(PART, F.explode(F.array(F.lit(ROWS), F.lit(PLUS)))).select(
            PART,
            F.when(F.col(PART) == PLUS, F.lit(INSERT)).alias(ACTION),
            *(place.get(n, F.lit(None)).cast(types[n]).alias(n) for n in self._schema.names),
        )
        return self._updated(old).unionAll(inserted)

    def _check_unique(self, new: DataFrame, keys: tuple[str, ...], on: tuple[str, ...]) -> None:
        twice = new.groupBy(*keys).count().where("count > 1").limit(1)
        found = self._actions.submit("check", twice.collect)
        if found:
            key = ", ".join(f"{n} = {found[0][i]!r}" for i, n in enumerate(on))
            raise AmbiguousMerge(
                f"{found[0]['count']} of the rows have the key {key}.",
                remedy="Give one row per key; nothing was written.",
            )

    def _rewritten(self, lines: DataFrame, files: tuple[TableFile, ...]) -> Result:
        self._probe("write: write")
        written = write_lines(lines, self._table, self.token, self._actions)
        return Result(self._checked(written), files, has_change_files=True)

    def _checked(self, written: Written) -> Written:
        check_not_null(self._schema, written.rows)
        return written


def _all(tests: Iterable[Column]) -> Column:
    return reduce(lambda a, b: a & b, tests)
