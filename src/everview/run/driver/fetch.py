"""The few rows of a source that a refresh needs, fetched by the driver itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from everview.algebra.ranges import Range
from everview.apply.exact import LeftToSpark
from everview.choose.cost import MOST_FETCHED_ROWS, MOST_LOOKED_AT
from everview.facts.files import ChangeFile, DataFile, InlineFile, Sign, TableFile
from everview.facts.schema import Schema
from everview.facts.tables import Snapshot, TableChanges
from everview.lake.storage import is_absolute
from everview.optimize.select import files_with_keys
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.held_columns import HeldColumns
from everview.run.driver.inline import inline_rows
from everview.run.driver.source_files import SourceFiles
from everview.run.driver.stored_files import Indices, OpenFile, live_flags, live_positions

# What goes in: a source at some version or its changes, the columns that are needed, and the
# values that some of them may have. What comes out: these rows as an Arrow table, or None where
# Spark should read them: they are many, or the columns that must be looked at are, or a file may
# mean something else to Spark.
#
# A change touches a few thousand rows of a table of millions. Arrow finds them in one column and
# takes the others of these rows alone; Spark reads, decodes, tests and hands over every row, and
# compiles code for it. What Spark then gets is a small relation.
#
#     orders with o_orderkey in (5, 7, 9)     one column of 1,500,000 rows is looked at,
#                                             three rows of the others are taken


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A table as the driver reads it: its name, how a file of it is opened, and what was read."""

    name: str
    open_: OpenFile
    held: HeldColumns


@dataclass(frozen=True, slots=True)
class FetchedRows:
    """Rows on the driver, and how many bytes of files were looked at for them."""

    table: pa.Table
    bytes: int


def rows_of_changes(
    changes: TableChanges, names: Sequence[str], source: OpenedSource, weight: str
) -> FetchedRows | None:
    """These columns of the rows that go and come, with their weight as the last one."""
    if changes.rows is None or changes.rows > MOST_FETCHED_ROWS:
        return None
    if any(c.sign is Sign.FEED for c in changes.files):
        return None
    reader = _Reader.of(changes.schema, names, source)
    if reader is None:
        return None
    return reader.unless_left(lambda: _rows_of_changes(reader, changes.files, weight))


def rows_with_values(
    snapshot: Snapshot, names: Sequence[str], wanted: Mapping[str, Range], source: OpenedSource
) -> FetchedRows | None:
    """These columns of the rows that have, in each of some of them, one of a few values."""
    reader = _Reader.of(snapshot.schema, names, source)
    if reader is None:
        return None
    files = snapshot.files
    for name, range_ in wanted.items():
        keys = [(v,) for v in range_.values or ()] + ([(None,)] if range_.null else [])
        files = files_with_keys(files, (name,), keys)
    return reader.unless_left(lambda: _rows_with_values(reader, files, wanted))


def all_rows(snapshot: Snapshot, names: Sequence[str], source: OpenedSource) -> FetchedRows | None:
    """These columns of all rows."""
    reader = _Reader.of(snapshot.schema, names, source)
    if reader is None or snapshot.rows is None or snapshot.rows > MOST_FETCHED_ROWS:
        return None
    empty = reader.stored.types.empty_table()

    def read() -> FetchedRows:
        found = reader.stored.of_each(reader.all_rows, snapshot.files)
        return FetchedRows(pa.concat_tables([empty, *found]), snapshot.bytes)

    return reader.unless_left(read)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads some columns of the files of one table."""

    schema: Schema
    stored: SourceFiles

    @staticmethod
    def of(schema: Schema, names: Sequence[str], source: OpenedSource) -> _Reader | None:
        """None if a column is of a type that only Spark holds."""
        some = schema.only(tuple(names))
        types = arrow_schema(some)
        return (
            None
            if types is None
            else _Reader(some, SourceFiles(types, source.open_, source.name, source.held))
        )

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    def unless_left(self, read: Callable[[], FetchedRows | None]) -> FetchedRows | None:
        """What is read, None where that is left to Spark."""
        try:
            return read()
        except (LeftToSpark, pa.ArrowException, OverflowError, ValueError, OSError):
            return None

    def bytes_of(self, files: Sequence[DataFile]) -> int:
        """About how many bytes the columns have in the files, by what they have in the largest."""
        if not files:
            return 0
        largest = max(files, key=lambda f: f.size)
        with self.stored.open_(largest.path) as stream:
            share = _share_of(pq.read_metadata(stream), frozenset(self.names))
        return int(share * sum(f.size for f in files))

    def inline(self, file: InlineFile) -> pa.Table:
        return inline_rows([file], self.schema).cast(self.stored.types)

    def all_rows(self, file: TableFile) -> pa.Table:
        """The rows of a file that count."""
        if isinstance(file, InlineFile):
            return self.inline(file)
        rows = self.stored.columns(file, self.names)
        chosen = file.selection
        if chosen is None:
            return rows
        if chosen.kind == "only":
            return rows.take(pa.array(np.asarray(chosen.rows.to_array(), np.int64)))
        return rows.take(pa.array(live_positions(file, rows.num_rows)))


def _rows_of_changes(
    reader: _Reader, files: Sequence[ChangeFile], weight: str
) -> FetchedRows | None:
    size = reader.bytes_of(_data_files([c.file for c in files]))
    if size > MOST_LOOKED_AT:
        return None

    def weighted(change: ChangeFile) -> pa.Table:
        rows = reader.all_rows(change.file)
        sign = 1 if change.sign is Sign.PLUS else -1
        return rows.append_column(weight, pa.array(np.full(rows.num_rows, sign, np.int64)))

    empty = reader.stored.types.append(pa.field(weight, pa.int64())).empty_table()
    return FetchedRows(pa.concat_tables([empty, *reader.stored.of_each(weighted, files)]), size)


def _rows_with_values(
    reader: _Reader, files: Sequence[TableFile], wanted: Mapping[str, Range]
) -> FetchedRows | None:
    data = _data_files(files)
    size = reader.bytes_of(data)
    if size > MOST_LOOKED_AT:
        return None
    tests = {
        name: partial(
            _is_wanted, values=_values(r, reader.stored.types.field(name).type), null=r.null
        )
        for name, r in wanted.items()
    }

    def places(file: DataFile) -> Indices:
        chosen: Indices | None = None
        for name, test in tests.items():
            if chosen is not None and not len(chosen):
                break
            held = reader.stored.columns(file, [name]).column(0)
            if chosen is None:
                chosen = np.asarray(pc.indices_nonzero(test(held)), np.int64)
                if len(file.deleted):
                    chosen = chosen[live_flags(file, len(held))[chosen]]
            else:
                some = test(held.take(pa.array(chosen)))
                chosen = chosen[some.to_numpy(zero_copy_only=False)]
        assert chosen is not None, "values of some column are wanted"
        return chosen

    found = [reader.inline(f) for f in files if isinstance(f, InlineFile)]
    for name, test in tests.items():
        found = [rows.filter(test(rows.column(name))) for rows in found]
    located = list(zip(data, reader.stored.of_each(places, data), strict=True))
    some = [(file, positions) for file, positions in located if len(positions)]
    if sum(len(p) for _, p in some) + sum(rows.num_rows for rows in found) > MOST_FETCHED_ROWS:
        return None
    found += reader.stored.of_each(lambda at: reader.stored.rows_at(*at, reader.names), some)
    return FetchedRows(pa.concat_tables([reader.stored.types.empty_table(), *found]), size)


def _values(wanted: Range, type_: pa.DataType) -> pa.Array:
    """The values that a column of this type can have."""
    values = sorted(wanted.values or ())
    if pa.types.is_integer(type_):
        beyond = 1 << (type_.bit_width - 1)
        values = [v for v in values if -beyond <= v < beyond]
    return pa.array(values, type_)


def _is_wanted(held: pa.ChunkedArray, values: pa.Array, *, null: bool) -> pa.ChunkedArray:
    found = pc.is_in(held, value_set=values, skip_nulls=True)
    return pc.or_(found, pc.is_null(held)) if null else found


def _data_files(files: Sequence[TableFile]) -> tuple[DataFile, ...]:
    """The files in the table's own folder; others are Spark's to find."""
    data = tuple(f for f in files if isinstance(f, DataFile))
    if any(is_absolute(f.path) for f in data):
        raise LeftToSpark("a file elsewhere")
    return data


def _share_of(footer: pq.FileMetaData, names: frozenset[str]) -> float:
    """The share of a file's bytes that some columns have."""
    some = every = 0
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            every += column.total_compressed_size
            path = column.path_in_schema
            if path in names or path.split(".")[0] in names:
                some += column.total_compressed_size
    return some / max(1, every)
