"""Statements on tables: creating, writing, dropping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from pyspark.sql import DataFrame

from everview.errors import InvalidArgument, SchemaMismatch
from everview.facts.schema import Schema
from everview.handles.table import Table
from everview.queries import query_frame
from everview.sql.names import quoted
from everview.sql.statements.parts import (
    Assignment,
    MergeAction,
    MergeClause,
    MergeDelete,
    MergeInsert,
    MergeInsertAll,
    MergeUpdate,
    MergeUpdateAll,
    Name,
    NewColumn,
    Slice,
)
from everview.sql.statements.values import (
    CreateTable,
    DeleteFrom,
    MergeInto,
    Update,
)
from everview.sql.write.changing import Merge, WhenClause
from everview.statements.results import ROW_CHANGES, done, rows_frame
from everview.statements.warehouse import WarehousePort, checked_names, placed, rows_of, single
from everview.tables import Declared, add_table_columns, create_own_table
from everview.views.world import find_entry, public_schema


def run_create_table(wh: WarehousePort, statement: CreateTable) -> DataFrame:
    name = single(statement.name)
    if statement.if_not_exists and find_entry(wh._world.catalog.read(), name):
        return done(wh.spark)
    given = _given(wh, statement)
    keys = tuple(n.dotted for n in statement.primary_key)
    foreign: dict[str | tuple[str, ...], str | tuple[str, ...]] = {}
    for key in statement.foreign_keys:
        columns = tuple(c.dotted for c in key.columns)
        foreign[columns] = tuple(f"{key.table.dotted}.{c.dotted}" for c in key.referenced)
    declared = Declared(
        primary_key=keys,
        foreign_keys=foreign,
        partition_by=tuple(n.dotted for n in statement.partitioned_by),
        comment=statement.comment or "",
        comments={c.name.dotted: c.comment for c in statement.columns or () if c.comment},
        primary_key_enforced=not statement.primary_key_not_enforced,
        merge_on_read=statement.merge_on_read,
    )
    create_own_table(wh._world, name, given, declared)
    return done(wh.spark)


def run_add_columns(wh: WarehousePort, name: str, columns: Sequence[NewColumn]) -> None:
    table = wh._world.open(wh.table(name)._require_own())
    comments = {c.name.dotted: c.comment for c in columns if c.comment}
    add_table_columns(wh._world, table, _ddl(columns), comments)


def _ddl(columns: Sequence[NewColumn]) -> str:
    return ", ".join(
        f"{quoted(c.name.dotted)} {c.type.text}{' NOT NULL' if c.not_null else ''}" for c in columns
    )


def _given(wh: WarehousePort, statement: CreateTable) -> str | DataFrame:
    if statement.query is None:
        return _ddl(statement.columns or ())
    if statement.columns:
        raise InvalidArgument(
            "CREATE TABLE has both a list of columns and a query.",
            remedy="Leave the columns out: AS SELECT gives names and types.",
        )
    return rows_of(wh, statement.query)


def run_delete(wh: WarehousePort, statement: DeleteFrom) -> DataFrame:
    table = wh.table(statement.name.dotted)
    checked_names(wh, statement.where)
    where = "TRUE" if statement.where is None else statement.where.text
    before = table.version
    writer = table._writer().under(_alias(statement.alias, table))
    version = table._written(writer.delete(where, None))
    return changed_frame(wh, table, before, version)


def run_update(wh: WarehousePort, statement: Update) -> DataFrame:
    table = wh.table(statement.name.dotted)
    alias = _alias(statement.alias, table)
    values = _assigned(columns_of(wh, table), alias, statement.assignments)
    checked_names(wh, statement.where, *(a.value for a in statement.assignments))
    where = None if statement.where is None else statement.where.text
    before = table.version
    version = table._written(table._writer().under(alias).update(values, where, None))
    return changed_frame(wh, table, before, version)


def run_merge(wh: WarehousePort, statement: MergeInto) -> DataFrame:
    table = wh.table(statement.target.dotted)
    given, alias = _source(wh, statement)
    merge = Merge(
        target=_alias(statement.target_alias, table),
        source=alias,
        on=statement.on.text,
        schema=columns_of(wh, table),
        whens=(),
    )
    columns = {c.lower(): c for c in given.columns}
    merge = replace(merge, whens=tuple(_when(c, merge, columns) for c in statement.clauses))
    checked_names(wh, statement.on, *(c.condition for c in statement.clauses))
    for clause in statement.clauses:
        checked_names(wh, *_values(clause.action))
    before = table.version
    writer = table._writer().under(merge.target)
    version = table._written(writer.merge_into(given, merge, None))
    return changed_frame(wh, table, before, version)


def _source(wh: WarehousePort, statement: MergeInto) -> tuple[DataFrame, str]:
    """The rows to merge, and the name under which they are known."""
    source = statement.source
    if isinstance(source, Slice):
        alias = statement.source_alias
        return rows_of(wh, source), "source" if alias is None else alias.parts[-1]
    whole = statement.on.whole
    named = Slice(whole[source.start : source.end], source.start, whole)
    with placed(named, above=1):
        text = f"SELECT * FROM\n{named.text}"
        rows = query_frame(wh._world, wh.spark, text, before=wh._before_read)
    return rows, (statement.source_alias or source).parts[-1]


def _values(action: MergeAction) -> list[Slice]:
    match action:
        case MergeUpdate(assignments):
            return [a.value for a in assignments]
        case MergeInsert(_, values):
            return list(values)
        case _:
            return []


def _when(clause: MergeClause, merge: Merge, given: Mapping[str, str]) -> WhenClause:
    schema, source = merge.schema, merge.source
    condition = None if clause.condition is None else clause.condition.text
    match clause.action:
        case MergeDelete():
            return WhenClause(clause.match, condition, "delete", {})
        case MergeUpdate(assignments):
            values = _assigned(schema, merge.target, assignments)
            return WhenClause(clause.match, condition, "update", values)
        case MergeInsert(columns, values):
            names = found_columns(schema, columns, "INSERT")
            texts = {n: v.text for n, v in zip(names, values, strict=True)}
            return WhenClause(clause.match, condition, "insert", texts)
        case MergeUpdateAll():
            return WhenClause(clause.match, condition, "update", _all(schema, source, given))
        case MergeInsertAll():
            return WhenClause(clause.match, condition, "insert", _all(schema, source, given))
        case _:
            assert_never(clause.action)


def _assigned(schema: Schema, alias: str, assignments: Sequence[Assignment]) -> dict[str, str]:
    """The new values by column; a column may be qualified by the table's alias."""
    columns = []
    for column in (a.column for a in assignments):
        is_qualified = len(column.parts) == 2 and column.parts[0].lower() == alias.lower()
        parts = column.parts[1:] if is_qualified else column.parts
        columns.append(Name(parts, column.start, column.end))
    fields = [c for c in columns if len(c.parts) > 1]
    if fields:
        raise SchemaMismatch(
            f"`{fields[0].dotted}` is not a column of `{alias}`.",
            where="UPDATE SET",
            remedy="Set whole columns; for a field of a struct, give the struct anew.",
        )
    names = found_columns(schema, columns, "UPDATE SET")
    return {n: a.value.text for n, a in zip(names, assignments, strict=True)}


def _all(schema: Schema, source: str, given: Mapping[str, str]) -> dict[str, str]:
    """Every column of the table from the source's column of that name."""
    missing = [n for n in schema.names if n.lower() not in given]
    if missing:
        raise SchemaMismatch(
            f"The source has no column {', '.join(missing)}.",
            where="MERGE with *",
            remedy="Name the columns: UPDATE SET a = ..., INSERT (a) VALUES (...).",
        )
    return {n: f"{quoted(source)}.{quoted(given[n.lower()])}" for n in schema.names}


def found_columns(schema: Schema, columns: Sequence[Name | str], where: str) -> tuple[str, ...]:
    """The table's own names of columns, each named once."""
    found = [schema.find(str(c)) for c in columns]
    wrong = [str(c) for c, n in zip(columns, found, strict=True) if n is None]
    if wrong or len(set(found)) != len(found):
        what = f"no column {', '.join(wrong)}" if wrong else "a column is named twice"
        raise SchemaMismatch(
            f"The columns do not fit: {what}.",
            where=where,
            remedy=f"The table's columns are {', '.join(schema.names)}.",
        )
    return tuple(n for n in found if n is not None)


def _alias(alias: Name | None, table: Table) -> str:
    return table.name if alias is None else alias.parts[-1]


def columns_of(wh: WarehousePort, table: Table) -> Schema:
    opened = wh._world.open(wh._world.entry(table.name))
    return public_schema(opened, opened.head().version)


def changed_frame(wh: WarehousePort, table: Table, before: int, version: int) -> DataFrame:
    """What a write did, as its commit says; nothing where it made none."""
    opened = wh._world.open(wh._world.entry(table.name))
    since = opened.history(opened.head().version - version + 1) if version > before else ()
    rows: dict[str, int] = next(
        (c.metadata.get("rows", {}) for c in since if c.version == version), {}
    )
    counts = [int(rows.get(kind, 0)) for kind in ("insert", "update", "delete")]
    return rows_frame(wh.spark, [(version, *counts)], ROW_CHANGES)
