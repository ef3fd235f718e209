"""Statements: what each text means, whatever stands between its words, and where its parts are."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everview.errors import Place, SqlSyntax
from everview.sql.read.parse import parse_query, place_at
from everview.sql.statements.asked import ShowTables
from everview.sql.statements.grammar import GRAMMAR
from everview.sql.statements.lexer import TokenKind, statements, string_value
from everview.sql.statements.parse import parse_script, parse_statement, split_script
from everview.sql.statements.parts import Name, Slice
from everview.sql.statements.values import (
    CreateMaterializedView,
    DeleteFrom,
    RefreshMaterializedView,
    Statement,
)
from tests.pairs import pairs

PAIRS = pairs(Path(__file__).parent / "statements.txt")
TEXTS = [pair.values[0] for pair in PAIRS]  # type: ignore[attr-defined]


def shown(statement: Statement) -> str:
    """The class, and a line for each field that says something."""
    lines = [f"{name}:{_field(value)}" for name, value in _fields(statement)]
    return "\n  ".join([type(statement).__name__, *lines])


def _fields(value: object) -> list[tuple[str, object]]:
    assert dataclasses.is_dataclass(value)
    found = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
    return [(name, value) for name, value in found if value not in (None, False, ())]


def _field(value: object) -> str:
    """On the same line, or parts with fields of their own on a line each."""
    if isinstance(value, tuple) and not isinstance(value[0], Name | Slice):
        return "".join(f"\n    {_shown(v)}" for v in value)
    return f" {_shown(value)}"


def _shown(value: object) -> str:
    match value:
        case Slice(text, start):
            return f"{text!r}@{start}"
        case Name(parts, start, end):
            return f"{'.'.join(parts)}@{start}-{end}"
        case tuple():
            return f"({', '.join(_shown(v) for v in value)})"
        case str() | bool() | float():
            return repr(value)
    inner = ", ".join(f"{name}={_shown(v)}" for name, v in _fields(value))
    return f"{type(value).__name__}({inner})"


@pytest.mark.parametrize(("sql", "meaning"), PAIRS)
def test_a_statement_is_understood(sql: str, meaning: str) -> None:
    assert shown(parse_statement(sql)) == meaning


def test_every_kind_of_statement_is_tried() -> None:
    assert {type(parse_statement(text)) for text in TEXTS} == set(get_args(Statement))


# The grammar page


@pytest.mark.parametrize("entry", GRAMMAR, ids=lambda entry: entry.title)
def test_an_example_of_the_grammar_is_a_statement(entry: tuple[str, str, str, str]) -> None:
    title, syntax, example, sentence = entry
    parse_statement(example)
    first = title.split()[0]
    assert title == "Query" or (syntax.startswith(first) and example.startswith(first))
    assert sentence.endswith(".")
    assert sentence.count(". ") == 0


def test_the_grammar_has_every_kind_of_statement() -> None:
    assert {type(parse_statement(entry.example)) for entry in GRAMMAR} == set(get_args(Statement))
    assert len({entry.title for entry in GRAMMAR}) == len(GRAMMAR)


# Scripts

SCRIPT = r"""
-- a shop; with `everything`
CREATE TABLE stores (id INT PRIMARY KEY, city STRING);
CREATE TABLE sales (id INT, store INT REFERENCES stores (id), note STRING);;
INSERT INTO stores VALUES (1, 'Oslo; Norway'), (2, "Bergen;");
INSERT INTO sales VALUES (1, 1, r'\'), (2, 2, 'it\'s; ''here''');
/* now; the view /* of views; */ ; */
CREATE MATERIALIZED VIEW `city;sales` AS
  SELECT city, count(*) AS n FROM sales JOIN stores ON store = stores.id GROUP BY city;
DELETE FROM sales WHERE note = ';' -- gone;\
still a comment;
;
REFRESH MATERIALIZED VIEW `city;sales`;
VERIFY MATERIALIZED VIEWS;
SHOW TABLES LIKE ';';
SELECT * FROM `city;sales`
"""


def test_a_script_is_cut_at_its_semicolons() -> None:
    found = parse_script(SCRIPT)
    assert [type(s).__name__ for s in found] == [
        "CreateTable",
        "CreateTable",
        "InsertInto",
        "InsertInto",
        "CreateMaterializedView",
        "DeleteFrom",
        "RefreshMaterializedView",
        "Verify",
        "ShowTables",
        "Query",
    ]
    view, deleted, refreshed, shows = found[4], found[5], found[6], found[8]
    assert isinstance(view, CreateMaterializedView)
    assert isinstance(deleted, DeleteFrom)
    assert deleted.where is not None
    assert isinstance(refreshed, RefreshMaterializedView)
    assert SCRIPT[view.name.start : view.name.end] == "`city;sales`"
    assert view.name.parts == refreshed.names[0].parts == ("city;sales",)
    assert deleted.where.text == "note = ';'"
    assert shows == ShowTables(";")


def test_the_texts_of_a_script_are_its_statements() -> None:
    texts = split_script(SCRIPT)
    assert [type(parse_statement(t.text)) for t in texts] == [type(s) for s in parse_script(SCRIPT)]
    assert all(SCRIPT[t.start :].startswith(t.text) for t in texts)
    assert texts[-1].text == "SELECT * FROM `city;sales`"


@pytest.mark.parametrize("text", ["", " \n", ";;", "-- only a comment", "/* ; */ ; -- ;"])
def test_a_script_may_be_empty(text: str) -> None:
    assert parse_script(text) == ()


# Places


def test_a_place_within_a_part_is_a_place_in_the_whole() -> None:
    text = "DROP TABLE t;\nCREATE MATERIALIZED VIEW v AS SELECT a,\n  b c d\nFROM t"
    view = parse_script(text)[1]
    assert isinstance(view, CreateMaterializedView)
    with pytest.raises(SqlSyntax) as raised:
        parse_query(view.query.text)
    where = view.query.in_whole(raised.value.where)  # type: ignore[arg-type]
    assert str(where) == "line 3, column 7:\n        b c d\n            ^"
    inside = view.query.text.index("a,")
    assert view.query.place(inside, inside) == place_at(text, text.index("a,"), text.index("a,"))
    assert view.name.place(text) == place_at(text, text.index("v AS"), text.index("v AS"))
    assert str(view.query) == view.query.text


def test_a_first_line_within_a_part_is_moved_by_its_column() -> None:
    query = parse_statement("EXPLAIN SELECT a").query  # type: ignore[union-attr]
    assert isinstance(query, Slice)
    assert str(query.in_whole(place_at(query.text, 7, 7))).endswith(
        "EXPLAIN SELECT a\n" + " " * 21 + "^"
    )


def test_names_are_written_in_two_ways() -> None:
    name = parse_statement("DELETE FROM a.`b``c`").name  # type: ignore[union-attr]
    assert isinstance(name, Name)
    assert (name.dotted, str(name), name.sql) == ("a.b`c", "a.b`c", "`a`.`b``c`")


# Tokens


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("''", ""),
        ('""', ""),
        ("'it''s'", "it's"),
        ("'\"\"'", '""'),
        ('"say ""so"""', 'say "so"'),
        (r"'a\'''b'", "a''b"),
        (r"r'a\n'", r"a\n"),
        ('R"\\"', "\\"),
        (r"'\n\t\r\b\0\Z\\\"\''", "\n\t\r\b\0\x1a\\\"'"),
        (r"'\%\_\q'", r"\%\_q"),
        (r"'\101\u0042\U00000043'", "ABC"),
        (r"'\uD83D\uDE00'", "😀"),
        (r"'\uD83D'", "\ufffd"),
        (r"'\UFFFFFFFF'", "\ufffd"),
        ("'a\nb'", "a\nb"),
    ],
)
def test_a_string_stands_for_what_spark_reads(literal: str, value: str) -> None:
    assert parse_statement(f"SHOW TABLES LIKE {literal}") == ShowTables(value)
    assert string_value(literal) == value


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1.5 1e5 2L 1.5e-3BD 3d", ["NUMBER"] * 5),
        ("2020_sales 1a bar'x' x'1F'", ["WORD", "WORD", "WORD", "STRING", "WORD", "STRING"]),
        ("a<=>b==c->d::e||f", ["WORD", "SYMBOL"] * 5 + ["WORD"]),
        ("a>>b<>c", ["WORD", "SYMBOL", "SYMBOL", "WORD", "SYMBOL", "SYMBOL", "WORD"]),
        ("é.b", ["WORD", "SYMBOL", "WORD"]),
        ("a--b\\\nc\nd--", ["WORD", "WORD"]),
        ("a--b\\\r\nc", ["WORD", "WORD"]),
        ("/* /*+ */ a", ["WORD"]),
        ("`a``b` ````", ["QUOTED", "QUOTED"]),
    ],
)
def test_a_text_is_cut_into_tokens(text: str, tokens: list[str]) -> None:
    (found,) = statements(text)
    assert [t.kind.name for t in found[:-1]] == tokens
    assert found[-1].kind is TokenKind.END


# Laws

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
        case None | str() | bool() | float():
            return value
    return type(value).__name__, [(name, meaning(v)) for name, v in _fields(value)]


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
        case None | str() | bool() | float() | Name():
            return []
    return [part for _, v in _fields(value) for part in _parts(v)]
