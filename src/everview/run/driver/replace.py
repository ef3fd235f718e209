"""Stored rows replaced by the driver: marked where they lie, or their small files written anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from everview.facts.files import DataFile, Positions
from everview.facts.schema import Schema
from everview.facts.tables import Mark
from everview.lake.port import LakeTable
from everview.run.driver.locate import RowPlaces
from everview.run.driver.stored_files import (
    StoredFiles,
    live_flags,
    packed_table,
    write_file,
)


@dataclass(frozen=True, slots=True)
class StoredChange:
    """Rows that go, by their places, and rows that come, as they are stored.

    `minus` and `plus` are the rows that readers of changes are told of, `counted` how many rows a
    reader sees inserted, updated and deleted.
    """

    places: tuple[RowPlaces, ...]
    come: pa.Table
    minus: pa.Table
    plus: pa.Table
    counted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReplacedFiles:
    """The files that come and go, and the rows marked in files that stay."""

    adds: tuple[DataFile, ...]
    removes: tuple[DataFile, ...] = ()
    marks: tuple[Mark, ...] = ()
    minus: tuple[DataFile, ...] = ()
    plus: tuple[DataFile, ...] = ()


class Replacer:
    """Writes for one commit to one table; `token` names the folder of its files."""

    def __init__(self, table: LakeTable, stored: StoredFiles, schema: Schema, token: str) -> None:
        self._table = table
        self._stored = stored
        self._schema = schema
        self._folder = f"data/{token}"

    def mark(self, change: StoredChange) -> ReplacedFiles:
        """Mark the rows that go and append those that come; the marks tell what changed."""
        marks = tuple(Mark(p.file, Positions(p.positions.tolist())) for p in change.places)
        return ReplacedFiles(self._write("rows", change.come), marks=marks)

    def rewrite(self, change: StoredChange) -> ReplacedFiles:
        """Write the files anew that hold rows that go, in one file with the rows that come."""
        kept = self._stored.of_each(self._without, change.places)
        rows = pa.concat_tables([change.come, *kept])
        return ReplacedFiles(
            self._write("rows", rows),
            removes=tuple(p.file for p in change.places),
            minus=self._write("minus", change.minus),
            plus=self._write("plus", change.plus),
        )

    def tell(self, minus: pa.Table, plus: pa.Table) -> ReplacedFiles:
        """Write change files alone, for a commit whose other files are there already."""
        return ReplacedFiles((), minus=self._write("minus", minus), plus=self._write("plus", plus))

    def merge(self, files: Sequence[DataFile], order: Sequence[str]) -> tuple[DataFile, ...]:
        """Write one file with the rows of these that are not deleted, in the order of columns."""
        names = self._schema.names
        rows = pa.concat_tables(
            self._stored.of_each(lambda file: self._stored.live_rows(file, names), files)
        )
        by = [(name, "ascending") for name in order]
        return self._write("rows", rows.sort_by(by) if by else rows)

    def _without(self, place: RowPlaces) -> pa.Table:
        rows = self._stored.columns(place.file, self._schema.names)
        stays = live_flags(place.file, rows.num_rows)
        stays[place.positions] = False
        return rows.filter(pa.array(stays))

    def _write(self, part: str, rows: pa.Table) -> tuple[DataFile, ...]:
        if not rows.num_rows:
            return ()
        folder = f"{self._folder}/{part}"
        with self._table.create_file(f"{folder}/0.parquet") as stream:
            write_file(packed_table(rows.select(list(self._schema.names)), self._schema), stream)
        return tuple(f for f in self._table.written(folder) if isinstance(f, DataFile))


def bytes_of(places: Sequence[RowPlaces]) -> int:
    """The bytes of the files in which the places lie."""
    return sum(p.file.size for p in places)
