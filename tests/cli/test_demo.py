"""The demo makes room only where it made things, and says what happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from everview.cli.demo import Tale, make_room
from everview.cli.main import run_command_line
from everview.errors import InvalidArgument
from tests.cli.fakes import RECEIPT, VERIFIED, WRONG, screen


def test_a_new_or_empty_folder_is_marked(tmp_path: Path) -> None:
    make_room(tmp_path)
    make_room(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "_everview" / "demo").is_file()


def test_what_an_earlier_demo_left_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    make_room(folder)
    (folder / "data").mkdir()
    make_room(folder)
    assert [p.name for p in folder.iterdir()] == ["_everview"]


def test_anything_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(InvalidArgument, match="did not make"):
        make_room(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidArgument):
        make_room(tmp_path / "file")
    assert run_command_line(["demo", str(tmp_path)]) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "mine"]


def test_too_few_sales_are_misuse(tmp_path: Path) -> None:
    assert run_command_line(["demo", str(tmp_path / "x"), "--sales", "10"]) == 2
    assert not (tmp_path / "x").exists()


def test_the_lines_end_at_column_eighty() -> None:
    made = screen("demo", terminal=False, width=10_000)
    tale = Tale(made.screen)
    tale.title("A shop", "9.8 s")
    tale.item("city_sales", "sales by city", "100 rows", 4.1)
    tale.receipt(RECEIPT, 4.1)
    tale.verified(VERIFIED)
    tale.verified(WRONG)
    lines = made.out.getvalue().splitlines()
    assert lines[1].startswith("A shop  ")
    assert [len(lines[n]) for n in (1, 2, 6, 7)] == [80] * 4
    assert "incremental  0.5 s, built in 4.1 s" in lines[3]
    assert "31 rows changed" in lines[4]
    assert lines[3].endswith("reads 1 % of the bytes")
    assert "1 missing, 2 unexpected" in lines[-1]


def test_one_document_is_not_disturbed() -> None:
    made = screen("demo", "--json")
    Tale(made.screen).title("A shop")
    assert made.out.getvalue() == ""
