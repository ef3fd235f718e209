"""One statement on a table: the rows it leaves and the changes it makes, as one write."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from everview.apply.lines import ACTION, DELETE, MINUS, PART, ROWS
from everview.errors import InvalidArgument
from everview.facts.files import TableFile, count_marked
from everview.facts.schema import Schema
from everview.facts.tables import Head
from everview.facts.views import TableRecord
from everview.lake.port import LakeTable
from everview.lake.storage import Storage, spark_path
from everview.run.dml.align import aligned
from everview.run.dml.constraints import refuse_nulls
from everview.run.dml.lines import changed_lines
from everview.run.dml.merge import Query, merged_lines, refuse_ambiguous, touched_paths
from everview.run.dml.primary_key import NewKeys
from everview.run.faults import Probe
from everview.run.rows.read import placed_frame, plain_path, snapshot_frame
from everview.run.rows.staging import Staging
from everview.run.rows.write import Written, files_wanted, write_lines, write_rows
from everview.spark.engine import ALWAYS, Actions, Engine, whole
from everview.spark.pinned import pinned_settings
from everview.spark.session_settings import changed_settings
from everview.sql.names import quoted
from everview.sql.write import changing
from everview.sql.write.changing import MATCHED, Merge, When, found_rows, marked_rows


@dataclass(frozen=True, slots=True)
class Target:
    """The table a statement writes, and where it runs."""

    engine: Engine
    table: LakeTable
    warehouse: Storage
    probe: Probe
    name: str
    query: Query  # a text over given frames and the warehouse's tables, in our session
    declared: TableRecord
    alias: str = ""  # in conditions the table's columns may be qualified by it, or by the name


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement wrote, and which files that replaces.

    One that `rebases` may be committed on a later version than it was prepared on, if that
    holds none of its new keys.
    """

    written: Written
    removed: tuple[TableFile, ...] = ()
    has_change_files: bool = False
    rebases: bool = False
    keys: NewKeys | None = None  # where a primary key is enforced


class Statement:
    """One statement on a pinned snapshot."""

    def __init__(self, target: Target, head: Head, token: str) -> None:
        self._engine = target.engine
        self._table = target.table
        self._probe = target.probe
        self._name = target.alias or target.name
        self._query = target.query
        self._declared = target.declared
        self.head = head
        self.snapshot = target.table.snapshot(head.version)
        self.token = token
        self.staging = Staging(target.engine, target.warehouse, token)
        self._actions = Actions()

    @property
    def _schema(self) -> Schema:
        return self.snapshot.schema

    def append(self, frame: DataFrame, *, blind: bool = True) -> Result:
        """`blind` says that the rows do not depend on those of the table."""
        written = self._write(frame)
        keys = self._new_keys(written.rows)
        self._refuse_keys(keys, self.snapshot.files)
        return Result(written, rebases=blind, keys=keys)

    def overwrite(self, frame: DataFrame) -> Result:
        written = self._write(frame)
        self._refuse_keys(self._new_keys(written.rows), ())
        removed = sum(f.rows or 0 for f in self.snapshot.files)
        changed = {**(written.changed or {}), "delete": removed}
        return Result(replace(written, changed=changed), self.snapshot.files)

    def _write(self, frame: DataFrame) -> Written:
        """Write the caller's rows, in the caller's session."""
        self._probe("write: write")
        fitting = aligned(frame, self._schema, self._table.uri)
        with changed_settings(frame.sparkSession, ALWAYS):
            written = write_rows(fitting, self._table, self.token, self._actions)
        self._refuse_nulls(written.rows)
        return written

    def delete(self, where: str) -> Result | None:
        with self._session():
            files = self._find(where)
            marked = self._marked(files, where, {})  # a typo is told also where no row is found
            if not files:
                return None
            gone = F.col(MATCHED)
            part = F.when(gone, MINUS).otherwise(ROWS)
            action = F.when(gone, F.lit(DELETE))
            lines = marked.select(part.alias(PART), action.alias(ACTION), *self._columns())
            return self._rewritten(lines, files)

    def update(self, set_: Mapping[str, str], where: str | None) -> Result | None:
        wanted = self._assignments(set_)
        condition = "TRUE" if where is None else where
        with self._session():
            files = self._find(condition)
            marked = self._marked(files, condition, wanted)
            if not files:
                return None
            lines = changed_lines(marked, self._schema, updated=F.col(MATCHED))
            result = self._rewritten(lines, files)
            return self._with_keys_checked(result, set(wanted))

    def merge(self, frame: DataFrame, on: tuple[str, ...]) -> Result | None:
        columns = {c.lower() for c in frame.columns}
        given = tuple(n for n in self._schema.names if n.lower() in columns)
        on = self._key(on, given)
        unknown = columns - {n.lower() for n in given}
        wanted = self._schema if unknown else self._schema.only(given)
        values = {n: f"new.{quoted(n)}" for n in given}
        merge = Merge(
            target="old",
            source="new",
            on=" AND ".join(f"old.{quoted(n)} <=> new.{quoted(n)}" for n in on),
            schema=self._schema,
            whens=(
                When("MATCHED", None, "update", values),
                When("NOT MATCHED", None, "insert", values),
            ),
        )
        return self.merge_into(aligned(frame, wanted, self._table.uri), merge, on)

    def merge_into(
        self, frame: DataFrame, merge: Merge, unique: tuple[str, ...] = ()
    ) -> Result | None:
        """Merge the frame's rows, which are computed once; `unique` columns tell them apart."""
        with changed_settings(frame.sparkSession, ALWAYS):
            staged = self.staging.stage(frame, "rows", self._actions)
        if not staged.rows and not merge.of("NOT MATCHED BY SOURCE"):
            return None
        with self._session():
            if unique:
                refuse_ambiguous(staged.frame, unique, self._actions)
            rows = placed_frame(self._engine.own, self.snapshot)
            self._probe("write: find")
            paths = touched_paths(self._query, merge, rows, staged.frame, self._actions)
            files = self._files_at(paths)
            if not files and not merge.of("NOT MATCHED"):
                return None
            touched = snapshot_frame(self._engine.own, self.snapshot, files)
            whole_ = snapshot_frame(self._engine.own, self.snapshot)
            lines = merged_lines(self._query, merge, (touched, whole_, staged.frame))
            result = self._rewritten(lines, files)
            if not unique or set(unique) != set(self._declared.primary_key):
                result = self._with_keys_checked(result, merge.columns_set)
            return result if files or result.written.rows else None

    def compact(self) -> Result | None:
        """Few larger files with the same rows."""
        if len(self.snapshot.files) < 2 and not count_marked(self.snapshot.files):
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
            whole(self.snapshot.bytes), pinned_settings(self._engine.caller), with_callers=True
        )

    def _columns(self) -> list[Column]:
        return [F.col(quoted(n)) for n in self._schema.names]

    def _find(self, condition: str) -> tuple[TableFile, ...]:
        """The files that hold a row for which the condition is true."""
        self._probe("write: find")
        if not self.snapshot.files:
            return ()
        rows = placed_frame(self._engine.own, self.snapshot)
        found = self._query(found_rows(self._name, condition), {changing.ROWS: rows})
        paths = self._actions.submit("find", found.distinct().toArrow)
        return self._files_at(set(paths.column(0).to_pylist()))

    def _files_at(self, found: set[str]) -> tuple[TableFile, ...]:
        paths = {plain_path(p) for p in found}
        uri = self.snapshot.uri
        return tuple(
            f
            for f in self.snapshot.files
            if plain_path(spark_path(uri, f.path), encoded=False) in paths
        )

    def _marked(
        self, files: tuple[TableFile, ...], condition: str, values: Mapping[str, str]
    ) -> DataFrame:
        """The rows of files, whether each fulfils the condition, and its new values."""
        rows = snapshot_frame(self._engine.own, self.snapshot, files)
        text = marked_rows(self._name, condition, self._schema, values)
        return self._query(text, {changing.ROWS: rows})

    def _rewritten(self, lines: DataFrame, files: tuple[TableFile, ...]) -> Result:
        self._probe("write: write")
        written = write_lines(lines, self._table, self.token, self._actions)
        self._refuse_nulls(written.plus)
        return Result(written, files, has_change_files=True)

    # Constraints

    def _refuse_nulls(self, new: tuple[TableFile, ...]) -> None:
        with self._session() as spark:
            refuse_nulls(spark, self.snapshot, self._declared, new, self._actions)

    def _with_keys_checked(self, result: Result, columns: set[str]) -> Result:
        """Only a statement that sets a column of the key can add one."""
        if columns.intersection(self._declared.primary_key):
            keys = self._new_keys(result.written.plus, result.written.minus)
            self._refuse_keys(keys, self.snapshot.files)
        return result

    def _new_keys(
        self, plus: tuple[TableFile, ...], minus: tuple[TableFile, ...] = ()
    ) -> NewKeys | None:
        key = self._declared.enforced_key
        return NewKeys(self._engine.own, self.snapshot, key, plus, minus) if key and plus else None

    def _refuse_keys(self, keys: NewKeys | None, stored: tuple[TableFile, ...]) -> None:
        if keys is not None:
            with self._session():
                keys.refuse_repeated(self._actions)
                keys.refuse_stored(stored, self._actions)

    # After the write

    def rebase(self, result: Result, head: Head) -> bool:
        """Go over to a later version, if the rows fit that one too; its files that were not there
        before are searched for the new keys.
        """
        if not result.rebases or not head.version > self.head.version:
            return False
        later = self._table.snapshot(head.version)
        before = self.snapshot
        is_same = replace(later, version=before.version, files=before.files) == before
        if not is_same or head.properties != self.head.properties:
            return False
        if result.keys is not None:
            known = {f.path for f in before.files}
            with self._session():
                new = tuple(f for f in later.files if f.path not in known)
                result.keys.refuse_stored(new, self._actions)
        self.head, self.snapshot = head, later
        return True

    def discard(self) -> None:
        """Remove what was written and is part of no commit."""
        with suppress(OSError):
            self._table.remove_folder(f"data/{self.token}")
