"""Stored Parquet files read and written by the driver itself, without a Spark job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from everview.errors import InvariantViolated
from everview.facts.checks import REMEDY, ROWS_MISCOUNTED
from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.facts.views import HIDDEN

_A = TypeVar("_A")
_B = TypeVar("_B")

OpenFile = Callable[[str], pa.NativeFile]
Indices = np.ndarray[tuple[int], np.dtype[np.int64]]

_THREADS = 4  # Arrow computes outside of Python's lock
HIDDEN_FIELD = f"{HIDDEN}."
COMPRESSION = "snappy"  # a third less CPU than zstd when a touched file is written anew


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Files of one table. A column is asked for by its name in the layout, where `__ev.x` is the
    field x of the hidden struct.

    `types` are the Arrow types of all columns of the layout; `open_` opens a file by its path in
    the log. InvariantViolated, with the `name` of the table, if a file does not hold as many rows
    as the log says.
    """

    types: pa.Schema
    open_: OpenFile
    name: str = ""

    def columns(self, file: DataFile, names: Sequence[str]) -> pa.Table:
        """All rows of a file, the marked ones too: a row's place is its position."""
        with self.open_(file.path) as stream, pq.ParquetFile(stream) as parquet:
            there = set(parquet.schema_arrow.names)
            paths = [n for n in names if n.startswith(HIDDEN_FIELD) or n in there]
            table = parquet.read(columns=paths)
            rows = parquet.metadata.num_rows
        self._check_rows(file, rows)
        return pa.table({n: self._column(table, n, rows) for n in names})

    def _check_rows(self, file: DataFile, rows: int) -> None:
        expected = file.physical_rows
        if expected is not None and rows != expected:
            raise InvariantViolated(
                f"{ROWS_MISCOUNTED.found}: {file.path} holds {rows} rows, not {expected}.",
                where=self.name,
                remedy=REMEDY,
            )

    def _column(self, table: pa.Table, name: str, rows: int) -> pa.ChunkedArray:
        wanted = self.types.field(name).type
        column = _field(table, name)
        if column is None:  # the file is older than the column
            return pa.chunked_array([pa.nulls(rows, wanted)])
        return column if column.type == wanted else column.cast(wanted)

    def live_rows(self, file: DataFile, names: Sequence[str]) -> pa.Table:
        """The rows of a file that are not deleted."""
        rows = self.columns(file, names)
        live = live_positions(file, rows.num_rows)
        return rows if len(live) == rows.num_rows else rows.take(pa.array(live))

    def rows_at(self, file: DataFile, positions: Indices, names: Sequence[str]) -> pa.Table:
        """The rows of a file at these positions."""
        return self.columns(file, names).take(pa.array(positions))

    def of_each(self, work: Callable[[_A], _B], items: Sequence[_A]) -> list[_B]:
        """The results of some work on each file, in their order."""
        if len(items) < 2:
            return [work(item) for item in items]
        with ThreadPoolExecutor(min(_THREADS, len(items))) as pool:
            return list(pool.map(work, items))


def marked_positions(file: DataFile) -> Indices:
    """The positions of the rows of a stored file that are deleted."""
    return np.asarray(file.deleted.to_array(), np.int64)


def live_flags(file: DataFile, rows: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Of each row of a stored file whether it counts."""
    is_live = np.ones(rows, bool)
    is_live[marked_positions(file)] = False
    return is_live


def live_positions(file: DataFile, rows: int) -> Indices:
    """The positions of the rows of a stored file that count, ascending."""
    return np.flatnonzero(live_flags(file, rows))


def packed_table(flat: pa.Table, stored: Schema) -> pa.Table:
    """Flat rows as they are stored: the public columns, then the hidden struct."""
    public = [n for n in stored.names if not n.startswith(HIDDEN_FIELD)]
    hidden = [n for n in stored.names if n.startswith(HIDDEN_FIELD)]
    packed = flat.select(public)
    if not hidden:
        return packed
    parts = [flat.column(n).combine_chunks() for n in hidden]
    struct = pa.StructArray.from_arrays(parts, [n.removeprefix(HIDDEN_FIELD) for n in hidden])
    return packed.append_column(pa.field(HIDDEN, struct.type, nullable=False), struct)


def write_file(packed: pa.Table, stream: pa.NativeFile) -> None:
    """Write rows as one Parquet file that Spark and every reader of Delta understands."""
    pq.write_table(packed, stream, compression=COMPRESSION, coerce_timestamps="us")


def _field(table: pa.Table, name: str) -> pa.ChunkedArray | None:
    """A column, or a field of the hidden struct, by its name in the layout."""
    if not name.startswith(HIDDEN_FIELD):
        return table.column(name) if name in table.column_names else None
    if HIDDEN not in table.column_names:
        return None
    struct = table.column(HIDDEN)
    inner = name.removeprefix(HIDDEN_FIELD)
    if struct.type.get_field_index(inner) < 0:
        return None
    chunks = [chunk.field(inner) for chunk in struct.chunks]
    return pa.chunked_array(chunks, struct.type.field(inner).type)
