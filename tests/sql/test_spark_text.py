"""Texts that only Spark parses, as far as their words tell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everview.errors import SqlNotAllowed, SqlSyntax
from everview.facts.views import Mention
from everview.sql.read.parse import parse_query
from everview.sql.statements.spark_text import (
    SparkText,
    called_functions,
    identifier_clause,
    moment_of_words,
    name_parts,
    one_query,
    over_placeholders,
    rendered,
    stop_of,
    table_spots,
    with_names,
    without_limit,
)


def spots(text: str) -> list[str]:
    return [text[s.start : s.end] for s in table_spots(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT a >>> 1 FROM t", ["t"]),
        ("SELECT a >>> 1 FROM t x, `u v` JOIN db.w ON TRUE", ["t", "`u v`", "db.w"]),
        ("SELECT a, b.c, d.* FROM (t)", ["b.c", "t"]),
        ("SELECT 'FROM t', a >>> f(1) FROM g(x) -- FROM c", ["a", "x"]),
        ("TABLE t |> WHERE a >>> 1 = 0", ["t"]),
    ],
)
def test_names_that_stand_where_a_table_could(text: str, found: list[str]) -> None:
    assert spots(text) == found


def test_a_path_is_told_by_its_quotes() -> None:
    paths = [s.is_path for s in table_spots("SELECT 1 FROM parquet.`/x`, db.t, `t`")]
    assert paths == [True, False, False]


def test_names_that_with_could_give() -> None:
    text = "WITH a AS (SELECT 1), `B`(x, y) AS (SELECT 2) SELECT c AS d FROM e"
    assert with_names(text) == {"a", "b"}
    assert with_names("WITH RECURSIVE r(n) MAX RECURSION LEVEL 5 AS (SELECT 1) FROM r") == {"r"}


def test_the_name_of_a_table_is_one_name() -> None:
    assert name_parts("db.`t ``x`") == ("db", "t `x")
    for text in ("", "IDENTIFIER('t')", "t u", "t.", "'t'"):
        assert name_parts(text) is None


def test_a_computed_name() -> None:
    assert identifier_clause("SELECT identifier FROM t") is None
    assert identifier_clause("SELECT 1 FROM identifier ('t')") == (14, 24)


def test_one_query_with_closed_parentheses() -> None:
    assert one_query("SELECT 1;") == "SELECT 1"
    assert one_query("SELECT ')' -- )") == "SELECT ')' -- )"
    with pytest.raises(SqlNotAllowed, match="2 statements"):
        one_query("SELECT 1; SELECT 2")
    with pytest.raises(SqlSyntax, match="closes no parenthesis"):
        one_query("SELECT 1) x JOIN (SELECT 2")


@settings(deadline=None)
@given(st.text(alphabet="ab{}' \n😀", max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_places_are_found_again(text: str, first: int, second: int) -> None:
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    shown = rendered(text, {(start, end): "other"})
    at = shown.text.index("other", shown.text.index("(") + 1 + start)
    assert shown.in_query(at, at + 5) is None
    for place in [*range(start), *range(end, len(text))]:
        moved = place if place < start else place - end + start + 5
        head = shown.text.index("\n") + 1
        assert shown.in_query(head + moved, head + moved + 1) == (place, place + 1)


def test_tables_become_placeholders() -> None:
    text = "SELECT '{' FROM t, u x"
    query = SparkText(text, (Mention(16, 17, "t", "t"), Mention(19, 20, "u", "")), None)
    assert over_placeholders(query, {"t": "s0", "u": "s1"}).split("\n")[1] == (
        "SELECT '{{' FROM {s0} AS `t`, {s1} x"
    )
    assert over_placeholders(parse_query("FROM t"), {"t": "s0"}) == "FROM {s0} AS `t`"
    assert without_limit(query) is None


def test_where_our_parser_stops() -> None:
    place = stop_of("SELECT a\n  >>> 1 FROM t")
    assert place is not None
    assert (place.line, place.column) == (2, 5)
    assert stop_of("SELECT 1") is None


def test_functions_that_are_called() -> None:
    text = "SELECT Twice(a), db.half(b) >>> 1, 'no(1)' FROM gen(3)"
    found = called_functions(SparkText(text, (), None))
    assert list(found) == ["twice", "half", "gen"]
    parsed = called_functions(parse_query("SELECT Twice(a), CAST(b AS INT) FROM gen(3)"))
    assert set(parsed) == {"twice", "gen"}
    place = parsed["twice"]
    assert place is not None
    assert (place.line, place.column) == (1, 8)


def test_words_that_stand_for_the_moment() -> None:
    for sql in ("SELECT now() >>> 1", "SELECT a >>> 1, CURRENT_DATE FROM t", "SELECT rand ()"):
        assert moment_of_words(SparkText(sql, (), None)) is not None, sql
    for sql in ("SELECT 'now()' >>> 1", "SELECT a AS current_date FROM t", "SELECT t.current_date"):
        assert moment_of_words(SparkText(sql, (), None)) is None, sql
