"""From text to tokens, with Spark's own rules for strings, quoted names and comments."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from everview.errors import SqlSyntax
from everview.sql.statements.parts import place_of


class TokenKind(Enum):
    WORD = "word"  # a keyword or a plain name: no word is reserved
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    END = "end"  # of a statement: its `;`, or nothing behind the last token


@dataclass(frozen=True, slots=True)
class Token:
    """text[start:end] of the text it was found in."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word in capitals, "" of any other token."""
        return self.text.upper() if self.kind is TokenKind.WORD else ""

    def is_symbol(self, symbol: str) -> bool:
        return self.kind is TokenKind.SYMBOL and self.text == symbol


# Repetitions are possessive: an unclosed string is not cut short at a doubled quote within it.
# `<>` and `>>` stay apart for the sake of types: STRUCT<>, ARRAY<ARRAY<INT>>.
_TOKEN = re.compile(
    r"""
    (?P<STRING> [rR]'[^']*' | [rR]"[^"]*"
              | '(?: [^'\\] | \\. | '' )*+' | "(?: [^"\\] | \\. | "" )*+" )
  | (?P<QUOTED> `(?: [^`] | `` )*+` )
  | (?P<NUMBER> (?: \d+\.\d* | \d+ ) (?: [eE][+-]?\d+ )? (?: [bB]?[dD] | [fFlLsSyY] )? (?!\w) )
  | (?P<WORD> (?! [rR]['"] ) \w+ )
  | (?P<SYMBOL> <=> | == | => | != | -> | :: | := | <= | \|\| | [^'"`\s\w] )
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s+")
# A backslash at the end of its line continues such a comment on the next.
_LINE_COMMENT = re.compile(r"--(?:\\\n|[^\r\n])*")
# A hint within a comment does not nest.
_COMMENT_EDGE = re.compile(r"/\*(?!\+)|\*/")

_UNCLOSED = {"'": "string", '"': "string", "`": "quoted name"}


def statements(text: str) -> Iterator[tuple[Token, ...]]:
    """The tokens of each statement that is not empty; the last is its END."""
    found: list[Token] = []
    for token in _tokens(text):
        if not token.is_symbol(";"):
            found.append(token)
        elif found:
            yield (*found, Token(TokenKind.END, ";", token.start, token.end))
            found = []
    if found:
        yield (*found, Token(TokenKind.END, "", found[-1].end, found[-1].end))


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while (at := _skip(text, at)) < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unclosed(text, at)
        assert match.lastgroup is not None
        yield Token(TokenKind[match.lastgroup], match.group(), at, match.end())
        at = match.end()


def _skip(text: str, at: int) -> int:
    """Behind the white space and comments that begin here."""
    while True:
        if match := _SPACE.match(text, at) or _LINE_COMMENT.match(text, at):
            at = match.end()
        elif text.startswith("/*", at):
            at = _comment_end(text, at)
        else:
            return at


def _comment_end(text: str, start: int) -> int:
    depth = 1
    for edge in _COMMENT_EDGE.finditer(text, start + 2):
        depth += 1 if edge.group() == "/*" else -1
        if not depth:
            return edge.end()
    raise SqlSyntax(
        "The comment is never closed.",
        where=place_of(text, start, start + 2),
        remedy="Close it with */; a comment within it needs a */ of its own.",
    )


def _unclosed(text: str, start: int) -> SqlSyntax:
    quote = text[start] if text[start] in _UNCLOSED else text[start + 1]
    return SqlSyntax(
        f"The {_UNCLOSED[quote]} is never closed.",
        where=place_of(text, start, start + 1),
        remedy=f"Close it with {quote}.",
    )


_ESCAPE = re.compile(
    r"""\\(?: u([0-9a-fA-F]{4}) | U([0-9a-fA-F]{8}) | ([01][0-7]{2}) | (.) ) | '' | "" """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


def string_value(literal: str) -> str:
    """What a string literal stands for, as Spark reads it."""
    if literal[0] in "rR":
        return literal[2:-1]
    quote = literal[0]
    text = _ESCAPE.sub(lambda m: quote if m.group() == quote * 2 else _unescaped(m), literal[1:-1])
    # \uD83D\uDE00 is one character, written as the two halves that Java knows.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    short, long, octal, other = match.groups()
    if short or long:
        code = int(short or long, 16)
        return chr(code) if code <= sys.maxunicode else "\ufffd"
    if octal:
        return chr(int(octal, 8))
    # \% and \_ keep their backslash for LIKE; quotes of the other kind are no escape.
    return _ESCAPED.get(other, other) if other and other not in "%_" else match.group()


def name_value(token: Token) -> str:
    """The name that a word or a quoted name stands for."""
    if token.kind is TokenKind.QUOTED:
        return token.text[1:-1].replace("``", "`")
    return token.text
