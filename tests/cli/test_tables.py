"""Tables at 80 columns and without a terminal: numbers stay whole, colours only where wanted."""

from __future__ import annotations

import io
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from rich.console import Console

from everview.cli.commands import styled
from everview.cli.query import plain_value, result_table, shown_value, unique
from everview.cli.screen import console
from everview.cli.tables import Cell, Heading, screen_table
from tests.cli.fakes import screen

BIG = Decimal("12345678901234567890123456789012345.678")


def printed(names: list[str], rows: list[tuple[Any, ...]], **how: Any) -> str:
    made = screen("sql", "x", **how)
    made.screen.say(result_table(names, rows, made.screen))
    return re.sub(r"\x1b\[[0-9;]*m", "", made.out.getvalue())


def test_numbers_are_right_aligned_and_whole() -> None:
    text = printed(["city", "n"], [("a", 5), ("long text " * 20, 1_000_000)])
    assert "1000000" in text
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("long") == 20


def test_what_does_not_fit_is_shown_record_by_record() -> None:
    names = [f"column_{i}" for i in range(8)]
    text = printed(names, [(BIG,) * 8, (1,) * 8])
    assert text.count(str(BIG)) == 8
    assert "row 2" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_pipe_gets_one_line_per_row() -> None:
    names = [f"column_{i}" for i in range(8)]
    text = printed(names, [(BIG,) * 8, (1,) * 8], terminal=False, width=10_000)
    assert len(text.splitlines()) == 3
    assert not set(text) & set("─━│")


def test_an_empty_result_shows_its_columns() -> None:
    assert "city" in printed(["city", "n"], [])


def test_wide_characters_keep_the_columns() -> None:
    rows = [[Cell("東京"), Cell("1")], [Cell("a"), Cell("22")]]
    file = io.StringIO()
    Console(file=file, width=80).print(
        screen_table((Heading("city"), Heading("n", number=True)), rows, plain=True)
    )
    assert file.getvalue().splitlines()[1:] == ["東京   1", "a     22"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (Decimal("0E-10"), "0.0000000000"),
        (BIG, str(BIG)),
        (1e300, "1e+300"),
        (b"\x01\xff", "01ff"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, 4), "2026-01-02 03:04:00"),
        ([1, None], "[1, null]"),
        ({"a": Decimal("1.50")}, '{"a": "1.50"}'),
    ],
)
def test_a_value_is_shown_with_every_digit(value: object, text: str) -> None:
    assert shown_value(value).text == text


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (1.5, 1.5),
        (Decimal("1.50"), "1.50"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        ((1, b"\x00"), [1, "00"]),
        ({1: {"a": None}}, {"1": {"a": None}}),
    ],
)
def test_a_value_as_json(value: object, plain: object) -> None:
    assert plain_value(value) == plain


def test_columns_of_one_name_are_told_apart() -> None:
    assert unique(["a", "b", "a", "a"]) == ["a", "b", "a_2", "a_3"]


def test_colour_only_on_a_terminal_and_never_with_no_color(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = styled("city_sales  incremental  0.6 s")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shown = screen()
    shown.screen.say(text)
    assert "\x1b[32mincremental" in shown.out.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    shown = screen()
    shown.screen.say(text)
    assert "\x1b[32m" not in shown.out.getvalue()
    shown = screen(terminal=False)
    shown.screen.say(text)
    assert shown.out.getvalue() == "city_sales  incremental  0.6 s\n"


def test_a_stream_without_greek_letters_is_no_reason_to_fail() -> None:
    bytes_ = io.BytesIO()
    stream = io.TextIOWrapper(bytes_, encoding="ascii")
    console(stream).print("Δcity")
    stream.flush()
    assert bytes_.getvalue() == b"?city\n"


def test_a_pipe_does_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console(io.StringIO()).width > 1000
    monkeypatch.setenv("COLUMNS", "60")
    assert console(io.StringIO()).width == 60
