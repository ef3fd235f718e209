"""One statement of Everview's SQL, carried out; the result is a DataFrame, as Spark's own."""

from __future__ import annotations

from typing import assert_never

from pyspark.sql import DataFrame

from everview.errors import NameTaken
from everview.sql.statements.values import (
    AlterMaterializedView,
    AlterTable,
    AlterView,
    Attach,
    CreateMaterializedView,
    CreateTable,
    CreateView,
    DeleteFrom,
    Describe,
    DescribeHistory,
    DropMaterializedView,
    DropTable,
    DropView,
    Explain,
    ExplainCreate,
    ExplainQuery,
    InsertInto,
    InsertOverwrite,
    MergeInto,
    Query,
    RefreshMaterializedView,
    ShowCreate,
    ShowMaterializedViews,
    ShowTables,
    ShowViews,
    Statement,
    Update,
    Verify,
    VerifyTable,
)
from everview.statements import questions, tables, views
from everview.statements.results import done, receipts_frame, text_frame
from everview.statements.warehouse import Warehouse, rows_of, single


def run_statement(wh: Warehouse, statement: Statement) -> DataFrame:
    """Carry out one statement."""
    match statement:
        case Query(query):
            return rows_of(wh, query)
        case CreateTable() | InsertInto() | InsertOverwrite() | DeleteFrom() | Update():
            return _write(wh, statement)
        case MergeInto():
            return tables.run_merge(wh, statement)
        case Attach():
            return _attach(wh, statement)
        case CreateView():
            return views.run_create_view(wh, statement)
        case CreateMaterializedView():
            return views.run_create_materialized_view(wh, statement)
        case DropTable() | DropView() | DropMaterializedView():
            return views.run_drop(wh, statement)
        case AlterTable() | AlterView() | AlterMaterializedView():
            return views.run_alter(wh, statement)
        case RefreshMaterializedView(names, full):
            receipts = wh.refresh(*(n.dotted for n in names), full=full)
            return receipts_frame(wh.spark, receipts)
        case _:
            return _ask(wh, statement)


def _write(
    wh: Warehouse,
    statement: CreateTable | InsertInto | InsertOverwrite | DeleteFrom | Update,
) -> DataFrame:
    match statement:
        case CreateTable():
            return tables.run_create_table(wh, statement)
        case InsertInto() | InsertOverwrite():
            return tables.run_insert(wh, statement)
        case DeleteFrom():
            return tables.run_delete(wh, statement)
        case Update():
            return tables.run_update(wh, statement)
        case _:
            assert_never(statement)


def _ask(
    wh: Warehouse,
    statement: Verify
    | VerifyTable
    | ShowTables
    | ShowViews
    | ShowMaterializedViews
    | ShowCreate
    | Describe
    | DescribeHistory
    | Explain
    | ExplainCreate
    | ExplainQuery,
) -> DataFrame:
    match statement:
        case Verify():
            return questions.run_verify(wh, statement)
        case VerifyTable():
            return questions.run_verify_table(wh, statement)
        case ShowTables() | ShowViews() | ShowMaterializedViews():
            return questions.run_show(wh, statement)
        case ShowCreate():
            return questions.run_show_create(wh, statement)
        case Describe():
            return questions.run_describe(wh, statement)
        case DescribeHistory():
            return questions.run_history(wh, statement)
        case Explain(name):
            return text_frame(wh.spark, str(wh.view(name.dotted).explain()))
        case ExplainCreate():
            return views.run_explain_create(wh, statement)
        case ExplainQuery():
            return questions.run_explain_query(wh, statement)
        case _:
            assert_never(statement)


def _attach(wh: Warehouse, statement: Attach) -> DataFrame:
    try:
        wh.attach(single(statement.name), statement.path)
    except NameTaken:
        if not statement.if_not_exists:
            raise
    return done(wh.spark)
