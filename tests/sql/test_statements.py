"""Statements: what each text means, and where its parts are."""

from __future__ import annotations

from typing import get_args

import pytest

from everview.errors import SqlSyntax
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
from tests.sql.statement_texts import PAIRS, TEXTS, fields


def shown(statement: Statement) -> str:
    """The class, and a line for each field that says something."""
    lines = [f"{name}:{_field(value)}" for name, value in fields(statement)]
    return "\n  ".join([type(statement).__name__, *lines])


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
        case str() | int() | float():
            return repr(value)
    inner = ", ".join(f"{name}={_shown(v)}" for name, v in fields(value))
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
