"""Laws of statements: whatever stands between their words, and whatever is lost of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everview.errors import Place, SqlSyntax
from everview.sql.statements.lexer import TokenKind, statements
from everview.sql.statements.parse import parse_script, parse_statement, split_script
from everview.sql.statements.parts import Name, Slice
from everview.sql.statements.values import Statement
from tests.sql.statement_texts import TEXTS, fields

GAPS = st.sampled_from(
    [
        " ",
        "\n",
        "\t",
        "\r\n",
        "\u00a0",
        "/**/",
        "/* ; ' */",
        '/* /* ` */ " */',
        "-- ; '\n",
        "--\\\n\n",
    ]
)
CASES = settings(max_examples=300, deadline=None)


def meaning(value: object) -> object:
    """A value without its places: verbatim parts are their tokens."""
    match value:
        case Slice(text):
            return [token.text for tokens in statements(text) for token in tokens]
        case Name(parts):
            return parts
        case tuple():
            return [meaning(v) for v in value]
        case None | str() | int() | float():
            return value
    return type(value).__name__, [(name, meaning(v)) for name, v in fields(value)]


@CASES
@given(st.sampled_from(TEXTS), st.data())
def test_what_stands_between_tokens_means_nothing(text: str, data: st.DataObject) -> None:
    (tokens,) = statements(text)
    gaps = data.draw(st.lists(GAPS, min_size=len(tokens), max_size=len(tokens)))
    spread = "".join(gap + token.text for gap, token in zip(gaps, tokens, strict=True))
    assert meaning(parse_statement(spread)) == meaning(parse_statement(text))


@CASES
@given(st.sampled_from(TEXTS), st.data())
def test_keywords_may_be_written_in_any_case(text: str, data: st.DataObject) -> None:
    (tokens,) = statements(text)
    words = [t for t in tokens if t.kind is TokenKind.WORD]
    token = data.draw(st.sampled_from(words))
    swapped = text[: token.start] + token.text.swapcase() + text[token.end :]
    assert type(parse_statement(swapped)) is type(parse_statement(text))


@pytest.mark.parametrize("text", TEXTS)
def test_a_beginning_is_refused_or_a_statement(text: str) -> None:
    for end in range(len(text)):
        assert_refused_or_understood(text[:end])


@CASES
@given(st.sampled_from(TEXTS), st.data())
def test_a_token_lost_doubled_or_swapped_is_refused_or_understood(
    text: str, data: st.DataObject
) -> None:
    (tokens,) = statements(text)
    words = [t.text for t in tokens[:-1]]
    at = data.draw(st.integers(0, len(words) - 1))
    other = data.draw(st.sampled_from([[], [words[at]] * 2, *([w] for w in words), ["("], [")"]]))
    assert_refused_or_understood(" ".join(words[:at] + other + words[at + 1 :]))


@CASES
@given(st.text("'\"`r\\-/*\n;a1 .(", max_size=12))
def test_any_text_is_refused_or_understood(text: str) -> None:
    assert_refused_or_understood(f"SELECT {text}")


def assert_refused_or_understood(text: str) -> None:
    """SqlSyntax at a place of the text, or statements; anything else is a mistake of ours."""
    try:
        found: tuple[Statement, ...] = parse_script(text)
    except SqlSyntax as error:
        where = error.where
        found = ()
    else:
        where = None
    if where is None:
        assert len(found) == len(split_script(text))
        assert all(isinstance(s, Statement) for s in found)
    else:
        assert isinstance(where, Place)
        assert where.source_line == text.split("\n")[where.line - 1].rstrip("\r")
        assert 1 <= where.column <= len(where.source_line) + 1


def test_every_part_is_verbatim() -> None:
    for text in TEXTS:
        for part in _parts(parse_statement(text)):
            assert part.whole == text
            assert text[part.start : part.start + len(part.text)] == part.text


def _parts(value: object) -> list[Slice]:
    match value:
        case Slice():
            return [value]
        case tuple():
            return [part for v in value for part in _parts(v)]
        case None | str() | int() | float() | Name():
            return []
    return [part for _, v in fields(value) for part in _parts(v)]
