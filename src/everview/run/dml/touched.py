"""The rows that a statement touches: found, then marked where they lie or written anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from everview.facts.files import TableFile
from everview.lake.storage import spark_path
from everview.run.dml.marking import FoundRows, NewRows, found_rows, why_rewrite, write_new_rows
from everview.run.dml.pinned import PinnedTable
from everview.run.dml.target import Result
from everview.run.rows.read import placed_frame, plain_path, snapshot_frame
from everview.run.rows.write import Written, write_lines
from everview.spark.log import LOG
from everview.sql.write import changing
from everview.sql.write.changing import found_paths, marked_rows


class TouchedRows:
    """Finds rows of one pinned table, and writes what replaces them."""

    def __init__(self, on: PinnedTable) -> None:
        self._on = on

    def find(self, condition: str) -> tuple[TableFile, ...]:
        """The files that hold a row for which the condition is true."""
        self._on.probe("write: find")
        if not self._on.snapshot.files:
            return ()
        rows = placed_frame(self._on.spark, self._on.snapshot)
        found = self._on.query(found_paths(self._on.name, condition), {changing.TARGET_ROWS: rows})
        paths = self._on.actions.submit("find", found.distinct().toArrow)
        return self.files_at(set(paths.column(0).to_pylist()))

    def files_at(self, found: set[str]) -> tuple[TableFile, ...]:
        """The files of the table with these paths, as Spark spells them."""
        paths = {plain_path(p) for p in found}
        uri = self._on.snapshot.uri
        return tuple(
            f
            for f in self._on.snapshot.files
            if plain_path(spark_path(uri, f.path), encoded=False) in paths
        )

    def marked(
        self, files: tuple[TableFile, ...], condition: str, values: Mapping[str, str]
    ) -> DataFrame:
        """The rows of files, whether each fulfils the condition, and its new values."""
        rows = snapshot_frame(self._on.spark, self._on.snapshot, files)
        text = marked_rows(self._on.name, condition, self._on.schema, values)
        return self._on.query(text, {changing.TARGET_ROWS: rows})

    def rewrites(self, found: FoundRows | None = None) -> bool:
        """Whether files are written anew, for a reason that the log tells."""
        why = why_rewrite(self._on.table, self._on.snapshot, self._on.merge_on_read, found)
        if why:
            LOG.debug("%s: files are written anew: %s", self._on.name, why)
        return bool(why)

    def look(self, text: str) -> FoundRows | None:
        """The rows that a query finds, None if files are written anew without that."""
        if self.rewrites():
            return None
        self._on.probe("write: find")
        rows = placed_frame(self._on.spark, self._on.snapshot)
        return self.found(self._on.query(text, {changing.TARGET_ROWS: rows}))

    def found(self, rows: DataFrame | None) -> FoundRows:
        """The rows of a frame, computed once, with their places; of no frame none."""
        staged = self._on.staging.nothing()
        if rows is not None:
            staged = self._on.staging.stage(rows, "find", self._on.actions)
        return found_rows(staged, self._on.snapshot)

    def by_marks(
        self, found: FoundRows, parts: Sequence[NewRows], changed: Mapping[str, int]
    ) -> Result:
        """The rows found are marked, and the rows of the parts come."""
        self._on.probe("write: write")
        files = write_new_rows(
            self._on.table, self._on.schema, self._on.token, parts, self._on.actions
        )
        self._on.refuse_nulls(files)
        changed = {"insert": 0, "update": 0, "delete": 0, **changed}
        return Result(Written(files, changed=changed), marks=found.marks)

    def rewritten(self, lines: DataFrame, files: tuple[TableFile, ...]) -> Result:
        """The files are replaced by those of the lines."""
        self._on.probe("write: write")
        written = write_lines(lines, self._on.table, self._on.token, self._on.actions)
        self._on.refuse_nulls(written.plus)
        return Result(written, files, has_change_files=True)
