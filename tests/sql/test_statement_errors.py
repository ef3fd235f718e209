"""What is said of texts that are no statements: what stands where, and what could."""

from __future__ import annotations

from pathlib import Path

import pytest

from everview.errors import SqlSyntax
from everview.sql.statements.parse import parse_script, parse_statement
from tests.pairs import pairs

HEAD = "EV-2001  the SQL text cannot be parsed\n"


@pytest.mark.parametrize(("sql", "message"), pairs(Path(__file__).parent / "statement_errors.txt"))
def test_a_text_is_refused_at_its_place(sql: str, message: str) -> None:
    with pytest.raises(SqlSyntax) as raised:
        parse_statement(sql)
    assert str(raised.value) == HEAD + message


@pytest.mark.parametrize("text", ["", "  \n", ";", "-- nothing", "/* nothing */;"])
def test_a_text_without_a_statement_is_refused(text: str) -> None:
    with pytest.raises(SqlSyntax, match="Expected a statement, found none") as raised:
        parse_statement(text)
    assert "line 1, column 1:" in str(raised.value)


def test_a_place_is_one_in_the_whole_script() -> None:
    script = "SELECT 1;\n-- here\nDROP TABEL t;\nSELECT 2"
    with pytest.raises(SqlSyntax) as raised:
        parse_script(script)
    assert str(raised.value) == HEAD + (
        "  line 3, column 6:\n"
        "      DROP TABEL t;\n"
        "           ^^^^^\n"
        "  Expected MATERIALIZED VIEW, VIEW or TABLE, found `TABEL`.\n"
        "  Did you mean TABLE?"
    )


def test_the_first_mistake_of_a_script_is_named() -> None:
    with pytest.raises(SqlSyntax, match="No statement begins with `FIRST`"):
        parse_script("FIRST; SELECT 'open")


def test_the_end_is_behind_the_last_token() -> None:
    with pytest.raises(SqlSyntax) as raised:
        parse_statement("DROP TABLE  \n\n ")
    assert "line 1, column 11:\n      DROP TABLE  \n                ^\n" in str(raised.value)


def test_lines_may_end_as_on_windows() -> None:
    with pytest.raises(SqlSyntax) as raised:
        parse_statement("DROP\r\nTABEL t\r\n")
    assert "line 2, column 1:\n      TABEL t\n      ^^^^^\n" in str(raised.value)
