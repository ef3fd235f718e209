"""Statements on tables: creating, writing, dropping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.errors import InvalidArgument, SchemaMismatch
from everview.facts.schema import Field, Schema
from everview.handles import Table
from everview.queries import query_frame
from everview.run.read import schema_of
from everview.sql.changing import Merge, When, assigned
from everview.sql.names import quoted
from everview.sql.statements.parts import (
    Assignment,
    MergeClause,
    MergeDelete,
    MergeInsert,
    MergeInsertAll,
    MergeUpdate,
    MergeUpdateAll,
    Name,
)
from everview.sql.statements.values import (
    CreateTable,
    DeleteFrom,
    InsertInto,
    InsertOverwrite,
    MergeInto,
    Update,
)
from everview.statements.results import CHANGES, done, rows_frame
from everview.statements.warehouse import Warehouse, rows_of, single
from everview.tables import Declared, create_table
from everview.views.world import find_entry, public_schema


def run_create_table(wh: Warehouse, statement: CreateTable) -> DataFrame:
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
    )
    create_table(wh._world, name, given, declared)
    return done(wh.spark)


def _given(wh: Warehouse, statement: CreateTable) -> str | DataFrame:
    if statement.query is None:
        return ", ".join(
            f"{quoted(c.name.dotted)} {c.type.text}{' NOT NULL' if c.not_null else ''}"
            for c in statement.columns or ()
        )
    if statement.columns:
        raise InvalidArgument(
            "CREATE TABLE has both a list of columns and a query.",
            remedy="Leave the columns out: AS SELECT gives names and types.",
        )
    return rows_of(wh, statement.query)


def run_insert(wh: Warehouse, statement: InsertInto | InsertOverwrite) -> DataFrame:
    table = wh.table(statement.name.dotted)
    rows = rows_of(wh, statement.query)
    fitting = _positioned(rows, _schema(wh, table), statement.columns, table.name)
    before = table.version
    is_whole = isinstance(statement, InsertOverwrite)
    version = table.overwrite(fitting) if is_whole else table.append(fitting)
    return _changed(wh, table, before, version)


def _positioned(
    rows: DataFrame, schema: Schema, columns: Sequence[Name] | None, table: str
) -> DataFrame:
    """The rows under the table's names, by position as SQL does; a column left out is NULL."""
    names = schema.names if columns is None else _found(schema, columns, table)
    if len(names) != len(rows.columns):
        raise SchemaMismatch(
            f"{len(rows.columns)} values for {len(names)} columns.",
            where=table,
            remedy=f"The columns are {', '.join(names)}.",
        )
    given = schema_of(rows.toDF(*(f"c{i}" for i, _ in enumerate(names))))
    named = rows.toDF(*given.names)
    place = {name: given.fields[i] for i, name in enumerate(names)}
    return named.select(*(_value(place.get(f.name), f) for f in schema.fields))


def _value(given: Field | None, field: Field) -> Column:
    if given is None:
        return F.expr(assigned("NULL", field)).alias(field.name)
    if given.type == field.type:
        return F.col(given.name).alias(field.name)
    return F.expr(assigned(quoted(given.name), field)).alias(field.name)


def run_delete(wh: Warehouse, statement: DeleteFrom) -> DataFrame:
    table = wh.table(statement.name.dotted)
    where = "TRUE" if statement.where is None else statement.where.text
    before = table.version
    version = table._writer(_alias(statement.alias, table)).delete(where, None)
    return _changed(wh, table, before, version)


def run_update(wh: Warehouse, statement: Update) -> DataFrame:
    table = wh.table(statement.name.dotted)
    where = None if statement.where is None else statement.where.text
    values = {a.column.parts[-1]: a.value.text for a in statement.assignments}
    before = table.version
    version = table._writer(_alias(statement.alias, table)).update(values, where, None)
    return _changed(wh, table, before, version)


def run_merge(wh: Warehouse, statement: MergeInto) -> DataFrame:
    table = wh.table(statement.target.dotted)
    schema = _schema(wh, table)
    if isinstance(statement.source, Name):
        source = query_frame(wh._world, wh.spark, f"SELECT * FROM {statement.source.sql}")
        alias = statement.source_alias or statement.source
    else:
        source = rows_of(wh, statement.source)
        alias = statement.source_alias or Name(("source",), 0, 0)
    given = {c.lower(): c for c in source.columns}
    whens = tuple(_when(c, schema, alias.parts[-1], given) for c in statement.clauses)
    merge = Merge(
        target=_alias(statement.target_alias, table),
        source=alias.parts[-1],
        on=statement.on.text,
        schema=schema,
        whens=whens,
    )
    before = table.version
    version = table._writer(merge.target).merge_into(source, merge, None)
    return _changed(wh, table, before, version)


def _when(clause: MergeClause, schema: Schema, source: str, given: Mapping[str, str]) -> When:
    condition = None if clause.condition is None else clause.condition.text
    match clause.action:
        case MergeDelete():
            return When(clause.match, condition, "delete", {})
        case MergeUpdate(assignments):
            return When(clause.match, condition, "update", _assigned(schema, assignments))
        case MergeInsert(columns, values):
            names = _found(schema, columns, "INSERT")
            texts = {n: v.text for n, v in zip(names, values, strict=True)}
            return When(clause.match, condition, "insert", texts)
        case MergeUpdateAll():
            return When(clause.match, condition, "update", _all(schema, source, given))
        case MergeInsertAll():
            return When(clause.match, condition, "insert", _all(schema, source, given))
        case _:
            assert_never(clause.action)


def _assigned(schema: Schema, assignments: Sequence[Assignment]) -> dict[str, str]:
    columns = [Name((a.column.parts[-1],), a.column.start, a.column.end) for a in assignments]
    names = _found(schema, columns, "UPDATE SET")
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


def _found(schema: Schema, columns: Sequence[Name], where: str) -> tuple[str, ...]:
    """The table's own names of columns, each named once."""
    found = [schema.find(c.dotted) for c in columns]
    wrong = [c.dotted for c, n in zip(columns, found, strict=True) if n is None]
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


def _schema(wh: Warehouse, table: Table) -> Schema:
    opened = wh._world.open(wh._world.entry(table.name))
    return public_schema(opened, opened.head().version)


def _changed(wh: Warehouse, table: Table, before: int, version: int) -> DataFrame:
    """What a write did, as its commit says; nothing where it made none."""
    opened = wh._world.open(wh._world.entry(table.name))
    commits = [c for c in opened.history(1) if c.version == version > before]
    rows = commits[0].metadata.get("rows", {}) if commits else {}
    counts = [int(rows.get(kind, 0)) for kind in ("insert", "update", "delete")]
    return rows_frame(wh.spark, [(version, *counts)], CHANGES)
