"""TBLPROPERTIES: what can be set of a table or materialized view by name."""

from __future__ import annotations

from everview.facts.merge_on_read import MERGE_ON_READ, MergeOnRead
from everview.sql.statements.cursor import Cursor
from everview.sql.statements.lexer import TokenKind, string_value

_KEY = "merge_on_read"
_ALLOWED = f"The property {_KEY} is {' or '.join(map(repr, MERGE_ON_READ))}."


def table_properties(cursor: Cursor) -> MergeOnRead:
    """What follows TBLPROPERTIES: ('key' = 'value', ...), each key once."""
    found: list[MergeOnRead] = []

    def one() -> None:
        token = cursor.peek()
        if _text(cursor, "a property").lower() != _KEY:
            cursor.error(token, f"There is no property {token.text}.", _ALLOWED)
        if found:
            cursor.error(token, f"The property {_KEY} is given twice.")
        cursor.expect_symbol("=")
        found.append(_value(cursor))

    cursor.listed(one)
    return found[0]


def _value(cursor: Cursor) -> MergeOnRead:
    token = cursor.peek()
    said = _text(cursor, "a value").lower()
    for known in MERGE_ON_READ:
        if said == known:
            return known
    cursor.error(token, f"The property {_KEY} cannot be {token.text}.", _ALLOWED)


def _text(cursor: Cursor, what: str) -> str:
    """A string, or as in Spark a plain name."""
    token = cursor.peek()
    if token.kind is TokenKind.STRING:
        return string_value(cursor.advance().text)
    return cursor.name(f"{what} in quotes").dotted
