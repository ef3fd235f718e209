"""Rows of a table found where they lie, to be marked there, and the rows that come written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.choose.cost import MOST_REWRITTEN
from everview.facts.files import DataFile, Positions, TableFile
from everview.facts.merge_on_read import marking_wish
from everview.facts.schema import Schema
from everview.facts.tables import Mark, Snapshot
from everview.lake.port import LakeTable
from everview.lake.storage import decoded, spark_path
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.stored_files import write_file
from everview.run.rows.read import plain_path
from everview.run.rows.staging import Staged
from everview.run.rows.write import write_rows
from everview.spark.engine import Actions
from everview.sql.write.changing import ACT, PATH, ROW, SOURCE_ROW, new_name

# A statement finds its rows in one Spark job, which stages of each row its place (file and index
# in the file) and what it becomes. The rows that go are then marked in their files, and the rows
# that come are appended: a few thousand by the driver as one file, others by Spark. Where little
# would be saved, the touched files are written anew in place of that.
#
#     DELETE of 6,000 rows in 16 files of 10 MB     16 vectors
#     UPDATE of the same rows                       16 vectors, one file of 6,000 rows
#     UPDATE of 10 rows in a file of 1 MB           that file written anew

_NO_PLACES = pa.schema(
    [
        (PATH, pa.dictionary(pa.int32(), pa.string())),
        (ROW, pa.int64()),
        (SOURCE_ROW, pa.int64()),
        (ACT, pa.int32()),
    ]
)
MOST_MARKED = 2_000_000  # rows: their places are brought to the driver
MOST_SHARE = 0.2  # of the rows of files that keep some: every reader passes over marked rows


def why_rewrite(
    table: LakeTable, snapshot: Snapshot, setting: str, found: FoundRows | None = None
) -> str:
    """Why files are written anew rather than rows marked in them, "" if the rows are marked: before
    they are looked for, and again when they are found. `setting` holds where the table does not
    say whether rows may be marked.
    """
    if found is not None:
        return _why_rewrite_found(found)
    wish = marking_wish(snapshot.properties, setting)
    if wish.forbids:
        return str(wish)
    if not all(isinstance(f, DataFile) for f in snapshot.files):
        return "its files are not Parquet"
    if snapshot.bytes <= MOST_REWRITTEN:
        return f"the table is small, {snapshot.bytes:,} bytes"
    return table.why_not_mark()


def _why_rewrite_found(found: FoundRows) -> str:
    size = sum(f.size for f in found.files)
    if found.files and size <= MOST_REWRITTEN:
        return f"the files are small, {size:,} bytes"
    if found.rows > MOST_MARKED:
        return f"{found.rows:,} rows are more than are marked"
    kept = [(m.file, len(m.rows)) for m in found.marks if len(m.rows) != m.file.rows]
    before = sum(_deleted(file) for file, _ in kept)
    every = before + sum(file.rows or 0 for file, _ in kept)
    if before + sum(new for _, new in kept) > MOST_SHARE * every:
        return f"more than {MOST_SHARE:.0%} of the rows of the files would be marked"
    return ""


def _deleted(file: TableFile) -> int:
    return len(file.deleted) if isinstance(file, DataFile) else 0


@dataclass(frozen=True)
class FoundRows:
    """Rows that a statement changes, staged with their places and what they become.

    `files` are those in which they lie. Of too many to be marked the places are not brought here,
    and there are no `marks`.
    """

    staged: Staged
    places: pa.Table
    files: tuple[TableFile, ...]
    marks: tuple[Mark, ...]

    @property
    def rows(self) -> int:
        return self.staged.rows

    @property
    def most_repeated(self) -> int:
        """How often the row was found that was found most often, as far as places are known."""
        if not self.marks or sum(len(m.rows) for m in self.marks) == self.places.num_rows:
            return 1 if self.marks else 0
        counts = self.places.group_by([PATH, ROW]).aggregate([([], "count_all")])
        most: int = pc.max(counts.column("count_all")).as_py()
        return most

    @property
    def source_rows(self) -> pa.ChunkedArray:
        """The numbers of the source rows that the rows were found for."""
        return self.places.column(SOURCE_ROW)

    def count_of(self, acts: Sequence[int]) -> int:
        """How many of the rows these clauses of a MERGE change."""
        chosen = pc.is_in(self.places.column(ACT), value_set=pa.array(acts, pa.int32()))
        return int(pc.sum(chosen).as_py() or 0)


def found_rows(staged: Staged, snapshot: Snapshot) -> FoundRows:
    """The staged rows with the files of the snapshot in which they lie."""
    by_path = {
        plain_path(spark_path(snapshot.uri, f.path), encoded=False): f for f in snapshot.files
    }
    wanted = [c for c in (PATH, ROW, SOURCE_ROW, ACT) if c in staged.schema.names]
    is_marked = staged.rows <= MOST_MARKED
    places = _columns(staged, wanted if is_marked else [PATH])
    paths = places.column(PATH).combine_chunks()
    names = [plain_path(p) for p in paths.dictionary.to_pylist()]
    files = tuple(by_path[name] for name in names)
    if not is_marked:
        return FoundRows(staged, places, files, ())
    rows = places.column(ROW).to_numpy()
    file_of = paths.indices.to_numpy()
    order = np.argsort(file_of, kind="stable")
    ends = np.searchsorted(file_of[order], np.arange(len(files) + 1))
    marks = tuple(
        Mark(file, Positions(rows[order[ends[i] : ends[i + 1]]].tolist()))
        for i, file in enumerate(files)
    )
    return FoundRows(staged, places, files, marks)


def _columns(staged: Staged, names: list[str]) -> pa.Table:
    """Columns of staged rows, the paths as one dictionary."""
    tables = []
    for file in staged.files:
        with staged.storage.open(decoded(file.path)) as stream:
            tables.append(pq.read_table(stream, columns=names, read_dictionary=[PATH]))
    if not tables:
        return _NO_PLACES.empty_table()
    return pa.concat_tables(tables).unify_dictionaries()


@dataclass(frozen=True, slots=True)
class NewRows:
    """Staged rows whose new values are rows of the table: all, or those that these clauses
    change.
    """

    staged: Staged
    acts: tuple[int, ...] | None = None

    def table(self, types: pa.Schema) -> pa.Table:
        """The rows on the driver; only asked of few."""
        if not self.staged.files:
            return types.empty_table()
        rows = self.staged.table
        if self.acts is not None:
            rows = rows.filter(pc.is_in(rows.column(ACT), pa.array(self.acts, pa.int32())))
        values = rows.select([new_name(i) for i, _ in enumerate(types)])
        return values.rename_columns(types.names).cast(types)

    def frame(self, schema: Schema) -> DataFrame:
        rows = self.staged.frame
        if self.acts is not None:
            rows = rows.where(F.col(ACT).isin(*self.acts))
        names = enumerate(schema.names)
        return rows.select(*(F.col(new_name(i)).alias(n) for i, n in names))


def write_new_rows(
    table: LakeTable, schema: Schema, token: str, parts: Sequence[NewRows], actions: Actions
) -> tuple[TableFile, ...]:
    """Files with the rows that come: one by the driver where the rows are few, else by Spark."""
    types = arrow_schema(schema)
    if not parts:
        return ()
    is_few = all(part.staged.is_small for part in parts)
    if types is None or table.partition_by() or not is_few:
        frames = [part.frame(schema) for part in parts]
        rows = reduce(DataFrame.unionAll, frames)
        return write_rows(rows, table, token, actions).rows
    rows_here = pa.concat_tables([part.table(types) for part in parts])
    return actions.timed("write", lambda: _write_here(table, token, rows_here))


def _write_here(table: LakeTable, token: str, rows: pa.Table) -> tuple[TableFile, ...]:
    if not rows.num_rows:
        return ()
    folder = f"data/{token}/rows"
    with table.create_file(f"{folder}/0.parquet") as stream:
        write_file(rows, stream)
    return table.written(folder)
