"""Changes of a table without the rows that came and went again, netted by the driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from everview.apply.exact import LeftToSpark
from everview.facts.files import (
    ChangeFile,
    DataFile,
    InlineFile,
    Positions,
    RowSelection,
    Sign,
    TableFile,
)
from everview.facts.tables import TableChanges
from everview.lake.storage import is_absolute
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.differences import FileRows, differences
from everview.run.driver.locate import RowPlaces, rows_at
from everview.run.driver.source_files import SourceFiles
from everview.run.driver.stored_files import OpenFile

MOST_NETTED_ROWS = 20_000  # rows that are handed to Spark as they are; more are read there again


def net_changes(
    changes: TableChanges, names: tuple[str, ...], open_: OpenFile
) -> TableChanges | None:
    """The same changes of these columns, without rows that cancel. None where that is left to Spark
    (a type that Arrow does not compare as Spark does, a file that it may read otherwise), and where
    most rows stay.

    A change data feed tells each row's sign by itself, and is taken as it is.
    """
    schema = changes.schema.only(names)
    types = arrow_schema(schema)
    signed = [c for c in changes.files if c.sign is not Sign.FEED]
    files = {sign: _files(signed, sign) for sign in (Sign.MINUS, Sign.PLUS)}
    number = sum(map(len, files.values()))
    if types is None or number < len(signed):
        return None
    stored = SourceFiles(types, open_)
    try:
        old, new = (FileRows.of(stored, files[sign]) for sign in (Sign.MINUS, Sign.PLUS))
        gone, come = differences(old, new, names)
        left = sum(len(p.positions) for p in (*gone, *come))
        if 2 * left > old.number + new.number:
            return None
        few = left <= MOST_NETTED_ROWS
        kept = _inline if few else _selected
        netted = [
            ChangeFile(file, sign)
            for places, sign in ((gone, Sign.MINUS), (come, Sign.PLUS))
            for file in kept(stored, places, names)
        ]
    except (LeftToSpark, pa.ArrowException, OverflowError, ValueError, OSError):
        return None
    feed = [c for c in changes.files if c.sign is Sign.FEED]
    return replace(changes, schema=schema, files=(*netted, *feed))


def _files(signed: Sequence[ChangeFile], sign: Sign) -> tuple[DataFile, ...]:
    """The files of a sign that lie in the table's own folder."""
    found = (c.file for c in signed if c.sign is sign)
    return tuple(f for f in found if isinstance(f, DataFile) and not is_absolute(f.path))


def _inline(
    stored: SourceFiles, places: Sequence[RowPlaces], names: Sequence[str]
) -> tuple[TableFile, ...]:
    if not places:
        return ()
    rows = rows_at(stored, places, names)
    values = tuple(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    return (InlineFile("net", tuple(names), values),)


def _selected(
    stored: SourceFiles, places: Sequence[RowPlaces], names: Sequence[str]
) -> tuple[TableFile, ...]:
    """The files themselves, with the rows of them that are left."""
    return tuple(
        replace(
            p.file,
            rows=len(p.positions),
            selection=RowSelection(Positions(p.positions.tolist()), "only"),
        )
        for p in places
    )
