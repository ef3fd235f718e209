"""Which expressions of a text make its rows depend on when they are computed."""

from __future__ import annotations

import json

import pytest

from everview.errors import Place
from everview.facts.schema import Field, Schema
from everview.facts.views import Layout, LayoutKind, Moment, ViewRecord
from everview.sql.bind.moments import function_bodies, known_moment, own_calls
from everview.sql.read.parse import parse_query

SOURCES = {"t": Schema((Field("d", "date"), Field("user", "string"), Field("s", "string")))}


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT 1 FROM t WHERE d > now() - INTERVAL 1 DAY", "now() (line 1, column 27)"),
        ("SELECT\n  current_user FROM t", "current_user (line 2, column 3)"),
        ("SELECT unix_timestamp() FROM t", "unix_timestamp() (line 1, column 8)"),
        ("SELECT DATE'today' FROM t", "'today' (line 1, column 8)"),
        ("SELECT ' NOW '::timestamp FROM t", "' NOW ' (line 1, column 8)"),
        ("SELECT date_add('yesterday', 1) FROM t", "'yesterday' (line 1, column 17)"),
        ("SELECT 1 FROM t WHERE d < ('today')", "'today' (line 1, column 28)"),
        ("SELECT 1 FROM t WHERE d IN (DATE'2020-01-01', 'tomorrow')", "'tomorrow' (line 1, "),
        ("SELECT * FROM t LATERAL VIEW explode(array(Rand())) AS z", "Rand() (line 1, column 44)"),
        ("SELECT * FROM VALUES (now()) AS v(x)", "now() (line 1, column 23)"),
        ("SELECT * FROM t TABLESAMPLE (10 PERCENT)", "TABLESAMPLE (10 PERCENT) (line 1"),
        ("SELECT 1 FROM t WHERE s IN (SELECT uuid() FROM t)", "uuid() (line 1, column 36)"),
    ],
)
def test_expressions_of_the_moment(sql: str, said: str) -> None:
    assert str(known_moment(parse_query(sql), SOURCES)).startswith(said)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT user FROM t",
        "SELECT t.current_date FROM t",
        "SELECT unix_timestamp(d) FROM t",
        "SELECT s = 'today', 'now' AS now FROM t",
        "SELECT current_date FROM (SELECT d AS current_date FROM t)",
        "SELECT current_date FROM t AS x(current_date, b, c)",
        "SELECT CAST('now' AS STRING) FROM t",
        "SELECT DATE'2020-01-01', date_add(d, 1) FROM t",
    ],
)
def test_expressions_that_only_look_like_it(sql: str) -> None:
    assert known_moment(parse_query(sql), SOURCES) is None


def test_functions_that_are_not_sparks_own() -> None:
    sql = "SELECT upper(s), my.f(d, 2), transform(a, x -> g(x)), my.f(d, 3) FROM t, h()"
    found = own_calls(parse_query(sql))
    assert {(c.name, c.arguments) for c in found} == {("`my`.`f`", 2), ("`g`", 1), ("`h`", 0)}


def test_the_body_of_a_function_written_in_sql() -> None:
    parts = {"sqlFunction.expression": "now() + x"}
    lines = ["Function: f", f"Usage: {json.dumps(parts)}.", "Usage: N/A."]
    assert list(function_bodies(lines)) == ["SELECT\nnow() + x"]


def test_a_record_keeps_the_moment_and_an_older_one_has_none() -> None:
    columns = Schema((Field("a", "long"),))
    moment = Moment("now()", Place(1, 2, 3, "..."))
    record = ViewRecord(
        "q", {}, columns, (), Layout(LayoutKind.ROWS, (), columns), "why", "1", moment=moment
    )
    assert ViewRecord.from_json(record.to_json()) == record
    raw = json.loads(record.to_json())
    del raw["moment"]
    assert ViewRecord.from_json(json.dumps(raw)).moment is None
