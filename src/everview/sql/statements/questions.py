"""Statements that ask: SHOW, DESCRIBE, EXPLAIN, VERIFY."""

from __future__ import annotations

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
from everview.sql.statements.cursor import Cursor
from everview.sql.statements.parts import Kind, Name
from everview.sql.statements.values import ExplainCreate, Verify, VerifyTable
from everview.sql.statements.verbatim import query
from everview.sql.statements.views import accept_strategy, create_materialized_view, kind

_MODES = ("EXTENDED", "FORMATTED", "COST", "CODEGEN")


def show(cursor: Cursor) -> ShowCreate | ShowTables | ShowViews | ShowMaterializedViews:
    """What follows SHOW."""
    if cursor.accept("TABLES"):
        return ShowTables(_like(cursor))
    if cursor.accept("VIEWS"):
        return ShowViews(_like(cursor))
    if cursor.accept("CREATE"):
        return ShowCreate(kind(cursor), cursor.name())
    cursor.expect("MATERIALIZED", "VIEWS")
    return ShowMaterializedViews(_like(cursor))


def _like(cursor: Cursor) -> str | None:
    return cursor.string("a pattern in quotes") if cursor.accept("LIKE") else None


def describe(cursor: Cursor) -> Describe | DescribeHistory:
    """What follows DESCRIBE; as in Spark, EXTENDED may stand behind the kind too."""
    if cursor.accept_before_name("HISTORY"):
        return DescribeHistory(accept_stored(cursor), cursor.name())
    extended = cursor.accept_before_name("EXTENDED")
    what: Kind | None = "VIEW" if cursor.accept_before_name("VIEW") else accept_stored(cursor)
    extended = extended or cursor.accept_before_name("EXTENDED")
    return Describe(what, cursor.name(), extended)


def accept_stored(cursor: Cursor) -> Kind | None:
    """The kind of what is stored and so has a history, unless the word is the name itself."""
    if cursor.accept("MATERIALIZED", "VIEW"):
        return "MATERIALIZED VIEW"
    return "TABLE" if cursor.accept_before_name("TABLE") else None


def explain(cursor: Cursor) -> Explain | ExplainCreate | ExplainQuery:
    """What follows EXPLAIN."""
    extended = cursor.is_next("EXTENDED", "MATERIALIZED") and cursor.accept("EXTENDED")
    if cursor.accept("MATERIALIZED", "VIEW"):
        return Explain(cursor.name(), extended, accept_strategy(cursor))
    if cursor.accept("CREATE"):
        or_replace = cursor.accept("OR", "REPLACE")
        cursor.expect("MATERIALIZED", "VIEW")
        return ExplainCreate(create_materialized_view(cursor, or_replace=or_replace))
    mode = next((mode for mode in _MODES if cursor.accept(mode)), None)
    return ExplainQuery(query(cursor), mode)


def verify(cursor: Cursor) -> Verify | VerifyTable:
    """What follows VERIFY."""
    if cursor.accept("TABLES"):
        return VerifyTable(())
    if cursor.accept("TABLE"):
        return VerifyTable(cursor.several(cursor.name))
    cursor.expect("MATERIALIZED")
    return Verify(() if cursor.accept("VIEWS") else _views(cursor))


def _views(cursor: Cursor) -> tuple[Name, ...]:
    cursor.expect("VIEW")
    return cursor.several(cursor.name)
