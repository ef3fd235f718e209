"""Writing tables: each statement is all or nothing, and once when it carries a token."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from everview.delta.parts import ACTION, MINUS, PART, PLUS, ROWS
from everview.errors import AmbiguousMerge, InvalidArgument
from everview.facts.files import TableFile
from everview.facts.schema import Schema
from everview.facts.tables import Commit, Snapshot
from everview.lake.delta.storage import Storage, spark_path
from everview.lake.delta.table import EmbeddedTable
from everview.run.align import aligned, check_not_null
from everview.run.engine import ALWAYS, WHOLE, Actions, Engine, changed_settings
from everview.run.faults import Probe
from everview.run.pinned import pinned_settings
from everview.run.read import PATH, placed_frame, plain_path, snapshot_frame
from everview.run.staging import Staging
from everview.run.write import Written, write_lines, write_rows
from everview.sql.names import quoted

_MATCHED = "__ev_matched"


def token_app(token: str) -> str:
    """The application id under which a caller's token is recorded."""
    return f"everview:token:{token}"


@dataclass
class TableWriter:
    """Carries out statements on one table of the warehouse."""

    engine: Engine
    table: EmbeddedTable
    warehouse: Storage
    probe: Probe

    def append(self, frame: DataFrame, token: str | None) -> int:
        return self._once("INSERT", token, lambda work: work.append(frame))

    def overwrite(self, frame: DataFrame, token: str | None) -> int:
        return self._once("OVERWRITE", token, lambda work: work.overwrite(frame))

    def delete(self, where: str, token: str | None) -> int:
        return self._once("DELETE", token, lambda work: work.delete(where))

    def update(self, set_: Mapping[str, str], where: str | None, token: str | None) -> int:
        return self._once("UPDATE", token, lambda work: work.update(set_, where))

    def merge(self, frame: DataFrame, on: tuple[str, ...], token: str | None) -> int:
        return self._once("MERGE", token, lambda work: work.merge(frame, on))

    def compact(self) -> int:
        return self._once("COMPACT", None, lambda work: work.compact())

    def _once(
        self, operation: str, token: str | None, work: Callable[[_Statement], _Result | None]
    ) -> int:
        """Run a statement unless its token was applied before; gives the table's version after it."""
        with self.engine.lock:
            if token is not None:
                applied = self.table.transaction(token_app(token))
                if applied is not None:
                    return applied
            head = self.table.head()
            statement = _Statement(self, self.table.snapshot(head.version), uuid.uuid4().hex)
            try:
                result = work(statement)
            finally:
                statement.staging.remove()
            if result is None and token is None:
                return head.version
            return self._commit(statement, operation, token, result or _Result(Written(())))

    def _commit(
        self, statement: _Statement, operation: str, token: str | None, result: _Result
    ) -> int:
        self.probe("write: commit")
        base = statement.snapshot.version
        written = result.written
        version = self.table.commit(
            Commit(
                base=base,
                operation=operation,
                token=statement.token,
                adds=written.rows,
                removes=result.removed,
                minus=written.minus,
                plus=written.plus,
                has_change_files=result.has_change_files,
                data_change=operation != "COMPACT",
                transactions=() if token is None else ((token_app(token), base + 1),),
                metadata={"rows": dict(written.changed or {})},
            )
        )
        self.probe("write: committed")
        return version


@dataclass(frozen=True)
class _Result:
    written: Written
    removed: tuple[TableFile, ...] = ()
    has_change_files: bool = False


class _Statement:
    """One statement on a pinned snapshot."""

    def __init__(self, writer: TableWriter, snapshot: Snapshot, token: str) -> None:
        self._writer = writer
        self._engine = writer.engine
        self.snapshot = snapshot
        self.token = token
        self.staging = Staging(writer.engine, writer.warehouse, token)
        self._actions = Actions()

    @property
    def _schema(self) -> Schema:
        return self.snapshot.schema

    def append(self, frame: DataFrame) -> _Result:
        return _Result(self._write(frame))

    def overwrite(self, frame: DataFrame) -> _Result:
        return _Result(self._write(frame), self.snapshot.files)

    def _write(self, frame: DataFrame) -> Written:
        """Write the caller's rows, in the caller's session."""
        self._writer.probe("write: write")
        fitting = aligned(frame, self._schema, self._writer.table.uri)
        with changed_settings(frame.sparkSession, ALWAYS):
            written = write_rows(fitting, self._writer.table, self.token, self._actions)
        return self._checked(written)

    def delete(self, where: str) -> _Result | None:
        with self._session():
            files = self._find(F.expr(where))
            if not files:
                return None
            rows = snapshot_frame(self._engine.own, self.snapshot, files)
            gone = F.coalesce(F.expr(where), F.expr("FALSE"))
            part = F.when(gone, MINUS).otherwise(ROWS)
            action = F.when(gone, "delete")
            lines = rows.select(part.alias(PART), action.alias(ACTION), *self._columns())
            return self._rewritten(lines, files)

    def update(self, set_: Mapping[str, str], where: str | None) -> _Result | None:
        unknown = [name for name in set_ if name not in self._schema]
        if unknown or not set_:
            raise InvalidArgument(
                f"There is no column {', '.join(unknown)} to set."
                if unknown
                else "Nothing to set.",
                remedy=f"Columns: {', '.join(self._schema.names)}.",
            )
        with self._session():
            condition = F.expr("TRUE") if where is None else F.expr(where)
            files = self._find(condition)
            if not files:
                return None
            rows = snapshot_frame(self._engine.own, self.snapshot, files)
            new = {n: F.expr(e) for n, e in set_.items()}
            matched = rows.select(
                F.coalesce(condition, F.expr("FALSE")).alias(_MATCHED),
                *self._columns(),
                *(
                    new.get(n, F.col(quoted(n))).cast(rows.schema[n].dataType).alias(f"__ev_n{i}")
                    for i, n in enumerate(self._schema.names)
                ),
            )
            return self._rewritten(self._updated(matched), files)

    def merge(self, frame: DataFrame, on: tuple[str, ...]) -> _Result | None:
        given = tuple(n for n in self._schema.names if n in frame.columns)
        missing = [n for n in on if n not in given]
        if missing or not on:
            raise InvalidArgument(
                f"The rows have no key column {', '.join(missing)}."
                if missing
                else "No key given.",
                remedy="Name columns that both the table and the rows have.",
            )
        fitting = aligned(frame, self._schema.only(given), self._writer.table.uri)
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

    def compact(self) -> _Result | None:
        """Few larger files with the same rows."""
        if len(self.snapshot.files) < 2:
            return None
        with self._session():
            rows = snapshot_frame(self._engine.own, self.snapshot)
            count = max(1, round(self.snapshot.bytes / 64_000_000))
            written = write_rows(
                rows.coalesce(count), self._writer.table, self.token, self._actions
            )
        return _Result(written, self.snapshot.files)

    # Parts of statements

    def _session(self) -> AbstractContextManager[SparkSession]:
        return self._engine.settings(WHOLE, pinned_settings(self._engine.caller))

    def _columns(self) -> list[Column]:
        return [F.col(quoted(n)) for n in self._schema.names]

    def _find(self, condition: Column) -> tuple[TableFile, ...]:
        """The files that hold a row for which the condition is true."""
        return self._files(placed_frame(self._engine.own, self.snapshot).where(condition))

    def _files(self, rows: DataFrame) -> tuple[TableFile, ...]:
        self._writer.probe("write: find")
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
        action = F.when(F.col(PART) != ROWS, "update")
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
            F.when(F.col(PART) == PLUS, "insert").alias(ACTION),
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

    def _rewritten(self, lines: DataFrame, files: tuple[TableFile, ...]) -> _Result:
        self._writer.probe("write: write")
        written = write_lines(lines, self._writer.table, self.token, self._actions)
        return _Result(self._checked(written), files, has_change_files=True)

    def _checked(self, written: Written) -> Written:
        check_not_null(self._schema, written.rows)
        return written


def _all(tests: Iterable[Column]) -> Column:
    return reduce(lambda a, b: a & b, tests)
