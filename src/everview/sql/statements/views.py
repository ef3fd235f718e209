"""Statements that make, change, refresh and drop views, and what they share with tables."""

from __future__ import annotations

from typing import assert_never

from everview.facts.asked_strategy import STRATEGIES
from everview.facts.merge_on_read import MergeOnRead
from everview.facts.views import Policy
from everview.facts.when import Timing
from everview.sql.statements.cursor import Cursor, Once
from everview.sql.statements.parts import (
    Kind,
    Name,
    RenameTo,
    SetComment,
    SetLocation,
    SetMergeOnRead,
    SetPolicy,
    SetSuspended,
    SetWhen,
    Slice,
    ViewColumn,
)
from everview.sql.statements.properties import table_properties
from everview.sql.statements.tables import (
    accept_if_exists,
    accept_if_not_exists,
    add_columns,
    create_table,
)
from everview.sql.statements.values import (
    AlterMaterializedView,
    AlterTable,
    AlterView,
    CreateMaterializedView,
    CreateTable,
    CreateView,
    DropMaterializedView,
    DropTable,
    DropView,
    RefreshMaterializedView,
)
from everview.sql.statements.verbatim import query
from everview.sql.statements.when import when_clause

Alter = AlterMaterializedView | AlterView | AlterTable


def create(cursor: Cursor) -> CreateTable | CreateView | CreateMaterializedView:
    """What follows CREATE."""
    or_replace = cursor.accept("OR", "REPLACE")
    if not or_replace and cursor.accept("TABLE"):
        return create_table(cursor)
    if cursor.accept("VIEW"):
        return _create_view(cursor, or_replace=or_replace)
    cursor.expect("MATERIALIZED", "VIEW")
    return create_materialized_view(cursor, or_replace=or_replace)


def _create_view(cursor: Cursor, *, or_replace: bool) -> CreateView:
    name, if_not_exists, columns = _head(cursor, or_replace=or_replace)
    comment = cursor.string() if cursor.accept("COMMENT") else None
    return CreateView(name, or_replace, if_not_exists, columns, comment, _definition(cursor))


def create_materialized_view(cursor: Cursor, *, or_replace: bool) -> CreateMaterializedView:
    """What follows CREATE [OR REPLACE] MATERIALIZED VIEW."""
    name, if_not_exists, columns = _head(cursor, or_replace=or_replace)
    once = Once(cursor)
    comment, policy = None, None
    cluster_by: tuple[Name, ...] = ()
    merge_on_read: MergeOnRead | None = None
    when: Timing | None = None
    while True:
        if once.accept("CLUSTER", "BY"):
            cluster_by = cursor.listed(cursor.column)
        elif once.accept("COMMENT"):
            comment = cursor.string()
        elif once.accept("REFRESH", "POLICY"):
            policy = _policy(cursor)
        elif once.accept("REFRESH"):
            when = _when(cursor)
        elif once.accept("TBLPROPERTIES"):
            merge_on_read = table_properties(cursor)
        else:
            break
    rows = _definition(cursor)
    return CreateMaterializedView(
        *(name, or_replace, if_not_exists, columns, comment, policy),
        *(rows, cluster_by, merge_on_read, when),
    )


def _head(cursor: Cursor, *, or_replace: bool) -> tuple[Name, bool, tuple[ViewColumn, ...] | None]:
    """[IF NOT EXISTS] name [(columns)]"""
    start = cursor.peek()
    if_not_exists = accept_if_not_exists(cursor)
    if or_replace and if_not_exists:
        cursor.error(
            start,
            "OR REPLACE and IF NOT EXISTS contradict each other.",
            "OR REPLACE takes the place of an existing view, IF NOT EXISTS keeps it: choose one.",
        )
    name = cursor.name()
    if cursor.is_symbol("("):
        return name, if_not_exists, cursor.listed(lambda: _view_column(cursor))
    cursor.want("`(`")
    return name, if_not_exists, None


def _view_column(cursor: Cursor) -> ViewColumn:
    name = cursor.column()
    return ViewColumn(name, cursor.string() if cursor.accept("COMMENT") else None)


def _definition(cursor: Cursor) -> Slice:
    cursor.expect("AS")
    return query(cursor)


def _policy(cursor: Cursor) -> Policy:
    if cursor.accept("AUTO"):
        return "AUTO"
    if cursor.accept("FULL"):
        return "FULL"
    cursor.expect("INCREMENTAL")
    return "INCREMENTAL STRICT" if cursor.accept("STRICT") else "INCREMENTAL"


def _when(cursor: Cursor) -> Timing:
    """What follows REFRESH where POLICY could stand too."""
    cursor.want("POLICY")
    return when_clause(cursor)


def kind(cursor: Cursor) -> Kind:
    """MATERIALIZED VIEW, VIEW or TABLE."""
    if cursor.accept("MATERIALIZED", "VIEW"):
        return "MATERIALIZED VIEW"
    if cursor.accept("VIEW"):
        return "VIEW"
    cursor.expect("TABLE")
    return "TABLE"


def drop(cursor: Cursor) -> DropTable | DropView | DropMaterializedView:
    """What follows DROP."""
    what = kind(cursor)
    if_exists = accept_if_exists(cursor)
    name = cursor.name()
    cascade = cursor.accept("CASCADE")
    match what:
        case "TABLE":
            return DropTable(name, if_exists, cascade)
        case "VIEW":
            return DropView(name, if_exists, cascade)
        case "MATERIALIZED VIEW":
            return DropMaterializedView(name, if_exists, cascade)
        case _:
            assert_never(what)


def alter(cursor: Cursor) -> Alter:
    """What follows ALTER."""
    what = kind(cursor)
    if_exists = accept_if_exists(cursor)
    name = cursor.name()
    if cursor.accept("RENAME", "TO"):
        return _altered(what, name, RenameTo(cursor.name()), if_exists=if_exists)
    if cursor.accept("SET", "COMMENT"):
        return _altered(what, name, SetComment(cursor.string()), if_exists=if_exists)
    if what == "TABLE" and cursor.is_next("ADD"):
        return AlterTable(name, if_exists, add_columns(cursor))
    if what == "TABLE":
        cursor.want("ADD COLUMN")
    if what == "MATERIALIZED VIEW" and (refreshing := _refreshing(cursor)):
        return AlterMaterializedView(name, if_exists, refreshing)
    if what != "VIEW" and cursor.accept("SET", "TBLPROPERTIES"):
        change = SetMergeOnRead(table_properties(cursor))
        made = AlterTable if what == "TABLE" else AlterMaterializedView
        return made(name, if_exists, change)
    if what == "TABLE" and cursor.accept("SET", "LOCATION"):
        return AlterTable(name, if_exists, SetLocation(cursor.string("a path in quotes")))
    cursor.expect("UNSET", "COMMENT")
    return _altered(what, name, SetComment(None), if_exists=if_exists)


def _refreshing(cursor: Cursor) -> SetPolicy | SetWhen | SetSuspended | None:
    """How or when a view is refreshed from now on, None if something else is said."""
    if cursor.accept("SET", "REFRESH"):
        return SetPolicy(_policy(cursor)) if cursor.accept("POLICY") else SetWhen(_when(cursor))
    if cursor.accept("SUSPEND"):
        return SetSuspended(True)
    return SetSuspended(False) if cursor.accept("RESUME") else None


def comment_on(cursor: Cursor) -> Alter:
    """What follows COMMENT."""
    cursor.expect("ON")
    what = kind(cursor)
    name = cursor.name()
    cursor.expect("IS")
    comment = None if cursor.accept("NULL") else cursor.string()
    return _altered(what, name, SetComment(comment), if_exists=False)


def _altered(kind: Kind, name: Name, change: RenameTo | SetComment, *, if_exists: bool) -> Alter:
    match kind:
        case "TABLE":
            return AlterTable(name, if_exists, change)
        case "VIEW":
            return AlterView(name, if_exists, change)
        case "MATERIALIZED VIEW":
            return AlterMaterializedView(name, if_exists, change)
        case _:
            assert_never(kind)


def refresh(cursor: Cursor) -> RefreshMaterializedView:
    """What follows REFRESH; FULL stands before the kind or behind the names, where a strategy may
    stand too.
    """
    full = cursor.accept("FULL")
    cursor.expect("MATERIALIZED")
    names: tuple[Name, ...] = ()
    if not cursor.accept("VIEWS"):
        cursor.expect("VIEW")
        names = cursor.several(cursor.name)
    again = cursor.peek()
    if cursor.accept("FULL"):
        if full:
            cursor.error(again, "FULL is given twice.")
        full = True
    return RefreshMaterializedView(names, full, None if full else accept_strategy(cursor))


def accept_strategy(cursor: Cursor) -> str | None:
    """The name after STRATEGY, if it stands here."""
    if not cursor.accept("STRATEGY"):
        return None
    token = cursor.peek()
    said = cursor.string("a strategy in quotes").lower()
    if said in STRATEGIES:
        return said
    allowed = ", ".join(map(repr, STRATEGIES))
    cursor.error(token, f"There is no strategy {token.text}.", f"Give one of {allowed}.")
