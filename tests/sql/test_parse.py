"""Texts and places: one query, where things stand in it, which tables it names."""

from __future__ import annotations

import pytest
from sqlglot import exp

from everview.errors import SqlNotAllowed, SqlSyntax
from everview.sql.read.parse import (
    forbid_outside_state,
    parse_query,
    parsed_without_limit,
    place_at,
    table_name,
    table_references,
    with_placeholders,
)


def names(sql: str) -> list[str]:
    return [table_name(t) for t in table_references(parse_query(sql))]


def test_a_wrong_text_is_shown_with_a_caret() -> None:
    with pytest.raises(SqlSyntax) as raised:
        parse_query("SELECT a\nFROM (SELECT 1")
    assert "line 2" in str(raised.value)
    assert "^" in str(raised.value)
    assert raised.value.code == "EV-2001"


def test_a_text_that_cannot_be_cut_into_words_has_no_place() -> None:
    with pytest.raises(SqlSyntax) as raised:
        parse_query("SELECT 'open")
    assert raised.value.remedy


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT 1; SELECT 2", "2 statements"),
        ("", "0 statements"),
        ("DELETE FROM t", "DELETE statement"),
        ("CREATE TABLE t (a INT)", "CREATE statement"),
    ],
)
def test_anything_but_one_query_is_not_allowed(sql: str, what: str) -> None:
    with pytest.raises(SqlNotAllowed, match=what):
        parse_query(sql)


def test_a_query_is_text() -> None:
    with pytest.raises(SqlNotAllowed, match="not int"):
        parse_query(1)


def test_a_place_stays_within_its_line() -> None:
    place = place_at("ab\ncdef\ng", 4, 20)
    assert (place.line, place.column, place.length, place.source_line) == (2, 2, 3, "cdef")
    assert str(place) == "line 2, column 2:\n      cdef\n       ^^^"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM t JOIN a.b.u ON true", ["t", "a.b.u"]),
        ("SELECT * FROM t WHERE x IN (SELECT y FROM u)", ["t", "u"]),
        ("WITH w AS (SELECT * FROM t) SELECT * FROM w, W, db.w", ["t", "db.w"]),
        ("WITH t AS (SELECT * FROM t) SELECT * FROM t", ["t"]),
        ("WITH RECURSIVE w AS (SELECT * FROM w) SELECT * FROM w", []),
        ("SELECT * FROM (WITH w AS (SELECT 1) SELECT * FROM w) q, w", ["w"]),
        ("SELECT * FROM range(3)", []),
    ],
)
def test_the_tables_that_a_text_names(sql: str, expected: list[str]) -> None:
    assert names(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT '{' FROM T", "SELECT '{{' FROM {x} AS `T`"),
        ("SELECT * FROM t AS q, t", "SELECT * FROM {x} AS q, {x} AS `t`"),
        ("SELECT t.a FROM `a.b`.u, t", "SELECT t.a FROM {y} AS `u`, {x} AS `t`"),
        (
            "SELECT /* t */ 1 FROM t TABLESAMPLE (1 ROWS)",
            "SELECT /* t */ 1 FROM {x} TABLESAMPLE (1 ROWS)",
        ),
    ],
)
def test_tables_become_placeholders_where_they_stand(sql: str, expected: str) -> None:
    assert with_placeholders(parse_query(sql), {"t": "x", "a.b.u": "y"}) == expected


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT :x FROM t", "a parameter"),
        ("SELECT ? FROM t", "a parameter"),
        ("SELECT * FROM t VERSION AS OF 3", "a past version"),
        ("SELECT * FROM t TIMESTAMP AS OF '2026-01-01'", "a past version"),
    ],
)
def test_what_lies_outside_a_definition_is_refused(sql: str, what: str) -> None:
    with pytest.raises(SqlNotAllowed, match=what):
        forbid_outside_state(parse_query(sql))


def test_a_plain_text_rests_on_nothing_else() -> None:
    forbid_outside_state(parse_query("SELECT a FROM t"))


@pytest.mark.parametrize(
    ("sql", "rest"),
    [
        ("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM t ORDER BY a "),
        ("SELECT a FROM t\nLIMIT 3 OFFSET 2 ;", "SELECT a FROM t\n"),
        ("SELECT a FROM t OFFSET 2 -- the rest", "SELECT a FROM t "),
        ("SELECT 1 AS a UNION SELECT 2 LIMIT 3", "SELECT 1 AS a UNION SELECT 2 "),
        ("(SELECT a FROM t LIMIT 1) LIMIT 3", "(SELECT a FROM t LIMIT 1) "),
    ],
)
def test_a_limit_at_the_end_is_cut_off(sql: str, rest: str) -> None:
    found = parsed_without_limit(parse_query(sql))
    assert found is not None
    assert found.text == rest


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "(SELECT a FROM t LIMIT 3)",
        "SELECT a FROM (SELECT a FROM t LIMIT 3)",
        "SELECT a FROM t UNION ALL (SELECT a FROM u LIMIT 3)",
        "FROM t |> ORDER BY a |> LIMIT 3",
        "FROM t |> LIMIT 3 |> SELECT a",
    ],
)
def test_a_limit_elsewhere_is_left(sql: str) -> None:
    assert parsed_without_limit(parse_query(sql)) is None


def test_a_refusal_speaks_of_the_text_alone() -> None:
    for sql in ("SELECT a >>> 1 FROM t", "SELECT (1 FROM t", "SELECT a FROM t WHERE"):
        with pytest.raises(SqlSyntax) as raised:
            parse_query(sql)
        assert "class" not in str(raised.value)
        assert "sqlglot" not in str(raised.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT minus FROM t",
        "SELECT a, minus FROM t",
        "SELECT a - minus AS x FROM t",
        "SELECT a AS minus FROM t",
        "SELECT a FROM t WHERE minus > 1 ORDER BY minus",
        "SELECT a FROM t GROUP BY minus",
    ],
)
def test_minus_may_be_a_name(sql: str) -> None:
    assert isinstance(parse_query(sql).tree, exp.Select)
    assert names(sql) == ["t"]


@pytest.mark.parametrize("words", ["MINUS", "MINUS ALL", "minus distinct"])
def test_minus_between_queries_is_except(words: str) -> None:
    for sql in (
        f"SELECT a FROM t {words} SELECT a FROM u",
        f"(SELECT a FROM t) {words} (SELECT a FROM u)",
        f"SELECT a FROM t {words} VALUES (1)",
    ):
        assert isinstance(parse_query(sql).tree, exp.Except), sql
