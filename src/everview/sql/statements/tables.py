"""Statements that make, change and drop tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from everview.facts.merge_on_read import MergeOnRead
from everview.sql.statements.cursor import Cursor, Once
from everview.sql.statements.lexer import TokenKind
from everview.sql.statements.parts import AddColumns, Assignment, ForeignKey, Name, NewColumn, Slice
from everview.sql.statements.properties import table_properties
from everview.sql.statements.values import (
    Attach,
    CreateTable,
    DeleteFrom,
    InsertInto,
    InsertOverwrite,
    Update,
)
from everview.sql.statements.verbatim import (
    QUERY_STARTS,
    column_type,
    condition,
    expression,
    query,
)

_PATH = "a path in quotes"
_CLAUSES = ("WHERE", "SET", "USING", "ON", "WHEN")


@dataclass(slots=True)
class _Elements:
    """What stands in the parentheses of CREATE TABLE."""

    columns: list[NewColumn] = field(default_factory=list)
    primary_key: tuple[Name, ...] = ()
    primary_key_not_enforced: bool = False
    foreign_keys: list[ForeignKey] = field(default_factory=list)


def create_table(cursor: Cursor) -> CreateTable:
    """What follows CREATE TABLE."""
    if_not_exists = accept_if_not_exists(cursor)
    name = cursor.name()
    elements = _elements(cursor)
    once = Once(cursor)
    partitioned_by: tuple[Name, ...] = ()
    comment: str | None = None
    merge_on_read: MergeOnRead | None = None
    while True:
        if once.accept("USING"):
            _format(cursor)
        elif once.accept("PARTITIONED", "BY"):
            partitioned_by = cursor.listed(cursor.column)
        elif once.accept("COMMENT"):
            comment = cursor.string()
        elif once.accept("TBLPROPERTIES"):
            merge_on_read = table_properties(cursor)
        else:
            break
    rows = query(cursor) if cursor.accept("AS") else None
    if rows is None and not elements.columns:
        cursor.fail("Give the columns with their types, or a query after AS.")
    return CreateTable(
        name,
        if_not_exists,
        tuple(elements.columns) or None,
        rows,
        partitioned_by,
        elements.primary_key,
        tuple(elements.foreign_keys),
        comment,
        elements.primary_key_not_enforced,
        merge_on_read,
    )


def _elements(cursor: Cursor) -> _Elements:
    elements = _Elements()
    if cursor.is_symbol("("):
        cursor.listed(lambda: _element(cursor, elements))
    else:
        cursor.want("`(`")
    return elements


def _element(cursor: Cursor, elements: _Elements) -> None:
    if _is_constraint(cursor):
        if cursor.accept("CONSTRAINT"):
            cursor.part()
        if cursor.is_next("PRIMARY"):
            _primary_key(cursor, elements, None)
        elif cursor.accept("FOREIGN", "KEY"):
            columns = cursor.listed(cursor.column)
            cursor.expect("REFERENCES")
            elements.foreign_keys.append(_references(cursor, columns))
        else:
            cursor.want("PRIMARY KEY")
            cursor.fail("Of constraints there are PRIMARY KEY and FOREIGN KEY.")
    else:
        _column(cursor, elements)


def _is_constraint(cursor: Cursor) -> bool:
    """A column may be called constraint, primary or foreign: what follows tells them apart."""
    at = 2 if cursor.is_next("CONSTRAINT") and cursor.is_name(1) else 0
    if cursor.peek(at).word == "PRIMARY" and cursor.peek(at + 1).word == "KEY":
        return cursor.is_symbol("(", at + 2)
    if cursor.peek(at).word == "FOREIGN":
        return cursor.peek(at + 1).word == "KEY"
    return at > 0 and cursor.peek(at).word in ("UNIQUE", "CHECK")


def _column(cursor: Cursor, elements: _Elements) -> None:
    name = cursor.part("a column, PRIMARY KEY or FOREIGN KEY")
    type_ = column_type(cursor)
    once = Once(cursor)
    not_null, comment = False, None
    while True:
        if once.accept("NOT", "NULL"):
            not_null = True
        elif cursor.is_next("PRIMARY"):
            _primary_key(cursor, elements, name)
        elif once.accept("REFERENCES"):
            elements.foreign_keys.append(_references(cursor, (name,)))
        elif once.accept("COMMENT"):
            comment = cursor.string()
        else:
            break
    if not elements.primary_key:
        cursor.want("PRIMARY KEY")
    elements.columns.append(NewColumn(name, type_, not_null, comment))


def _primary_key(cursor: Cursor, elements: _Elements, column: Name | None) -> None:
    """PRIMARY KEY behind a column, or with the columns behind it."""
    if elements.primary_key:
        remedy = "A table has one; several columns of it stand as PRIMARY KEY (a, b)."
        cursor.error(cursor.peek(), "PRIMARY KEY is given twice.", remedy)
    cursor.expect("PRIMARY", "KEY")
    elements.primary_key = cursor.listed(cursor.column) if column is None else (column,)
    if not cursor.accept("ENFORCED"):
        elements.primary_key_not_enforced = cursor.accept("NOT", "ENFORCED")


def _references(cursor: Cursor, columns: tuple[Name, ...]) -> ForeignKey:
    """What follows REFERENCES."""
    table = cursor.name()
    opening = cursor.peek()
    referenced = cursor.listed(cursor.column)
    if len(referenced) != len(columns):
        cursor.error(
            opening,
            f"Columns of the foreign key: {len(columns)}; of the key there: {len(referenced)}.",
            "Refer to one column for each.",
        )
    return ForeignKey(columns, table, referenced)


def add_columns(cursor: Cursor) -> AddColumns:
    """ADD COLUMN column type, or ADD COLUMNS (column type, ...)."""
    cursor.expect("ADD")
    if cursor.accept("COLUMNS"):
        return AddColumns(cursor.listed(lambda: _added(cursor)))
    cursor.expect("COLUMN")
    return AddColumns((_added(cursor),))


def _added(cursor: Cursor) -> NewColumn:
    name, type_ = cursor.column(), column_type(cursor)
    if cursor.is_next("NOT", "NULL"):
        cursor.error(
            cursor.peek(),
            "A new column is NULL in the rows that are there.",
            "Leave NOT NULL away.",
        )
    return NewColumn(name, type_, comment=cursor.string() if cursor.accept("COMMENT") else None)


def _format(cursor: Cursor) -> None:
    token = cursor.peek()
    if not cursor.accept("DELTA"):
        if token.kind is not TokenKind.WORD:
            cursor.fail()
        cursor.error(
            token,
            f"Tables are stored as DELTA, not as {token.text}.",
            "Leave USING away; tables in another format are read from the Spark session.",
        )


def insert(cursor: Cursor) -> InsertInto | InsertOverwrite:
    """What follows INSERT."""
    overwrite = not cursor.accept("INTO")
    if overwrite:
        cursor.expect("OVERWRITE")
    cursor.accept_before_name("TABLE")
    name = cursor.name()
    columns: tuple[Name, ...] | None = None
    by_name = cursor.accept("BY", "NAME")
    if cursor.is_symbol("(") and not _is_bracketed_query(cursor):
        if by_name:
            cursor.error(
                cursor.peek(),
                "BY NAME takes the columns from the names of the query.",
                "Leave either the list of columns or BY NAME away.",
            )
        columns = cursor.listed(cursor.column)
    elif not by_name and not cursor.is_symbol("("):
        cursor.want("`(`")
    rows = query(cursor)
    made = InsertOverwrite if overwrite else InsertInto
    return made(name, columns, rows, by_name)


def _is_bracketed_query(cursor: Cursor) -> bool:
    """(SELECT 1) and not (select, from): what follows tells a query from a list of columns."""
    if cursor.is_symbol("(", 1):
        return True
    is_listed = cursor.is_symbol(",", 2) or cursor.is_symbol(")", 2)
    return cursor.peek(1).word in QUERY_STARTS and not is_listed


def delete_from(cursor: Cursor) -> DeleteFrom:
    """What follows DELETE."""
    cursor.expect("FROM")
    name = cursor.name()
    alias = accept_alias(cursor)
    return DeleteFrom(name, alias, condition(cursor) if cursor.accept("WHERE") else None)


def update(cursor: Cursor) -> Update:
    """What follows UPDATE."""
    name = cursor.name()
    alias = accept_alias(cursor)
    cursor.expect("SET")
    changes = assignments(cursor, "WHERE")
    where = condition(cursor) if cursor.accept("WHERE") else None
    return Update(name, alias, changes, where)


def assignments(cursor: Cursor, stop: str) -> tuple[Assignment, ...]:
    """column = expression, ..."""
    return cursor.several(lambda: _assignment(cursor, stop))


def _assignment(cursor: Cursor, stop: str) -> Assignment:
    column = cursor.name("a column")
    cursor.expect_symbol("=")
    return Assignment(column, expression(cursor, stop))


def accept_alias(cursor: Cursor) -> Name | None:
    """[AS] alias; without AS it cannot be a word that a clause begins with."""
    if cursor.accept("AS"):
        return cursor.part("an alias")
    if cursor.is_name() and cursor.peek().word not in _CLAUSES:
        return cursor.part()
    cursor.want("an alias")
    return None


def attach(cursor: Cursor) -> Attach:
    """What follows ATTACH."""
    or_replace = cursor.accept("OR", "REPLACE")
    if not (cursor.is_next("TABLE", "FROM") and cursor.peek(2).kind is TokenKind.STRING):
        cursor.accept_before_name("TABLE")
    start = cursor.peek()
    if_not_exists = accept_if_not_exists(cursor)
    if or_replace and if_not_exists:
        cursor.error(
            start,
            "OR REPLACE and IF NOT EXISTS contradict each other.",
            "OR REPLACE points the name to another place, IF NOT EXISTS leaves it: choose one.",
        )
    name = cursor.name()
    cursor.expect("FROM")
    return Attach(name, cursor.string(_PATH), or_replace, if_not_exists)


def accept_if_not_exists(cursor: Cursor) -> bool:
    if cursor.is_next("IF", "EXISTS"):
        cursor.expect("IF", "NOT")
    return cursor.accept("IF", "NOT", "EXISTS")


def accept_if_exists(cursor: Cursor) -> bool:
    if cursor.is_next("IF", "NOT"):
        cursor.expect("IF", "EXISTS")
    return cursor.accept("IF", "EXISTS")


def rows_in_brackets(cursor: Cursor) -> Slice:
    """A query in parentheses, without them."""
    cursor.expect_symbol("(")
    rows = query(cursor, ")")
    cursor.expect_symbol(")")
    return rows
