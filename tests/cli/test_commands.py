"""Refresh, verify, status, explain and history on a warehouse that says what it is told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import everview
from everview import Verification
from everview.cli.main import run_command_line
from everview.errors import LostHistory, NotATable, RefreshFailed
from tests.cli.fakes import (
    EXPLANATION,
    RECEIPT,
    STATUS,
    VERIFIED,
    WRONG,
    Captured,
    FakeHandle,
    FakeWarehouse,
)


def test_refresh(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["refresh"]) == 0
    assert wh.asked == [("lake", {"create": False}), ((), False)]
    out, err = capsys.readouterr()
    assert out.startswith("city_sales")
    assert "incremental" in out
    assert "\x1b" not in out
    assert err == ""


def test_refresh_names_selection_and_full(wh: FakeWarehouse) -> None:
    assert (
        run_command_line(["refresh", "city_sales", "--select", "*_baskets", "--full", "-w", "x"])
        == 0
    )
    assert wh.asked == [("x", {"create": False}), (("city_sales", "big_baskets"), True)]


def test_refresh_tries_again_as_often_as_it_is_told(wh: FakeWarehouse) -> None:
    assert run_command_line(["refresh", "city_sales", "--retry", "3"]) == 0
    assert wh.asked[-1] == (("city_sales",), False, 3)


def test_refresh_by_a_strategy(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["refresh", "city_sales", "--strategy", "touched groups"]) == 0
    assert wh.asked[-1] == (("city_sales",), False, "touched groups")
    assert run_command_line(["explain", "city_sales", "--strategy", "quick"]) == 2
    assert "invalid choice: 'quick'" in capsys.readouterr().err


def test_refresh_as_json(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["refresh", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps([RECEIPT.to_dict()]))


def test_refresh_in_quiet(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["refresh", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_verify_a_right_and_a_wrong_view(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["verify", "city_sales"]) == 0
    assert run_command_line(["verify", "--all"]) == 3
    out = capsys.readouterr().out
    assert out.count("city_sales") == 2
    assert "big_baskets" in out
    assert run_command_line(["verify", "--all", "-q"]) == 3
    assert "city_sales" not in capsys.readouterr().out


def test_a_view_that_cannot_be_compared_is_no_alarm(wh: FakeWarehouse, capsys: Captured) -> None:
    aside = everview.Verification(
        "recent", "not comparable", 3, why_not="it depends on the clock: now()"
    )
    wh.handles = {"recent": FakeHandle("recent", aside)}
    assert run_command_line(["verify", "--all"]) == 0
    assert "recent  not comparable  it depends on the clock: now()" in capsys.readouterr().out


def test_a_refresh_that_fails_in_part_has_receipts_and_errors(
    wh: FakeWarehouse, capsys: Captured
) -> None:
    gone, stopped = NotATable("Its folder is gone.", remedy="Move it."), RefreshFailed("It waits.")
    failure = RefreshFailed("2 of 3 views were not refreshed.")
    failure.receipts, failure.errors = (RECEIPT,), {"stores": gone, "top": stopped}
    wh.raised = failure
    assert run_command_line(["refresh"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("city_sales  incremental")
    assert err == f"stores  {gone}\ntop  {stopped}\n"
    assert run_command_line(["refresh", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == [
        json.loads(json.dumps(RECEIPT.to_dict())),
        {"view": "stores", "error": gone.to_dict()},
        {"view": "top", "error": stopped.to_dict()},
    ]
    assert err == ""
    assert run_command_line(["refresh", "-q"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "EV-4004" in err


def test_verify_goes_on_after_an_error(wh: FakeWarehouse, capsys: Captured) -> None:
    gone = NotATable("Its folder is gone.", remedy="Move it.")
    wh.handles = {"a": FakeHandle("a", gone), **wh.handles}
    assert run_command_line(["verify", "--all"]) == 3, "a view that differs matters most"
    out, err = capsys.readouterr()
    assert "city_sales  exact" in out
    assert err == f"a  {gone}\n"
    del wh.handles["big_baskets"]
    assert run_command_line(["verify", "--all"]) == 1
    assert "city_sales  exact" in capsys.readouterr().out
    assert run_command_line(["verify", "--all", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [line["view"] for line in found] == ["city_sales", "a"]
    assert found[1]["error"] == gone.to_dict()
    wh.handles["a"] = FakeHandle("a", ValueError("boom"))
    assert run_command_line(["verify", "a", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["error"]["code"] == "EV-9001"


def test_a_status_that_cannot_be_told_is_a_row(wh: FakeWarehouse, capsys: Captured) -> None:
    gone = NotATable("Its folder is gone.", remedy="Move it.")
    wh.statuses = [STATUS, replace(STATUS, view="broken", behind={}, error=gone.to_dict())]
    assert run_command_line(["status"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 3
    assert "EV-4004: Its folder is gone." in out[2]
    assert run_command_line(["status", "--json"]) == 1
    assert [s["error"] for s in json.loads(capsys.readouterr().out)] == [None, gone.to_dict()]
    assert run_command_line(["status", "--tree"]) == 1
    assert "broken  error EV-4004" in capsys.readouterr().out


def test_verify_as_json(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["verify", "--all", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads(json.dumps([VERIFIED.to_dict(), WRONG.to_dict()]))


LOST = LostHistory("`lost` cannot be compared at version 2 of `sales`.", remedy="Refresh `lost`.")


class LostHandle(FakeHandle):
    def verify(self) -> Verification:
        raise LOST


def test_a_view_that_cannot_be_compared_is_an_error_and_not_wrong(
    wh: FakeWarehouse, capsys: Captured
) -> None:
    right = FakeHandle("city_sales")
    wh.handles = {"lost": LostHandle("lost"), "city_sales": right}
    assert run_command_line(["verify", "lost"]) == 1
    assert "EV-4007" in capsys.readouterr().err
    assert run_command_line(["verify", "--all"]) == 1
    said = capsys.readouterr()
    assert "city_sales  exact" in said.out, "the others are compared still"
    assert "WRONG" not in said.out
    assert "EV-4007" in said.err
    assert run_command_line(["verify", "--all", "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["view"], first["ok"]) == ("city_sales", True)
    assert (second["view"], second["error"]["code"]) == ("lost", "EV-4007")
    wh.handles["wrong"] = FakeHandle("wrong", WRONG)
    assert run_command_line(["verify", "--all"]) == 3


@pytest.mark.parametrize("words", [["verify"], ["verify", "city_sales", "--all"]])
def test_verify_wants_names_or_all(wh: FakeWarehouse, words: list[str], capsys: Captured) -> None:
    assert run_command_line(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "--all" in err
    assert wh.asked == []


def test_status_and_explain(wh: FakeWarehouse, capsys: Captured) -> None:
    assert run_command_line(["status"]) == run_command_line(["status", "city_sales"]) == 0
    assert "city_sales" in capsys.readouterr().out
    assert run_command_line(["status", "--tree"]) == 0
    assert "sales\n  city_sales" in capsys.readouterr().out
    assert run_command_line(["explain", "city_sales"]) == 0
    out = capsys.readouterr().out
    assert "full" in out
    assert "SELECT" not in out
    assert run_command_line(["explain", "city_sales", "--sql"]) == 0
    assert capsys.readouterr().out == EXPLANATION.text + "\n"
    assert run_command_line(["explain", "city_sales", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["strategy"] == "full"
    assert run_command_line(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps([STATUS.to_dict()]))


def test_history_of_a_view_and_of_a_table(wh: FakeWarehouse, capsys: Captured) -> None:
    line = {"version": 3, "timestamp": 0, **RECEIPT.to_dict()}
    wh.handles["city_sales"].lines = [line, {**line, "version": 2}]
    commit = {"version": 7, "timestamp": 0, "operation": "APPEND", "data_change": True}
    wh.tables_["sales"] = FakeHandle(
        "sales", lines=[{**commit, "rows": {"insert": 10_000, "update": 0}}]
    )
    assert run_command_line(["history", "city_sales", "--limit", "1"]) == 0
    out, err = capsys.readouterr()
    assert "1970-01-01 00:00" in out
    assert "31" in out
    assert len(out.splitlines()) == 2
    assert "1 of 2 shown" in err
    assert run_command_line(["history", "CITY_SALES", "--json"]) == 1  # the fake knows one spelling
    assert run_command_line(["history", "sales"]) == 0
    assert capsys.readouterr().out.endswith("APPEND     10,000 inserted\n")


@pytest.mark.parametrize(
    ("since", "code"), [(None, 0), (1_000_000, 0), (940_000, 0), (939_999, 5), (0, 5)]
)
def test_a_view_older_than_asked(
    wh: FakeWarehouse,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    since: int | None,
    code: int,
) -> None:
    found = replace(STATUS, asked_at=1_000_000, behind_since=since)
    monkeypatch.setattr(wh, "status", lambda: [found])
    assert run_command_line(["status"]) == 0
    assert run_command_line(["status", "--max-age", "1m"]) == code
    assert ("older than --max-age: city_sales" in capsys.readouterr().err) == (code == 5)
    assert run_command_line(["status", "--max-age", "1m", "--json"]) == code
    assert json.loads(capsys.readouterr().out)[0]["too_old"] == (code == 5)
