"""MERGE INTO."""

from __future__ import annotations

from everview.sql.statements.cursor import Cursor
from everview.sql.statements.parts import (
    MergeAction,
    MergeClause,
    MergeDelete,
    MergeInsert,
    MergeInsertAll,
    MergeMatch,
    MergeUpdate,
    MergeUpdateAll,
    Name,
    Slice,
)
from everview.sql.statements.tables import accept_alias, assignments, rows_in_brackets
from everview.sql.statements.values import MergeInto
from everview.sql.statements.verbatim import condition, expression


def merge_into(cursor: Cursor) -> MergeInto:
    """What follows MERGE."""
    cursor.expect("INTO")
    target = cursor.name()
    target_alias = accept_alias(cursor)
    cursor.expect("USING")
    source = _source(cursor)
    source_alias = accept_alias(cursor)
    cursor.expect("ON")
    on = condition(cursor, "WHEN")
    clauses: list[MergeClause] = []
    while not clauses or cursor.is_next("WHEN"):
        clauses.append(_clause(cursor, clauses))
    cursor.want("WHEN")
    return MergeInto(target, target_alias, source, source_alias, on, tuple(clauses))


def _source(cursor: Cursor) -> Name | Slice:
    if cursor.is_symbol("("):
        return rows_in_brackets(cursor)
    return cursor.name("a name or a query in parentheses")


def _clause(cursor: Cursor, before: list[MergeClause]) -> MergeClause:
    start = cursor.peek()
    cursor.expect("WHEN")
    match = _match(cursor)
    if any(clause.match == match and clause.condition is None for clause in before):
        cursor.error(
            start,
            f"No row reaches this clause: an earlier WHEN {match} has no condition.",
            "Put the clause without a condition last.",
        )
    only_if = condition(cursor, "THEN") if cursor.accept("AND") else None
    cursor.expect("THEN")
    return MergeClause(match, only_if, _action(cursor, match))


def _match(cursor: Cursor) -> MergeMatch:
    if cursor.accept("MATCHED"):
        return "MATCHED"
    cursor.expect("NOT", "MATCHED")
    if not cursor.accept("BY"):
        return "NOT MATCHED"
    if cursor.accept("TARGET"):
        return "NOT MATCHED"
    cursor.expect("SOURCE")
    return "NOT MATCHED BY SOURCE"


def _action(cursor: Cursor, match: MergeMatch) -> MergeAction:
    if match == "NOT MATCHED":
        return _insert(cursor)
    if cursor.accept("DELETE"):
        return MergeDelete()
    cursor.expect("UPDATE", "SET")
    # Without a row of the source there is nothing that * could stand for.
    if match == "MATCHED" and cursor.accept_symbol("*"):
        return MergeUpdateAll()
    return MergeUpdate(assignments(cursor, "WHEN"))


def _insert(cursor: Cursor) -> MergeAction:
    cursor.expect("INSERT")
    if cursor.accept_symbol("*"):
        return MergeInsertAll()
    columns = cursor.listed(lambda: cursor.name("a column"))
    cursor.expect("VALUES")
    opening = cursor.peek()
    values = cursor.listed(lambda: expression(cursor))
    if len(values) != len(columns):
        cursor.error(
            opening,
            f"Columns that INSERT names: {len(columns)}; values that it gives: {len(values)}.",
            "Give one value for each column.",
        )
    return MergeInsert(columns, values)
