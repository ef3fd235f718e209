"""The leaves of a plan as DataFrames, from the pinned facts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.algebra.ranges import Range
from everview.algebra.relations import Changes, Local, Scan
from everview.algebra.scalars import Columns
from everview.facts.files import TableFile
from everview.facts.receipts import Read
from everview.facts.refreshes import STORED, RefreshFacts
from everview.facts.schema import Schema
from everview.facts.tables import Snapshot, TableChanges
from everview.optimize.leaf_facts import FewValues
from everview.optimize.select import files_within, ranges_that_cut
from everview.run.driver.fetch import FetchedRows
from everview.run.driver.held_columns import HeldColumns
from everview.run.rows.fetched import Fetched
from everview.run.rows.read import changes_frame, flattened, snapshot_frame, spark_schema
from everview.run.rows.staging import Staged
from everview.run.rows.tails import shown_column, shown_frame
from everview.spark.engine import Engine
from everview.sql.names import quoted
from everview.sql.write.door import SourceLeaf, Sql

MOST_EVALUATED = 150_000  # rows: for more it pays to compile code
_SMALL_SHARE = 8  # a file with less than an eighth of the largest one's rows is a small one


LeafColumns = tuple[Scan | Changes, Columns]  # a leaf, and those that are fetched
FetchOnce = Callable[[Hashable, Callable[[], FetchedRows | None]], tuple[FetchedRows | None, bool]]


def fetch_now(
    _: Hashable, fetch: Callable[[], FetchedRows | None]
) -> tuple[FetchedRows | None, bool]:
    """The rows of a leaf that nobody else needs."""
    return fetch(), True


@dataclass(frozen=True, slots=True)
class Frames:
    """Gives each leaf its rows, and keeps account of what was read: one account for all that are
    made from each other.
    """

    engine: Engine
    facts: RefreshFacts
    view_scan: str
    local: Mapping[str, Staged | Fetched] = field(default_factory=dict)  # rows at hand
    touched: tuple[TableFile, ...] | None = None  # the files of the stored view to read; None: all
    stored_rows: pa.Table | None = None  # the rows of the stored view to read; None: by files
    read: dict[str, Read] = field(default_factory=dict)
    made: dict[tuple[str, object], DataFrame] = field(default_factory=dict)  # by version or changes
    values: dict[str, FewValues] = field(default_factory=dict)  # of rows at hand, by their name
    held: HeldColumns = field(default_factory=HeldColumns)
    fetched: dict[LeafColumns, Fetched | None] = field(default_factory=dict)  # None: left to Spark
    fetch_once: FetchOnce = fetch_now  # rows that other views of the run read too

    def run(self, query: Sql) -> DataFrame:
        """The query over the pinned rows."""
        return self.engine.sql(query, self._all(query.leaves))

    def are_few(self, leaves: Iterable[Scan | Changes | Local]) -> bool:
        """Whether all of these are at hand, and few rows together."""
        held = [self.local.get(leaf.name) if isinstance(leaf, Local) else None for leaf in leaves]
        rows = [MOST_EVALUATED + 1 if some is None else some.rows for some in held]
        return sum(rows) <= MOST_EVALUATED

    def _all(self, leaves: Mapping[str, SourceLeaf]) -> dict[SourceLeaf, DataFrame]:
        return {leaf: self._frame(leaf) for leaf in leaves.values()}

    def _frame(self, leaf: SourceLeaf) -> DataFrame:
        match leaf:
            case Local(name, _):
                return self.local[name].frame
            case Scan(table, _, _) if table == self.view_scan and self.stored_rows is not None:
                schema = spark_schema(self.facts.stored.record.layout.stored)
                return self.engine.own.createDataFrame(self.stored_rows, schema)
            case Scan(table, _, _) if table == self.view_scan:
                files = self.touched
                return self.stored(self.facts.stored.snapshot.files if files is None else files)
            case Scan(table, _, _) if table == STORED:
                ranges = leaf.ranges()
                files = files_within(self.facts.stored.snapshot.files, ranges)
                return _within(self.stored(files), ranges_that_cut(ranges, files))
            case Scan(table, at, _):
                snapshot = self.facts.source(table).at(at)
                files = files_within(snapshot.files, leaf.ranges())
                rows = self.source(table, replace(snapshot, files=files), leaf.ranges())
                return _within(rows, ranges_that_cut(leaf.ranges(), files))
            case Changes(table, _):
                return self._changes(table)

    def source(
        self, name: str, snapshot: Snapshot, within: Mapping[str, Range] = MappingProxyType({})
    ) -> DataFrame:
        """A source's recorded columns at a snapshot, of which files outside of these ranges were
        left out; a column that came later is not seen, one that nobody uses and that is gone is
        NULL.
        """
        self.count(name, Read(snapshot.rows, snapshot.bytes))
        made = name, (snapshot.version, frozenset(within.items()))
        if made not in self.made:
            self.made[made] = self._source(name, snapshot)
        return self.made[made]

    def _source(self, name: str, snapshot: Snapshot) -> DataFrame:
        frame = shown_frame(self.engine.own, snapshot, self.facts.source(name).tail)
        recorded = self.facts.schema(name)
        frame = _filled(frame, recorded)
        is_plain = frame.columns == list(recorded.names)
        return frame if is_plain else frame.select(*map(quoted, recorded.names))

    def stored(self, files: tuple[TableFile, ...]) -> DataFrame:
        """Rows of the stored view, hidden fields as columns."""
        large, small = _by_size(files)
        spark, snapshot = self.engine.own, self.facts.stored.snapshot
        frame = snapshot_frame(spark, snapshot, large)
        if small:
            frame = frame.unionAll(snapshot_frame(spark, snapshot, small).coalesce(1))
        return flattened(frame, self.facts.stored.record.layout.stored)

    def _changes(self, name: str) -> DataFrame:
        source = self.facts.source(name)
        assert isinstance(source.changes, TableChanges)
        self.count_changes(name)
        if (name, None) not in self.made:
            frame = changes_frame(self.engine.own, source.changes, source.at_new.partition_by)
            if source.tail is not None and source.tail.shown:
                frame = frame.filter(shown_column(source.tail))
            recorded = self.facts.schema(name)
            self.made[name, None] = _filled(frame, recorded)
        return self.made[name, None]

    def count_changes(self, name: str) -> None:
        """Take the changes of a source into the account, as the log tells them."""
        source = self.facts.source(name)
        assert isinstance(source.changes, TableChanges)
        held = source.changes if source.gross is None else source.gross
        self.count(name, Read(held.rows, held.bytes, held.rows))

    def count(self, name: str, read: Read) -> None:
        """Take what was read of a source into the account; the view itself is none."""
        if name != STORED:
            self.read[name] = self.read.get(name, Read(0, 0)) + read


def _filled(frame: DataFrame, recorded: Schema) -> DataFrame:
    """The rows with all recorded columns, those that are not there any more as NULL."""
    there = set(frame.columns)
    missing = Schema(tuple(f for f in recorded.fields if f.name not in there))
    for column in spark_schema(missing):
        frame = frame.withColumn(column.name, F.lit(None).cast(column.dataType))
    return frame


def _within(frame: DataFrame, within: Mapping[str, Range]) -> DataFrame:
    """The rows within these ranges, for Spark to leave out parts of files too."""
    for name, range_ in within.items():
        column = F.col(quoted(name))
        inside = F.lit(False)
        if not range_.has_no_value:
            inside = column.between(_literal(range_.low), _literal(range_.high))
        frame = frame.filter(inside | column.isNull() if range_.null else inside)
    return frame


def _literal(value: int | str | date) -> Column:
    """A day by its text: a Python date goes through Java's, which has another calendar before 1582
    and fails before the year 1000.
    """
    return F.expr(f"DATE'{value.isoformat()}'") if isinstance(value, date) else F.lit(value)


def _by_size(
    files: tuple[TableFile, ...],
) -> tuple[tuple[TableFile, ...], tuple[TableFile, ...]]:
    """Files to be written anew one by one, and several small ones that become one."""
    largest = max((f.rows or 0 for f in files), default=0)
    small = tuple(f for f in files if (f.rows or 0) * _SMALL_SHARE < largest)
    if len(small) < 2:
        return files, ()
    return tuple(f for f in files if f not in small), small
