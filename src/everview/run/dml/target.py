"""What a statement on a table starts from, and what it leaves to be committed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from everview.facts.files import DataFile, RowSelection, TableFile
from everview.facts.tables import Mark
from everview.facts.views import TableRecord
from everview.lake.port import LakeTable
from everview.lake.storage import Storage
from everview.run.dml.primary_key import NewKeys
from everview.run.faults import FaultProbe
from everview.run.rows.write import Written
from everview.spark.engine import Engine

RunQuery = Callable[[str, Mapping[str, DataFrame]], DataFrame]
"""A text over given frames and the warehouse's tables, in our session."""


@dataclass(frozen=True, slots=True)
class Target:
    """The table a statement writes, and where it runs."""

    engine: Engine
    table: LakeTable
    warehouse: Storage
    probe: FaultProbe
    name: str
    query: RunQuery
    declared: TableRecord
    merge_on_read: str = "auto"  # where the table itself does not say
    alias: str = ""  # in conditions the table's columns may be qualified by it, or by the name


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement wrote, which files that replaces, and which rows it marks in others.

    One that `rebases` may be committed on a later version than it was prepared on, if that
    holds none of its new keys.
    """

    written: Written
    removed: tuple[TableFile, ...] = ()
    marks: tuple[Mark, ...] = ()
    has_change_files: bool = False
    rebases: bool = False
    keys: NewKeys | None = None  # where a primary key is enforced

    @property
    def come(self) -> tuple[TableFile, ...]:
        """Files with the new rows of an UPDATE or MERGE."""
        return self.written.plus if self.has_change_files else self.written.rows

    @property
    def gone(self) -> tuple[TableFile, ...]:
        """Files with the rows that it takes away."""
        if self.has_change_files:
            return self.written.minus
        files = ((mark.file, mark.rows) for mark in self.marks)
        return tuple(
            replace(file, rows=len(rows), selection=RowSelection(rows, "only"))
            for file, rows in files
            if isinstance(file, DataFile)
        )
