"""The commands on a warehouse that says what it is told: exit codes, JSON, words."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import everview
from everview.cli.main import main
from everview.errors import NotATable, NotAWarehouse, Place, RefreshFailed, SqlSyntax
from tests.cli.fakes import (
    EXPLANATION,
    RECEIPT,
    STATUS,
    VERIFIED,
    WRONG,
    FakeFrame,
    FakeHandle,
    FakeWarehouse,
    shop,
)


@pytest.fixture
def wh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeWarehouse:
    """The warehouse that every command opens."""
    warehouse = shop()

    def opened(path: str, **options: Any) -> FakeWarehouse:
        warehouse.asked.append((path, options))
        return warehouse

    monkeypatch.setattr(everview, "open", opened)
    monkeypatch.setenv("EVERVIEW_WAREHOUSE", "lake")
    monkeypatch.chdir(tmp_path)
    return warehouse


Captured = pytest.CaptureFixture[str]


def test_refresh(wh: FakeWarehouse, capsys: Captured) -> None:
    assert main(["refresh"]) == 0
    assert wh.asked == [("lake", {"create": False}), ((), False)]
    out, err = capsys.readouterr()
    assert out.startswith("city_sales")
    assert "incremental" in out
    assert "\x1b" not in out
    assert err == ""


def test_refresh_names_selection_and_full(wh: FakeWarehouse) -> None:
    assert main(["refresh", "city_sales", "--select", "*_baskets", "--full", "-w", "x"]) == 0
    assert wh.asked == [("x", {"create": False}), (("city_sales", "big_baskets"), True)]


def test_refresh_tries_again_as_often_as_it_is_told(wh: FakeWarehouse) -> None:
    assert main(["refresh", "city_sales", "--retry", "3"]) == 0
    assert wh.asked[-1] == (("city_sales",), False, 3)


def test_refresh_as_json(wh: FakeWarehouse, capsys: Captured) -> None:
    assert main(["refresh", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps([RECEIPT.to_dict()]))


def test_refresh_in_quiet(wh: FakeWarehouse, capsys: Captured) -> None:
    assert main(["refresh", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_verify_a_right_and_a_wrong_view(wh: FakeWarehouse, capsys: Captured) -> None:
    assert main(["verify", "city_sales"]) == 0
    assert main(["verify", "--all"]) == 3
    out = capsys.readouterr().out
    assert out.count("city_sales") == 2
    assert "big_baskets" in out
    assert main(["verify", "--all", "-q"]) == 3
    assert "city_sales" not in capsys.readouterr().out


def test_a_view_that_cannot_be_compared_is_no_alarm(wh: FakeWarehouse, capsys: Captured) -> None:
    aside = everview.Verification(
        "recent", "not comparable", 3, why_not="it depends on the clock: now()"
    )
    wh.handles = {"recent": FakeHandle("recent", aside)}
    assert main(["verify", "--all"]) == 0
    assert "recent  not comparable  it depends on the clock: now()" in capsys.readouterr().out


def test_a_refresh_that_fails_in_part_has_receipts_and_errors(
    wh: FakeWarehouse, capsys: Captured
) -> None:
    gone, stopped = NotATable("Its folder is gone.", remedy="Move it."), RefreshFailed("It waits.")
    failure = RefreshFailed("2 of 3 views were not refreshed.")
    failure.receipts, failure.errors = (RECEIPT,), {"stores": gone, "top": stopped}
    wh.raised = failure
    assert main(["refresh"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("city_sales  incremental")
    assert err == f"stores  {gone}\ntop  {stopped}\n"
    assert main(["refresh", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == [
        json.loads(json.dumps(RECEIPT.to_dict())),
        {"view": "stores", "error": gone.to_dict()},
        {"view": "top", "error": stopped.to_dict()},
    ]
    assert err == ""
    assert main(["refresh", "-q"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "EV-4004" in err


def test_verify_goes_on_after_an_error(wh: FakeWarehouse, capsys: Captured) -> None:
    gone = NotATable("Its folder is gone.", remedy="Move it.")
    wh.handles = {"a": FakeHandle("a", gone), **wh.handles}
    assert main(["verify", "--all"]) == 3, "a view that differs matters most"
    out, err = capsys.readouterr()
    assert "city_sales  exact" in out
    assert err == f"a  {gone}\n"
    del wh.handles["big_baskets"]
    assert main(["verify", "--all"]) == 1
    assert "city_sales  exact" in capsys.readouterr().out
    assert main(["verify", "--all", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [line["view"] for line in found] == ["city_sales", "a"]
    assert found[1]["error"] == gone.to_dict()
    wh.handles["a"] = FakeHandle("a", ValueError("boom"))
    assert main(["verify", "a", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["error"]["code"] == "EV-9001"


def test_a_status_that_cannot_be_told_is_a_row(wh: FakeWarehouse, capsys: Captured) -> None:
    gone = NotATable("Its folder is gone.", remedy="Move it.")
    wh.statuses = [STATUS, replace(STATUS, view="broken", behind={}, error=gone.to_dict())]
    assert main(["status"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 3
    assert "EV-4004: Its folder is gone." in out[2]
    assert main(["status", "--json"]) == 1
    assert [s["error"] for s in json.loads(capsys.readouterr().out)] == [None, gone.to_dict()]
    assert main(["status", "--tree"]) == 1
    assert "broken  error EV-4004" in capsys.readouterr().out


def test_verify_as_json(wh: FakeWarehouse, capsys: Captured) -> None:
    assert main(["verify", "--all", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads(json.dumps([VERIFIED.to_dict(), WRONG.to_dict()]))


@pytest.mark.parametrize("words", [["verify"], ["verify", "city_sales", "--all"]])
def test_verify_wants_names_or_all(wh: FakeWarehouse, words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "--all" in err
    assert wh.asked == []


def test_status_and_explain(wh: FakeWarehouse, capsys: Captured) -> None:
    assert main(["status"]) == main(["status", "city_sales"]) == 0
    assert "city_sales" in capsys.readouterr().out
    assert main(["status", "--tree"]) == 0
    assert "sales\n  city_sales" in capsys.readouterr().out
    assert main(["explain", "city_sales"]) == 0
    out = capsys.readouterr().out
    assert "full" in out
    assert "SELECT" not in out
    assert main(["explain", "city_sales", "--sql"]) == 0
    assert capsys.readouterr().out == EXPLANATION.text + "\n"
    assert main(["explain", "city_sales", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["strategy"] == "full"
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps([STATUS.to_dict()]))


def test_history_of_a_view_and_of_a_table(wh: FakeWarehouse, capsys: Captured) -> None:
    line = {"version": 3, "timestamp": 0, **RECEIPT.to_dict()}
    wh.handles["city_sales"].lines = [line, {**line, "version": 2}]
    commit = {"version": 7, "timestamp": 0, "operation": "APPEND", "data_change": True}
    wh.tables_["sales"] = FakeHandle(
        "sales", lines=[{**commit, "rows": {"insert": 10_000, "update": 0}}]
    )
    assert main(["history", "city_sales", "--limit", "1"]) == 0
    out, err = capsys.readouterr()
    assert "1970-01-01 00:00" in out
    assert "31" in out
    assert len(out.splitlines()) == 2
    assert "1 of 2 shown" in err
    assert main(["history", "CITY_SALES", "--json"]) == 1  # the fake knows one spelling
    assert main(["history", "sales"]) == 0
    assert capsys.readouterr().out.endswith("APPEND     10,000 inserted\n")


def test_sql_as_a_table_json_and_csv(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.frame = FakeFrame(["city", "n"], [("Łódź", 12), (None, 3)])
    assert main(["sql", "select 1"]) == 0
    assert capsys.readouterr().out == "city   n\nŁódź  12\nNULL   3\n"
    assert main(["sql", "select 1", "--json"]) == 0
    rows = [{"city": "Łódź", "n": 12}, {"city": None, "n": 3}]
    assert json.loads(capsys.readouterr().out) == rows
    assert main(["sql", "select 1", "--csv"]) == 0
    assert capsys.readouterr().out == "city,n\nŁódź,12\n,3\n"
    assert wh.asked[0] == ("lake", {"create": True})


def test_sql_from_a_file_or_stdin(
    wh: FakeWarehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sql").write_text("select 1; select 2")
    assert main(["sql", "-f", "a.sql", "-w", "new"]) == 0
    monkeypatch.setattr("sys.stdin", (tmp_path / "a.sql").open())
    assert main(["sql", "-"]) == 0
    assert wh.asked[0] == ("new", {"create": True})
    assert wh.asked[1] == wh.asked[3] == "select 1; select 2"


def test_sql_without_text_or_with_both_outputs_is_misuse(wh: FakeWarehouse) -> None:
    assert (
        main(["sql"]) == main(["sql", "x", "-f", "y"]) == main(["sql", "x", "--csv", "--json"]) == 2
    )
    assert main(["sql", "-f", "no-such-file"]) == 1
    assert wh.asked == []


def test_sql_says_when_there_is_more(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.frame = FakeFrame(["n"], [(n,) for n in range(150)])
    assert main(["sql", "x"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 101
    assert "100 rows shown; there are more" in err
    assert main(["sql", "x", "--limit", "0"]) == main(["sql", "x", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "149" in out
    assert main(["sql", "x", "--csv", "--limit", "2"]) == 0
    assert capsys.readouterr().out == "n\n0\n1\n"


def test_a_statement_without_result_prints_nothing(wh: FakeWarehouse, capsys: Captured) -> None:
    assert main(["sql", "drop table x"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["sql", "drop table x", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_what_a_statement_says_besides_rows(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.frame = FakeFrame(["result"], [])
    assert main(["sql", "create table x"]) == 0
    assert capsys.readouterr() == ("", "")
    wh.frame = FakeFrame(["plan"], [("first line\n  second line",)])
    assert main(["sql", "explain x"]) == 0
    assert capsys.readouterr().out == "first line\n  second line\n"


def test_an_error_has_code_place_and_remedy(wh: FakeWarehouse, capsys: Captured) -> None:
    place = Place(1, 8, 2, "SELECT id FROM t")
    wh.raised = SqlSyntax("`id` is not there.", where=place, remedy="Write another.")
    assert main(["refresh"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{wh.raised}\n"
    assert main(["refresh", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": wh.raised.to_dict()}
    assert err == ""


def test_an_error_that_nobody_foresaw(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.raised = ValueError("boom\n\nJVM stacktrace:\nat java")
    assert main(["refresh"]) == 1
    err = capsys.readouterr().err
    assert "EV-9001" in err
    assert "ValueError: boom\n" in err
    assert "at java" not in err
    assert "Traceback" not in err
    log = err.splitlines()[0].removeprefix("What Spark said is in ")
    Path(log).unlink()
    assert main(["refresh", "-v"]) == 1
    err = capsys.readouterr().err
    assert "Traceback" in err
    Path(err.splitlines()[0].removeprefix("What Spark said is in ")).unlink(missing_ok=True)


def test_an_interruption(wh: FakeWarehouse, capsys: Captured) -> None:
    wh.raised = KeyboardInterrupt()
    assert main(["refresh"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_misuse_as_json(capsys: Captured) -> None:
    assert main(["explain", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == "EV-1005"
    assert err == ""
    assert main(["no-such"]) == 2
    assert "no-such" in capsys.readouterr().err


def test_the_log_of_the_package_is_left_as_it_was(wh: FakeWarehouse) -> None:
    log = logging.getLogger("everview")
    before = (log.level, list(log.handlers))
    assert main(["refresh", "-v"]) == 0
    assert (log.level, list(log.handlers)) == before


def test_no_warehouse_near(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Captured
) -> None:
    monkeypatch.delenv("EVERVIEW_WAREHOUSE", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["status", "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == NotAWarehouse.code
    assert "EVERVIEW_WAREHOUSE" in error["remedy"]
