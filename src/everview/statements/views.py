"""Statements on views, materialized and virtual."""

from __future__ import annotations

import dataclasses
from typing import assert_never

from pyspark.sql import DataFrame

from everview.create import create_view, create_virtual_view
from everview.errors import UnknownName
from everview.lake.catalog import Entry
from everview.run.understand.define import Defined
from everview.shape.shape import FullOnly
from everview.spark.pinned import pinned_settings
from everview.sql.names import sql_type
from everview.sql.read.inline import VirtualView
from everview.sql.statements.parts import (
    AddColumns,
    Name,
    RenameTo,
    SetComment,
    SetLocation,
    SetMergeOnRead,
    SetPolicy,
    SetSuspended,
    SetWhen,
    ViewColumn,
)
from everview.sql.statements.values import (
    AlterMaterializedView,
    AlterTable,
    AlterView,
    CreateMaterializedView,
    CreateView,
    DropMaterializedView,
    DropTable,
    DropView,
    ExplainCreate,
)
from everview.statements.results import DROPPED, done, receipts_frame, rows_frame, text_frame
from everview.statements.tables import run_add_columns
from everview.statements.warehouse import WarehousePort, in_whole, placed, single
from everview.understand import Definition, find_sources, understand
from everview.views.attachments import set_location
from everview.views.catalog_changes import alter_entry, drop_entry
from everview.views.kept import how_kept
from everview.views.schedules import when_text
from everview.views.world import KINDS, find_entry


def run_create_materialized_view(wh: WarehousePort, statement: CreateMaterializedView) -> DataFrame:
    name = single(statement.name)
    if statement.if_not_exists and find_entry(wh._world.catalog.read(), name):
        return done(wh.spark)
    with placed(statement.query, above=1 if statement.columns else 0):
        receipt = create_view(wh._world, _definition(wh, statement), replace=statement.or_replace)
    return receipts_frame(wh.spark, [receipt])


def _definition(wh: WarehousePort, statement: CreateMaterializedView) -> Definition:
    name = single(statement.name)
    columns = statement.columns or ()
    return Definition(
        name=name,
        sql=VirtualView(name, statement.query.text, _names(columns)).query,
        settings=pinned_settings(wh.spark),
        policy=statement.policy or wh._world.settings.policy,
        comment=statement.comment or "",
        comments=_comments(columns),
        cluster_by=tuple(name.dotted for name in statement.cluster_by),
        merge_on_read=statement.merge_on_read,
        when=when_text(statement.when),
    )


def run_explain_create(wh: WarehousePort, statement: ExplainCreate) -> DataFrame:
    created = statement.statement
    definition = dataclasses.replace(_definition(wh, created), policy="AUTO")
    above = 1 if created.columns else 0
    with placed(created.query, above=above):
        sources = find_sources(wh._world, definition)
        defined = understand(wh._world, definition, sources)
    shape = defined.shape
    if isinstance(shape, FullOnly) and shape.place is not None:
        place = in_whole(created.query, shape.place, above)
        defined = dataclasses.replace(defined, shape=dataclasses.replace(shape, place=place))
    policy = created.policy or wh._world.settings.policy
    return text_frame(wh.spark, _explained(definition.name, policy, defined))


def _explained(name: str, policy: str, defined: Defined) -> str:
    """What a definition would be, if it were created."""
    shape = defined.shape
    lines = [f"{name} · policy {policy} · {how_kept(shape)}"]
    if isinstance(shape, FullOnly) and policy.startswith("INCREMENTAL"):
        lines.append(f"refused: policy {policy} allows no view that is recomputed in full")
    if isinstance(shape, FullOnly) and shape.place is not None:
        lines += [f"  {line}" for line in str(shape.place).splitlines()]
    lines += ["columns", *(f"  {f.name}  {sql_type(f.type)}" for f in defined.columns.fields)]
    lines += ["reads", *(f"  {n}: {', '.join(c) or '-'}" for n, c in defined.used.items())]
    return "\n".join(lines)


def run_create_view(wh: WarehousePort, statement: CreateView) -> DataFrame:
    name = single(statement.name)
    if statement.if_not_exists and find_entry(wh._world.catalog.read(), name):
        return done(wh.spark)
    columns = statement.columns or ()
    view = VirtualView(name, statement.query.text, _names(columns), _comments(columns))
    with placed(statement.query, above=1 if columns else 0):
        create_virtual_view(wh._world, view, statement.comment or "", replace=statement.or_replace)
    return done(wh.spark)


def _names(columns: tuple[ViewColumn, ...]) -> tuple[str, ...]:
    return tuple(c.name.dotted for c in columns)


def _comments(columns: tuple[ViewColumn, ...]) -> dict[str, str]:
    return {c.name.dotted: c.comment for c in columns if c.comment}


def run_drop(
    wh: WarehousePort, statement: DropTable | DropView | DropMaterializedView
) -> DataFrame:
    kind = {DropTable: "table", DropView: "virtual", DropMaterializedView: "view"}[type(statement)]
    gone: tuple[Entry, ...] = ()
    if _known(wh, statement.name, kind, if_exists=statement.if_exists):
        gone = drop_entry(wh._world, statement.name.dotted, cascade=statement.cascade)
    rows = [(e.name, KINDS[e.kind]) for e in gone]
    return rows_frame(wh.spark, rows, DROPPED)


def run_alter(
    wh: WarehousePort, statement: AlterTable | AlterView | AlterMaterializedView
) -> DataFrame:
    kinds = {AlterTable: "table", AlterView: "virtual", AlterMaterializedView: "view"}
    kind = kinds[type(statement)]
    if not _known(wh, statement.name, kind, if_exists=statement.if_exists):
        return done(wh.spark)
    world = wh._world
    entry = world.entry(statement.name.dotted, kind)
    match statement.change:
        case RenameTo(name):
            alter_entry(world, entry, dataclasses.replace(entry, name=single(name)))
        case SetComment(comment):
            alter_entry(world, entry, dataclasses.replace(entry, comment=comment or ""))
        case SetLocation(path):
            set_location(world, entry, path)
        case SetPolicy(policy):
            wh.view(entry.name).set_policy(policy)
        case SetWhen(when):
            wh.view(entry.name).set_when(str(when))
        case SetSuspended(suspended):
            view = wh.view(entry.name)
            view.suspend() if suspended else view.resume()
        case SetMergeOnRead(value):
            handle = wh.view(entry.name) if entry.kind == "view" else wh.table(entry.name)
            handle.set_merge_on_read(value)
        case AddColumns(columns):
            run_add_columns(wh, entry.name, columns)
        case _:
            assert_never(statement.change)
    return done(wh.spark)


def _known(wh: WarehousePort, name: Name, kind: str, *, if_exists: bool) -> bool:
    """Whether it is there; if it is not and must be, an error says so."""
    try:
        wh._world.entry(name.dotted, kind)
    except UnknownName:
        if not if_exists or find_entry(wh._world.catalog.read(), name.dotted):
            raise
        return False
    return True
