"""Files of a table that any program may have written, read by the driver as Spark reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

from everview.apply.exact import LeftToSpark
from everview.facts.files import DataFile
from everview.run.driver.held_columns import HeldColumns
from everview.run.driver.stored_files import HIDDEN_FIELD, StoredFiles

_OLD_CALENDAR = b"org.apache.spark.legacy"  # days are counted in another calendar there
_INT96 = "INT96"  # a moment in UTC, whatever Arrow makes of it


@dataclass(frozen=True, slots=True)
class SourceFiles(StoredFiles):
    """The same with values of partition columns from the log; LeftToSpark where a file may mean
    something else to Spark.
    """

    held: HeldColumns = field(default_factory=lambda: HeldColumns(0))

    def columns(self, file: DataFile, names: Sequence[str]) -> pa.Table:
        """All rows of a file, those that do not count too."""
        found = {n: self._held(file, n) for n in names}
        missing = [n for n, column in found.items() if column is None]
        if missing or not names:
            read = self._read(file, missing)
            for name in missing:
                found[name] = read.column(name)
                self.held.hold(self._place(file), name, read.column(name))
        return pa.table(found)

    def _held(self, file: DataFile, name: str) -> pa.ChunkedArray | None:
        return self.held.find(self._place(file), name, self.types.field(name).type)

    def _place(self, file: DataFile) -> str:
        return f"{self.name}/{file.path}"

    def _read(self, file: DataFile, names: Sequence[str]) -> pa.Table:
        partition = dict(file.partition)
        inside = [n for n in names if n not in partition]
        with (
            self.open_(file.path) as stream,
            pq.ParquetFile(stream, coerce_int96_timestamp_unit="us") as parquet,
        ):
            there = _readable(parquet, inside)
            table = parquet.read(columns=there)
            rows = parquet.metadata.num_rows
            moments = _int96(parquet)
        found = {}
        for name in names:
            if name in partition:
                found[name] = self._constant(name, partition[name], rows)
                continue
            wanted = self.types.field(name).type
            if name in table.column_names:
                _require_same_clock(table.column(name).type, wanted, int96=moments)
            found[name] = self._column(table, name, rows)
        return pa.table(found)

    def _constant(self, name: str, text: str | None, rows: int) -> pa.ChunkedArray:
        """A partition value, which the log holds as text, for every row."""
        wanted = self.types.field(name).type
        plain = pa.types.is_string(wanted) or pa.types.is_integer(wanted)
        if not plain and not pa.types.is_date(wanted):
            raise LeftToSpark(f"a partition value of the type {wanted}")
        value = pa.scalar(text, pa.string()).cast(wanted)
        return pa.chunked_array([pa.repeat(value, rows)])


def _readable(parquet: pq.ParquetFile, names: Sequence[str]) -> list[str]:
    """The columns among these that the file holds, hidden ones of a view by their place in the
    struct; one that it lacks is NULL.
    """
    known = parquet.schema_arrow.names
    by_case = {n.lower() for n in known}
    hidden = [n for n in names if n.startswith(HIDDEN_FIELD)]
    public = [n for n in names if n not in hidden]
    there = [n for n in public if n in known]
    if any("." in n for n in public) or any(n.lower() in by_case for n in set(public) - set(there)):
        raise LeftToSpark("a column under another name")
    if any(key.startswith(_OLD_CALENDAR) for key in parquet.metadata.metadata or {}):
        raise LeftToSpark("days in an older calendar")
    return there + hidden


def _int96(parquet: pq.ParquetFile) -> bool:
    """Whether the file has moments in the form that older writers give them."""
    return any(c.physical_type == _INT96 for c in map(parquet.schema.column, _numbers(parquet)))


def _numbers(parquet: pq.ParquetFile) -> range:
    return range(len(parquet.schema.names))


def _require_same_clock(found: pa.DataType, wanted: pa.DataType, *, int96: bool) -> None:
    """A moment and a time without a zone are not the same, though both are numbers."""
    if not (pa.types.is_timestamp(found) or pa.types.is_timestamp(wanted)):
        return
    both = pa.types.is_timestamp(found) and pa.types.is_timestamp(wanted)
    if not both or (not int96 and (found.tz is None) != (wanted.tz is None)):
        raise LeftToSpark("times of another kind")
