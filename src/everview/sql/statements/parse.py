"""From a text to its statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from everview.errors import SqlSyntax
from everview.sql.statements.care import optimize, vacuum
from everview.sql.statements.cursor import Cursor, nearest, shown
from everview.sql.statements.lexer import Token, statements
from everview.sql.statements.merge import merge_into
from everview.sql.statements.parts import Slice, place_of
from everview.sql.statements.questions import describe, explain, show, verify
from everview.sql.statements.tables import attach, delete_from, insert, update
from everview.sql.statements.values import Query, Statement
from everview.sql.statements.verbatim import QUERY_STARTS, is_query, query
from everview.sql.statements.views import alter, comment_on, create, drop, refresh

_AFTER: Mapping[str, Callable[[Cursor], Statement]] = {
    "CREATE": create,
    "REFRESH": refresh,
    "EXPLAIN": explain,
    "VERIFY": verify,
    "SHOW": show,
    "DESCRIBE": describe,
    "DESC": describe,
    "ALTER": alter,
    "COMMENT": comment_on,
    "DROP": drop,
    "ATTACH": attach,
    "INSERT": insert,
    "UPDATE": update,
    "DELETE": delete_from,
    "MERGE": merge_into,
    "OPTIMIZE": optimize,
    "VACUUM": vacuum,
}
STARTS = (*QUERY_STARTS, *_AFTER)

# What Spark has and Everview has not, and what to do instead.
_INSTEAD = {
    "TRUNCATE": "To remove all rows, write DELETE FROM name.",
    "SET": "Settings belong to the Spark session: spark.conf.set(...).",
    "CACHE": "Caching belongs to the Spark session.",
    "USE": "A name without dots is looked up in the warehouse; no database is chosen.",
    "DETACH": "To forget an attached table, write DROP TABLE name.",
}


def parse_statement(text: str) -> Statement:
    """The one statement of a text; a `;` may follow."""
    found = list(statements(text))
    if not found:
        where = place_of(text, 0, 0)
        raise SqlSyntax("Expected a statement, found none.", where=where, remedy=_starts())
    if len(found) > 1:
        first = found[1][0]
        raise SqlSyntax(
            f"The text holds {len(found)} statements, the second begins here.",
            where=place_of(text, first.start, first.end),
            remedy="Give one at a time, or run them as a script.",
        )
    return _statement(text, found[0])


def parse_script(text: str) -> tuple[Statement, ...]:
    """All statements of a text, with `;` between them."""
    return tuple(_statement(text, tokens) for tokens in statements(text))


def split_script(text: str) -> tuple[Slice, ...]:
    """The text of each statement, without its `;`: one for each that parse_script gives."""
    return tuple(
        Slice(text[tokens[0].start : tokens[-2].end], tokens[0].start, text)
        for tokens in statements(text)
    )


def _statement(text: str, tokens: tuple[Token, ...]) -> Statement:
    cursor = Cursor(text, tokens)
    if is_query(cursor):
        return Query(query(cursor))
    parse = _AFTER.get(cursor.peek().word)
    if parse is None:
        _unknown(cursor)
    cursor.advance()
    statement = parse(cursor)
    cursor.end()
    return statement


def _unknown(cursor: Cursor) -> NoReturn:
    token = cursor.peek()
    guess = nearest(token, STARTS)
    hint = _INSTEAD.get(token.word) or (f"Did you mean {guess}?" if guess else "")
    cursor.error(
        token, f"No statement begins with {shown(token)}.", f"{hint} {_starts(guess)}".strip()
    )


def _starts(guess: str = "") -> str:
    """The words that statements begin with, the one that may have been meant first."""
    words = sorted(STARTS, key=lambda word: word != guess)
    return f"Statements begin with {', '.join(words)}."
