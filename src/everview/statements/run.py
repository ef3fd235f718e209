"""One statement of Everview's SQL, carried out; the result is a DataFrame, as Spark's own."""

from __future__ import annotations

import dataclasses
from typing import assert_never

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from everview.errors import EverviewError, InvalidArgument, NameTaken, Place
from everview.facts.failures import retold
from everview.facts.receipts import Receipt
from everview.spark.quiet import quiet_errors
from everview.sql.statements.asked import (
    Describe,
    DescribeHistory,
    Explain,
    ExplainQuery,
    ShowCreate,
    ShowMaterializedViews,
    ShowTables,
    ShowViews,
)
from everview.sql.statements.parse import parse_script, parse_statement, split_script
from everview.sql.statements.parts import Name, Slice
from everview.sql.statements.values import (
    AlterMaterializedView,
    AlterTable,
    AlterView,
    Attach,
    CreateMaterializedView,
    CreateTable,
    CreateView,
    DeleteFrom,
    DropMaterializedView,
    DropTable,
    DropView,
    ExplainCreate,
    InsertInto,
    InsertOverwrite,
    MergeInto,
    Optimize,
    Query,
    RefreshMaterializedView,
    Statement,
    Update,
    Vacuum,
    Verify,
    VerifyTable,
)
from everview.statements import care, insert, questions, tables, views
from everview.statements.results import done, receipts_frame, text_frame
from everview.statements.warehouse import WarehousePort, rows_of, single


def read_statement(text: object) -> tuple[Statement, Slice]:
    """The one statement of a text, and the part of the text that it is."""
    given = _script_text(text)
    return parse_statement(given), split_script(given)[0]


def read_script(text: object) -> list[tuple[Statement, Slice]]:
    """All statements of a text, each with its part of it."""
    given = _script_text(text)
    return list(zip(parse_script(given), split_script(given), strict=True))


def _script_text(text: object) -> str:
    if not isinstance(text, str):
        raise InvalidArgument(
            f"Statements are wanted as text, not {type(text).__name__}.",
            remedy='For example wh.sql("SELECT 1").',
        )
    return text


def run_statement(wh: WarehousePort, statement: Statement, part: Slice) -> DataFrame:
    """Carry out one statement, which is a part of a text; an error says where in it."""
    try:
        with quiet_errors():
            return _carried_out(wh, statement)
    except EverviewError as error:
        if isinstance(error.where, Place):
            raise
        is_location = isinstance(error.where, str) and "/" in error.where
        what = f"{error.what} ({error.where})" if is_location else error.what
        where = _place(statement, part.whole) or part.place(0, len(part.text) - 1)
        # The same error with its place: shown once.
        raise retold(error, what, where) from error.__cause__
    except PySparkException as error:
        error.add_note(f"In the statement at {part.place(0, len(part.text) - 1)}")
        raise


def _place(statement: object, text: str) -> Place | None:
    """Where the first name or verbatim part of a statement stands, None if it has none."""
    if not dataclasses.is_dataclass(statement):
        return None
    for field in dataclasses.fields(statement):
        value = getattr(statement, field.name)
        first = value[0] if isinstance(value, tuple) and value else value
        if isinstance(first, Name):
            return first.place(text)
        if isinstance(first, Slice):
            return first.place(0, len(first.text) - 1)
        if dataclasses.is_dataclass(first):
            return _place(first, text)
    return None


def _carried_out(wh: WarehousePort, statement: Statement) -> DataFrame:
    match statement:
        case Query(query):
            return rows_of(wh, query)
        case CreateTable() | InsertInto() | InsertOverwrite() | DeleteFrom() | Update():
            return _write(wh, statement)
        case MergeInto():
            return tables.run_merge(wh, statement)
        case Optimize():
            return care.run_optimize(wh, statement)
        case Vacuum():
            return care.run_vacuum(wh, statement)
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
        case RefreshMaterializedView():
            return receipts_frame(wh.spark, _refreshed(wh, statement))
        case _:
            return _ask(wh, statement)


def _write(
    wh: WarehousePort,
    statement: CreateTable | InsertInto | InsertOverwrite | DeleteFrom | Update,
) -> DataFrame:
    match statement:
        case CreateTable():
            return tables.run_create_table(wh, statement)
        case InsertInto() | InsertOverwrite():
            return insert.run_insert(wh, statement)
        case DeleteFrom():
            return tables.run_delete(wh, statement)
        case Update():
            return tables.run_update(wh, statement)
        case _:
            assert_never(statement)


def _ask(
    wh: WarehousePort,
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
            return questions.run_verify_views(wh, statement)
        case VerifyTable():
            return questions.run_verify_table(wh, statement)
        case ShowTables() | ShowViews() | ShowMaterializedViews():
            return questions.run_show(wh, statement)
        case ShowCreate():
            return questions.run_show_create(wh, statement)
        case Describe():
            return questions.run_describe(wh, statement)
        case DescribeHistory():
            return questions.run_describe_history(wh, statement)
        case Explain(name, extended, strategy):
            view = wh.view(name.dotted)
            explained = view.explain(full=extended, strategy=strategy or "auto")
            return text_frame(wh.spark, str(explained))
        case ExplainCreate():
            return views.run_explain_create(wh, statement)
        case ExplainQuery():
            return questions.run_explain_query(wh, statement)
        case _:
            assert_never(statement)


def _refreshed(wh: WarehousePort, asked: RefreshMaterializedView) -> list[Receipt]:
    names, strategy = [name.dotted for name in asked.names], asked.strategy or "auto"
    if len(names) == 1:  # then the view's own error is raised
        return [wh.view(names[0]).refresh(asked.full, strategy=strategy)]
    return wh.refresh(*names, full=asked.full, strategy=strategy)


def _attach(wh: WarehousePort, statement: Attach) -> DataFrame:
    try:
        wh.attach(single(statement.name), statement.path, replace=statement.or_replace)
    except NameTaken:
        if not statement.if_not_exists:
            raise
    return done(wh.spark)
