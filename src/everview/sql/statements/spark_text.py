"""Queries that only Spark parses: their text, and where Spark found tables in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp

from everview.errors import Place, SqlNotAllowed, SqlSyntax
from everview.facts.views import Mention, Moment, ViewRecord
from everview.sql.bind.moments import PER_QUERY, RANDOM
from everview.sql.bind.scalar import function_name
from everview.sql.names import escaped, quoted
from everview.sql.read import parse
from everview.sql.read.parse import Parsed, parse_query, place_at, with_placeholders
from everview.sql.statements.lexer import Token, TokenKind, name_value, statements

_WHOLE = "__ev_query"
_HEAD = f"WITH {_WHOLE} AS (\n"
_FOOT = f"\n) SELECT * FROM {_WHOLE}"


@dataclass(frozen=True, slots=True)
class SparkText:
    """One query that Spark alone parses; `stop` is where our own parser stopped."""

    text: str
    mentions: tuple[Mention, ...]
    stop: Place | None

    def place_at(self, start: int, end: int) -> Place:
        """The place of the characters from start to end, both included."""
        return place_at(self.text, start, end)


AnyQuery = Parsed | SparkText


def query_of(record: ViewRecord) -> AnyQuery:
    """The query of a view, as it was read at creation."""
    if record.mentions is None:
        return parse_query(record.sql)
    return SparkText(record.sql, record.mentions, stop_of(record.sql))


def stop_of(text: str) -> Place | None:
    """Where our own parser stops; None if it does not."""
    try:
        parse_query(text)
    except SqlSyntax as error:
        return error.where if isinstance(error.where, Place) else None
    return None


def over_placeholders(query: AnyQuery, names: Mapping[str, str]) -> str:
    """The text with each table replaced by `{placeholder}`, under its own name where it has no
    alias; `names` maps a table's lower-case name to its placeholder.
    """
    if isinstance(query, Parsed):
        return with_placeholders(query, names)
    pieces = [_HEAD]
    done = 0
    for mention in query.mentions:
        pieces += [escaped(query.text[done : mention.start]), f"{{{names[mention.name]}}}"]
        pieces += [f" AS {escaped(quoted(mention.alias))}"] if mention.alias else []
        done = mention.end
    return "".join([*pieces, escaped(query.text[done:]), _FOOT])


def without_limit(query: AnyQuery) -> Parsed | None:
    """The query without the LIMIT and OFFSET at its end; None where that is not known."""
    return parse.parsed_without_limit(query) if isinstance(query, Parsed) else None


@dataclass(frozen=True, slots=True)
class Spot:
    """A name in a text, where a table could be named: text[start:end] and its parts."""

    start: int
    end: int
    parts: tuple[str, ...]
    is_path: bool  # a quoted name behind one other, as in parquet.`/folder`


@dataclass(frozen=True, slots=True)
class Rendered:
    """A query with some stretches of its text replaced, as Spark is asked about it."""

    text: str
    _moved: tuple[tuple[int, int, int], ...]  # (start in this text, its end, start in the query)

    def in_query(self, start: int, end: int) -> tuple[int, int] | None:
        """The stretch of the query that stands at these characters; None of what is ours."""
        for begun, ended, own in self._moved:
            if begun <= start and end <= ended:
                return start - begun + own, end - begun + own
        return None


def rendered(text: str, by: Mapping[tuple[int, int], str]) -> Rendered:
    """The text with stretches replaced, as part of a query that cannot be a command."""
    pieces, at, done = [_HEAD], len(_HEAD), 0
    moved = []
    for (start, end), other in sorted(by.items()):
        moved.append((at, at + start - done, done))
        pieces += [text[done:start], other]
        at += start - done + len(other)
        done = end
    moved.append((at, at + len(text) - done, done))
    return Rendered("".join([*pieces, text[done:], _FOOT]), tuple(moved))


def one_query(text: str) -> str:
    """The text without the `;` at its end; SqlNotAllowed or SqlSyntax if it is not one query with
    closed parentheses.
    """
    found = list(statements(text))
    if len(found) != 1:
        raise SqlNotAllowed(
            f"The text holds {len(found)} statements.", remedy="Give one SELECT query."
        )
    tokens = found[0]
    depth = 0
    for token in tokens:
        depth += token.is_symbol("(") - token.is_symbol(")")
        if depth < 0:
            raise SqlSyntax(
                "This closes no parenthesis.",
                where=place_at(text, token.start, token.end - 1),
                remedy="Correct the text at this place.",
            )
    return text[: tokens[-1].start] if tokens[-1].text else text


def identifier_clause(text: str) -> tuple[int, int] | None:
    """Where the text first makes a name of a string, by IDENTIFIER(...)."""
    tokens = next(statements(text))
    for word, after in pairwise(tokens):
        if word.word == "IDENTIFIER" and after.is_symbol("("):
            return word.start, word.end
    return None


_BEFORE_TABLES = frozenset({"FROM", "JOIN", "TABLE", "STREAM", "LATERAL"})


def table_spots(text: str) -> tuple[Spot, ...]:
    """The names of a text that stand where a table could be named."""
    tokens = next(statements(text))
    found = []
    for before, names, after in _paths(tokens):
        is_placed = before is not None and (
            before.word in _BEFORE_TABLES or before.text in (",", "(")
        )
        if is_placed and not after.is_symbol("(") and not after.is_symbol("."):
            parts = tuple(name_value(t) for t in names)
            is_path = len(parts) == 2 and names[1].kind is TokenKind.QUOTED
            found.append(Spot(names[0].start, names[-1].end, parts, is_path))
    return tuple(found)


def with_names(text: str) -> frozenset[str]:
    """The names, in lower case, that WITH could give to queries of the text: each is followed by
    AS and a parenthesis, perhaps with names of columns before.
    """
    tokens = next(statements(text))
    return frozenset(
        name_value(names[0]).lower()
        for _, names, after in _paths(tokens)
        if _is_given(tokens[tokens.index(after) :])
    )


def _is_given(behind: tuple[Token, ...]) -> bool:
    """Whether what stands behind a name makes it the name of a WITH query."""
    if behind[0].is_symbol("("):
        closed = next((i for i, t in enumerate(behind) if t.is_symbol(")")), len(behind))
        behind = behind[closed + 1 :]
    if behind and behind[0].word == "MAX":  # RECURSION LEVEL and a number
        behind = behind[4:]
    return len(behind) > 1 and behind[0].word == "AS" and behind[1].is_symbol("(")


def _paths(tokens: tuple[Token, ...]) -> Iterator[tuple[Token | None, list[Token], Token]]:
    """Names joined by dots, each with the token before it and the one behind."""
    place = 0
    while place < len(tokens) - 1:
        names = [tokens[place]]
        before = tokens[place - 1] if place else None
        place += 1
        if not _is_name(names[0]):
            continue
        while tokens[place].is_symbol(".") and _is_name(tokens[place + 1]):
            names.append(tokens[place + 1])
            place += 2
        yield before, names, tokens[place]


def _is_name(token: Token) -> bool:
    return token.kind in (TokenKind.WORD, TokenKind.QUOTED)


def called_functions(query: AnyQuery) -> dict[str, Place | None]:
    """The functions that a query calls, in lower case, and where each is called first."""
    found: dict[str, Place | None] = {}
    if isinstance(query, Parsed):
        for node in query.tree.find_all(exp.Func):
            name = function_name(node)
            if name is not None:
                found.setdefault(name, query.place(node))
        return found
    for _, names, after in _paths(next(statements(query.text))):
        if after.is_symbol("("):
            place = query.place_at(names[0].start, names[-1].end - 1)
            found.setdefault(name_value(names[-1]).lower(), place)
    return found


def moment_of_words(query: SparkText) -> Moment | None:
    """The first word that stands for the moment of a query or for chance, if it is no column:
    such a view is rather computed once too often.
    """
    for before, names, after in _paths(next(statements(query.text))):
        word = names[0].word.lower()
        is_bare = len(names) == 1 and not after.is_symbol("(") and word in _BARE
        is_called = after.is_symbol("(") and name_value(names[-1]).lower() in PER_QUERY | RANDOM
        if (is_bare or is_called) and not (before is not None and before.word == "AS"):
            place = query.place_at(names[0].start, names[-1].end - 1)
            return Moment(f"{name_value(names[-1]).lower()}()", place)
    return None


_BARE = frozenset({"current_date", "current_time", "current_timestamp", "localtimestamp"})


def name_parts(text: str) -> tuple[str, ...] | None:
    """The parts of a text that is one name; None if it is none."""
    found = list(statements(text))
    paths = list(_paths(found[0])) if len(found) == 1 else []
    if len(paths) != 1 or paths[0][2].kind is not TokenKind.END:
        return None
    names = paths[0][1]
    is_whole = names[0].start == 0 and names[-1].end == len(text)
    return tuple(name_value(t) for t in names) if is_whole else None
