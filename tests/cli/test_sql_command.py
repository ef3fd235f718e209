"""The command sql: its text from three places, its result in three forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everview.cli.main import run_command_line
from tests.cli.fakes import Captured, FakeFrame, FakeWarehouse


def test_sql_as_a_table_json_and_csv(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.frame = FakeFrame(["city", "n"], [("Łódź", 12), (None, 3)])
    assert run_command_line(["sql", "select 1"]) == 0
    assert capsys.readouterr().out == "city   n\nŁódź  12\nNULL   3\n"
    assert run_command_line(["sql", "select 1", "--json"]) == 0
    rows = [{"city": "Łódź", "n": 12}, {"city": None, "n": 3}]
    assert json.loads(capsys.readouterr().out) == rows
    assert run_command_line(["sql", "select 1", "--csv"]) == 0
    assert capsys.readouterr().out == "city,n\nŁódź,12\n,3\n"
    assert wh.asked[0] == ("lake", {"create": True})


def test_sql_from_a_file_or_stdin(
    wh: FakeWarehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sql").write_text("select 1; select 2")
    assert run_command_line(["sql", "-f", "a.sql", "-w", "new"]) == 0
    monkeypatch.setattr("sys.stdin", (tmp_path / "a.sql").open())
    assert run_command_line(["sql", "-"]) == 0
    assert wh.asked[0] == ("new", {"create": True})
    assert wh.asked[1] == wh.asked[3] == "select 1; select 2"


def test_sql_without_text_or_with_both_outputs_is_misuse(wh: FakeWarehouse) -> None:
    assert (
        run_command_line(["sql"])
        == run_command_line(["sql", "x", "-f", "y"])
        == run_command_line(["sql", "x", "--csv", "--json"])
        == 2
    )
    assert run_command_line(["sql", "-f", "no-such-file"]) == 1
    assert wh.asked == []


def test_sql_says_when_there_is_more(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.frame = FakeFrame(["n"], [(n,) for n in range(150)])
    assert run_command_line(["sql", "x"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 101
    assert "100 rows shown; there are more" in err
    assert (
        run_command_line(["sql", "x", "--limit", "0"])
        == run_command_line(["sql", "x", "--json"])
        == 0
    )
    out, err = capsys.readouterr()
    assert err == ""
    assert "149" in out
    assert run_command_line(["sql", "x", "--csv", "--limit", "2"]) == 0
    assert capsys.readouterr().out == "n\n0\n1\n"


def test_a_statement_without_result_prints_nothing(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["sql", "drop table x"]) == 0
    assert capsys.readouterr() == ("", "")
    assert run_command_line(["sql", "drop table x", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_what_a_statement_says_besides_rows(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.frame = FakeFrame(["result"], [])
    assert run_command_line(["sql", "create table x"]) == 0
    assert capsys.readouterr() == ("", "")
    wh.frame = FakeFrame(["plan"], [("first line\n  second line",)])
    assert run_command_line(["sql", "explain x"]) == 0
    assert capsys.readouterr().out == "first line\n  second line\n"
