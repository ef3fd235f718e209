"""The rows that a reader of a table or view sees, as far as no Spark is needed for them."""

from __future__ import annotations

import pyarrow as pa

from everview.facts.schema import Field, Schema
from everview.facts.views import Tail
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.run.driver.read import rows_by_driver
from everview.views.world import World, seen_of


def arrow_rows(world: World, entry: Entry, version: int | None) -> pa.Table | None:
    """The public columns at the newest or an older version; None if that is left to Spark: of a
    view that orders or cuts its rows on read, of a table that other writers write, and of what
    the driver does not read.
    """
    if entry.kind not in ("table", "view"):
        return None
    table = world.open(entry)
    at = table.head().version if version is None else version
    snapshot = table.snapshot(at) if version is None else table.readable_snapshot(at)
    columns, tail = seen_of(snapshot)
    if tail is None:
        return rows_by_driver(table, snapshot, columns)
    if tail.cuts or tail.order:
        return None
    rows = rows_by_driver(table, snapshot, Schema((*columns.fields, _flag(tail))))
    return None if rows is None else _shown(rows, tail)


def number_of_rows(table: LakeTable) -> int | None:
    """How many rows a reader sees at the newest version, None if that is left to Spark."""
    snapshot = table.snapshot(table.head().version)
    stored, tail = snapshot.rows, seen_of(snapshot)[1]
    if stored is None or tail is None:
        return stored
    if tail.shown:
        flags = rows_by_driver(table, snapshot, Schema((_flag(tail),)))
        if flags is None:
            return None
        stored = _shown(flags, tail).num_rows
    return tail.left(stored)


def _flag(tail: Tail) -> Field:
    return Field(tail.shown, "boolean")


def _shown(rows: pa.Table, tail: Tail) -> pa.Table:
    """The rows that a reader sees, without the column that says so."""
    return rows.filter(rows.column(tail.shown)).drop_columns([tail.shown])
