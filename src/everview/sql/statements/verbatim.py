"""Parts of a statement that stay as they are written: queries, conditions, expressions, types."""

from __future__ import annotations

from typing import NoReturn

from everview.sql.statements.cursor import Cursor, nearest
from everview.sql.statements.lexer import Token, TokenKind
from everview.sql.statements.parts import Slice

QUERY_STARTS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE")

_QUERY = "a query"
_CLOSES = {")": "(", "]": "[", "}": "{"}
_OPENS = frozenset(_CLOSES.values())
# Behind these an operand follows, so that END there is a column and closes no CASE.
_OPERAND_WORDS = frozenset(
    ("CASE", "WHEN", "THEN", "ELSE", "AND", "OR", "NOT", "IN", "LIKE", "BETWEEN", "DISTINCT")
)
_OPERAND_ENDS = frozenset((")", "]", "}", "?", "*"))
# What may follow the first word of a type.
_TYPE_WORDS = frozenset(("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO", "PRECISION"))


def is_query(cursor: Cursor, ahead: int = 0) -> bool:
    token = cursor.peek(ahead)
    return token.word in QUERY_STARTS or token.is_symbol("(")


def query(cursor: Cursor, stop: str = "") -> Slice:
    """A query, up to the symbol that stops it or to the end of the statement."""
    if not is_query(cursor):
        cursor.want(_QUERY)
        guess = nearest(cursor.peek(), QUERY_STARTS)
        hint = f"Did you mean {guess}? " if guess else ""
        cursor.fail(f"{hint}A query begins with {', '.join(QUERY_STARTS)} or `(`.")
    return _scan(cursor, _QUERY, frozenset((stop,)), frozenset())


def condition(cursor: Cursor, *stops: str) -> Slice:
    """A condition, up to one of the words or to the end of the statement."""
    return _scan(cursor, "a condition", frozenset(), frozenset(stops))


def expression(cursor: Cursor, *stops: str) -> Slice:
    """An expression, up to one of the words, a comma, a closing bracket or the end."""
    return _scan(cursor, "an expression", frozenset((",", ")")), frozenset(stops))


def _scan(cursor: Cursor, what: str, symbols: frozenset[str], words: frozenset[str]) -> Slice:
    """All tokens up to a stop outside of brackets and CASE ... END."""
    start = cursor.peek()
    opened: list[Token] = []
    while (token := cursor.peek()).kind is not TokenKind.END:
        if not opened and _stops(cursor, symbols, words):
            break
        if what == _QUERY and not opened:
            _refuse_insert(cursor, start)
        _track(cursor, opened, with_case=bool(words))
        cursor.advance()
    if opened:
        _never_closed(cursor, opened[-1])
    if token is start:
        cursor.want(what)
        cursor.fail()
    return cursor.slice_from(start)


def _stops(cursor: Cursor, symbols: frozenset[str], words: frozenset[str]) -> bool:
    token = cursor.peek()
    if token.kind is TokenKind.SYMBOL:
        return token.text in symbols
    return token.word in words and not cursor.previous.is_symbol(".")


def _track(cursor: Cursor, opened: list[Token], *, with_case: bool) -> None:
    """Note what the token opens or closes."""
    token = cursor.peek()
    if token.kind is TokenKind.SYMBOL:
        if token.text in _OPENS:
            opened.append(token)
        elif token.text in _CLOSES:
            _close(cursor, opened)
    elif with_case and token.word == "CASE" and not cursor.previous.is_symbol("."):
        opened.append(token)
    elif token.word == "END" and opened and opened[-1].word == "CASE" and not _wants(cursor):
        opened.pop()


def _wants(cursor: Cursor) -> bool:
    """Whether what was read so far still wants an operand."""
    before = cursor.previous
    if before.kind is TokenKind.SYMBOL:
        return before.text not in _OPERAND_ENDS
    return before.word in _OPERAND_WORDS


def _close(cursor: Cursor, opened: list[Token]) -> None:
    token = cursor.peek()
    if not opened:
        cursor.error(token, f"`{token.text}` closes nothing.", "Remove it, or open it before.")
    if opened[-1].text != _CLOSES[token.text]:
        _never_closed(cursor, opened[-1])
    opened.pop()


def _never_closed(cursor: Cursor, token: Token) -> NoReturn:
    if token.word == "CASE":
        cursor.error(token, "The CASE has no END.", "A column of that name stands in back-ticks.")
    cursor.error(token, f"`{token.text}` is never closed.", "Close it before the statement ends.")


def _refuse_insert(cursor: Cursor, start: Token) -> None:
    """WITH ... INSERT and FROM ... INSERT would write under the name of a query."""
    if cursor.is_next("INSERT", "INTO") or cursor.is_next("INSERT", "OVERWRITE"):
        cursor.error(
            cursor.peek(),
            f"INSERT cannot stand within a query that begins with {start.word}.",
            "Begin with INSERT INTO name, then the query.",
        )


def column_type(cursor: Cursor) -> Slice:
    """A type as Spark writes it: DECIMAL(10, 2), MAP<STRING, INT>, INTERVAL DAY TO SECOND."""
    start = cursor.peek()
    if start.kind is not TokenKind.WORD:
        cursor.want("a type")
        cursor.fail()
    cursor.advance()
    _type_brackets(cursor)
    while cursor.peek().word in _TYPE_WORDS or cursor.is_next("COLLATE"):
        if cursor.advance().word == "COLLATE":
            cursor.name("a collation")
        _type_brackets(cursor)
    return cursor.slice_from(start)


def _type_brackets(cursor: Cursor) -> None:
    """What stands in ( ) or < > behind the name of a type."""
    opened: list[Token] = []
    while True:
        token = cursor.peek()
        if token.text in ("(", "<") and token.kind is TokenKind.SYMBOL:
            opened.append(token)
        elif opened and token.is_symbol(")" if opened[-1].text == "(" else ">"):
            opened.pop()
        elif opened and (token.kind is TokenKind.END or token.is_symbol(")")):
            _never_closed(cursor, opened[-1])
        elif not opened:
            return
        cursor.advance()
