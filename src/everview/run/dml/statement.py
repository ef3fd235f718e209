"""One statement on a table: the rows it leaves and the changes it makes, as one write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.apply.lines import ACTION, DELETE, MINUS, PART, ROWS
from everview.errors import InvalidArgument
from everview.facts.files import count_marked
from everview.run.dml.align import aligned_to_table
from everview.run.dml.lines import changed_lines
from everview.run.dml.marking import FoundRows, NewRows
from everview.run.dml.merge import (
    MergedRows,
    merged_lines,
    refuse_ambiguous,
    refuse_several_changes,
    touched_paths,
)
from everview.run.dml.pinned import PinnedTable
from everview.run.dml.target import Result
from everview.run.dml.touched import TouchedRows
from everview.run.rows.read import placed_frame, snapshot_frame
from everview.run.rows.staging import Staged
from everview.run.rows.write import Written, files_wanted, write_rows
from everview.spark.engine import ALWAYS
from everview.spark.session_settings import changed_settings
from everview.sql.names import quoted
from everview.sql.write.changing import (
    MATCHED,
    SOURCE_ROW,
    Merge,
    WhenClause,
    found_places,
    updated_rows,
)


class PinnedStatement:
    """One statement on a pinned table."""

    def __init__(self, on: PinnedTable) -> None:
        self._on = on
        self._rows = TouchedRows(on)

    def append(self, frame: DataFrame, *, blind: bool = True) -> Result:
        """`blind` says that the rows do not depend on those of the table."""
        written = self._write(frame)
        keys = self._on.new_keys(written.rows)
        self._on.refuse_keys(keys, self._on.snapshot.files)
        return Result(written, rebases=blind, keys=keys)

    def overwrite(self, frame: DataFrame) -> Result:
        written = self._write(frame)
        self._on.refuse_keys(self._on.new_keys(written.rows), ())
        removed = sum(f.rows or 0 for f in self._on.snapshot.files)
        changed = {**(written.changed or {}), "delete": removed}
        return Result(replace(written, changed=changed), self._on.snapshot.files)

    def _write(self, frame: DataFrame) -> Written:
        """Write the caller's rows, in the caller's session."""
        self._on.probe("write: write")
        fitting = aligned_to_table(frame, self._on.schema, self._on.table.uri)
        with changed_settings(frame.sparkSession, ALWAYS):
            written = write_rows(fitting, self._on.table, self._on.token, self._on.actions)
        self._on.refuse_nulls(written.rows)
        return written

    def delete(self, where: str) -> Result | None:
        with self._on.session():
            found = self._rows.look(found_places(self._on.name, where))
            if found is not None and not self._rows.rewrites(found):
                return (
                    self._rows.by_marks(found, (), {"delete": found.rows}) if found.rows else None
                )
            files = self._rows.find(where) if found is None else found.files
            marked = self._rows.marked(
                files, where, {}
            )  # a typo is told also where no row is found
            if not files:
                return None
            gone = F.col(MATCHED)
            part = F.when(gone, MINUS).otherwise(ROWS)
            action = F.when(gone, F.lit(DELETE))
            lines = marked.select(
                part.alias(PART), action.alias(ACTION), *map(quoted, self._on.schema.names)
            )
            return self._rows.rewritten(lines, files)

    def update(self, set_: Mapping[str, str], where: str | None) -> Result | None:
        wanted = self._assignments(set_)
        condition = "TRUE" if where is None else where
        with self._on.session():
            text = updated_rows(self._on.name, condition, self._on.schema, wanted)
            found = None if where is None else self._rows.look(text)
            if found is not None and not self._rows.rewrites(found):
                return self._updated(found, set(wanted)) if found.rows else None
            files = self._rows.find(condition) if found is None else found.files
            marked = self._rows.marked(files, condition, wanted)
            if not files:
                return None
            lines = changed_lines(marked, self._on.schema, updated=F.col(MATCHED))
            result = self._rows.rewritten(lines, files)
            return self._on.with_keys_checked(result, set(wanted))

    def _updated(self, found: FoundRows, columns: set[str]) -> Result:
        result = self._rows.by_marks(found, [NewRows(found.staged)], {"update": found.rows})
        return self._on.with_keys_checked(result, columns)

    def merge(self, frame: DataFrame, on: tuple[str, ...]) -> Result | None:
        columns = {c.lower() for c in frame.columns}
        given = tuple(n for n in self._on.schema.names if n.lower() in columns)
        on = self._key(on, given)
        unknown = columns - {n.lower() for n in given}
        wanted = self._on.schema if unknown else self._on.schema.only(given)
        values = {n: f"new.{quoted(n)}" for n in given}
        merge = Merge(
            target="old",
            source="new",
            on=" AND ".join(f"old.{quoted(n)} <=> new.{quoted(n)}" for n in on),
            schema=self._on.schema,
            whens=(
                WhenClause("MATCHED", None, "update", values),
                WhenClause("NOT MATCHED", None, "insert", values),
            ),
        )
        return self.merge_into(aligned_to_table(frame, wanted, self._on.table.uri), merge, on)

    def merge_into(
        self, frame: DataFrame, merge: Merge, unique: tuple[str, ...] = ()
    ) -> Result | None:
        """Merge the frame's rows, which are computed once; `unique` columns tell them apart."""
        with changed_settings(frame.sparkSession, ALWAYS):
            numbered = frame.withColumn(SOURCE_ROW, F.monotonically_increasing_id())
            staged = self._on.staging.stage(numbered, "rows", self._on.actions)
        if not staged.rows and not merge.of("NOT MATCHED BY SOURCE"):
            return None
        with self._on.session():
            if unique:
                refuse_ambiguous(staged.frame, unique, self._on.actions)
            result = self._merged(merge, staged)
            if result is None or (unique and set(unique) == set(self._on.declared.primary_key)):
                return result
            return self._on.with_keys_checked(result, merge.columns_set)

    def _merged(self, merge: Merge, source: Staged) -> Result | None:
        rows = placed_frame(self._on.spark, self._on.snapshot)
        merged = MergedRows(self._on.query, merge, rows, source, self._on.actions)
        self._on.probe("write: find")
        found = None
        if not self._rows.rewrites():
            changed = merged.changed()
            found = self._rows.found(changed)
            refuse_several_changes(found)
            if not self._rows.rewrites(found):
                return self._merged_by_marks(merged, found)
        if found is not None and found.marks:
            files = found.files
        else:
            paths = touched_paths(self._on.query, merge, rows, source.frame, self._on.actions)
            files = self._rows.files_at(paths)
        if not files and not merge.of("NOT MATCHED"):
            return None
        touched = snapshot_frame(self._on.spark, self._on.snapshot, files)
        whole_ = snapshot_frame(self._on.spark, self._on.snapshot)
        lines = merged_lines(self._on.query, merge, (touched, whole_, source.frame))
        result = self._rows.rewritten(lines, files)
        return result if files or result.written.rows else None

    def _merged_by_marks(self, merged: MergedRows, found: FoundRows) -> Result | None:
        new = merged.inserted(found)
        inserted = self._on.staging.nothing()
        if new is not None:
            inserted = self._on.staging.stage(new, "inserted", self._on.actions)
        if not found.rows and not inserted.rows:
            return None
        acts = merged.merge.acts("update")
        updated = found.count_of(acts)
        changed = {
            "insert": inserted.rows,
            "update": updated,
            "delete": found.rows - updated,
        }
        parts = [NewRows(found.staged, tuple(acts))] if updated else []
        parts += [NewRows(inserted)] if inserted.rows else []
        return self._rows.by_marks(found, parts, changed)

    def compact(self) -> Result | None:
        """Few larger files with the same rows."""
        if len(self._on.snapshot.files) < 2 and not count_marked(self._on.snapshot.files):
            return None
        with self._on.session():
            rows = snapshot_frame(self._on.spark, self._on.snapshot)
            count = files_wanted(self._on.snapshot.bytes)
            written = write_rows(
                rows.coalesce(count), self._on.table, self._on.token, self._on.actions
            )
        return Result(replace(written, changed={}), self._on.snapshot.files)

    # Parts of statements

    def _assignments(self, set_: Mapping[str, str]) -> dict[str, str]:
        """The expressions by the table's own column names."""
        found = {self._on.schema.find(name) or "": expression for name, expression in set_.items()}
        if "" in found or not set_ or len(found) != len(set_):
            raise InvalidArgument(
                f"{', '.join(set_) or 'nothing'} cannot be set.",
                remedy=f"Set columns of the table, each once: {', '.join(self._on.schema.names)}.",
            )
        return found

    def _key(self, on: tuple[str, ...], given: tuple[str, ...]) -> tuple[str, ...]:
        found = [self._on.schema.find(name) for name in on]
        if not on or any(name is None or name not in given for name in found):
            raise InvalidArgument(
                f"The key {', '.join(on) or '(none)'} is not in both the table and the rows.",
                remedy=f"Columns in both: {', '.join(given) or 'none'}.",
            )
        return tuple(name for name in found if name is not None)
