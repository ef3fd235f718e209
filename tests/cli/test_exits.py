"""How commands end: exit codes, errors as text and as JSON, interruptions."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from everview.cli.main import run_command_line
from everview.errors import NotAWarehouse, Place, SqlSyntax
from tests.cli.fakes import Captured, FakeWarehouse


def test_an_error_has_code_place_and_remedy(wh: FakeWarehouse, capsys: Captured) -> None:
    place = Place(1, 8, 2, "SELECT id FROM t")
    wh.raised = SqlSyntax("`id` is not there.", where=place, remedy="Write another.")
    assert run_command_line(["refresh"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{wh.raised}\n"
    assert run_command_line(["refresh", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": wh.raised.to_dict()}
    assert err == ""


def test_an_error_that_nobody_foresaw(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.raised = ValueError("boom\n\nJVM stacktrace:\nat java")
    assert run_command_line(["refresh"]) == 1
    err = capsys.readouterr().err
    assert "EV-9001" in err
    assert "ValueError: boom\n" in err
    assert "at java" not in err
    assert "Traceback" not in err
    log = err.splitlines()[0].removeprefix("What Spark said is in ")
    Path(log).unlink()
    assert run_command_line(["refresh", "-v"]) == 1
    err = capsys.readouterr().err
    assert "Traceback" in err
    Path(err.splitlines()[0].removeprefix("What Spark said is in ")).unlink(missing_ok=True)


def test_an_interruption(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.raised = KeyboardInterrupt()
    assert run_command_line(["refresh"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_misuse_as_json(capsys: Captured) -> None:
    assert run_command_line(["explain", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == "EV-1005"
    assert err == ""
    assert run_command_line(["no-such"]) == 2
    assert "no-such" in capsys.readouterr().err


def test_the_log_of_the_package_is_left_as_it_was(wh: FakeWarehouse) -> None:
    log = logging.getLogger("everview")
    before = (log.level, list(log.handlers))
    assert run_command_line(["refresh", "-v"]) == 0
    assert (log.level, list(log.handlers)) == before


def test_no_warehouse_near(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Captured
) -> None:
    monkeypatch.delenv("EVERVIEW_WAREHOUSE", raising=False)
    monkeypatch.chdir(tmp_path)
    assert run_command_line(["status", "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == NotAWarehouse.code
    assert "EVERVIEW_WAREHOUSE" in error["remedy"]
