"""Statements that take care of files: OPTIMIZE and VACUUM."""

from __future__ import annotations

from pyspark.sql import DataFrame

from everview.handles.table import Table
from everview.handles.view import View
from everview.sql.statements.parts import Kind, Name
from everview.sql.statements.values import Optimize, Vacuum
from everview.statements.results import COMPACTED, VACUUMED, rows_frame
from everview.statements.warehouse import WarehousePort


def run_optimize(wh: WarehousePort, statement: Optimize) -> DataFrame:
    handle = _handle(wh, statement.kind, statement.name)
    before = _files(wh, handle)
    version = handle.compact()
    return rows_frame(wh.spark, [(handle.name, version, before, _files(wh, handle))], COMPACTED)


def run_vacuum(wh: WarehousePort, statement: Vacuum) -> DataFrame:
    what = wh if statement.name is None else _handle(wh, statement.kind, statement.name)
    gone = what.vacuum(statement.hours, dry_run=statement.dry_run, force=statement.force)
    return rows_frame(wh.spark, [(path,) for path in gone], VACUUMED)


def _handle(wh: WarehousePort, kind: Kind | None, name: Name) -> Table | View:
    """The handle of what is stored under a name, of a kind if one was said."""
    if kind is None:
        entry = wh._world.entry(name.dotted)
        return wh.view(entry.name) if entry.kind == "view" else wh.table(entry.name)
    return wh.view(name.dotted) if kind == "MATERIALIZED VIEW" else wh.table(name.dotted)


def _files(wh: WarehousePort, handle: Table | View) -> int:
    table = wh._world.open(wh._world.entry(handle.name))
    return len(table.snapshot(table.head().version).files)
