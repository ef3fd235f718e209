"""The grammar: every command is documented, shared options stand anywhere, the help is readable."""

from __future__ import annotations

import argparse
import io
from contextlib import redirect_stdout

import pytest

from everview.cli.grammar import COMMANDS
from everview.cli.main import HOMES, run_command_line
from everview.cli.parser import UsageError, build_parser, parse


def help_of(*words: str) -> str:
    said = io.StringIO()
    with redirect_stdout(said), pytest.raises(SystemExit) as end:
        build_parser().parse_args([*words, "--help"])
    assert end.value.code == 0
    return said.getvalue()


def test_every_command_is_run_and_every_run_is_a_command() -> None:
    assert [c.name for c in COMMANDS] == list(HOMES)


@pytest.mark.parametrize("command", [None, *(c.name for c in COMMANDS)])
def test_help_fits_eighty_columns(command: str | None) -> None:
    text = help_of(*([command] if command else []))
    assert max(map(len, text.splitlines())) <= 81
    assert "\n" in text


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_every_command_has_a_sentence_two_examples_and_explained_options(command: object) -> None:
    text = help_of(command.name)
    assert command.sentence.endswith(".")
    assert len(command.examples) == 2
    assert all(e.startswith(f"everview {command.name}") and e in text for e in command.examples)
    assert all(o.help for o in command.options)


def test_the_main_help_names_commands_and_exit_codes() -> None:
    text = help_of()
    assert all(f"    {c.name:<14}{c.sentence}" in text for c in COMMANDS)
    assert "130  interrupted" in text


@pytest.mark.parametrize(
    "words", [["-w", "x", "--json", "status"], ["status", "-w", "x", "--json"]]
)
def test_shared_options_stand_before_or_after_the_command(words: list[str]) -> None:
    arguments = parse(words)
    assert (arguments.warehouse, arguments.json, arguments.quiet) == ("x", True, False)


def test_every_shared_option_is_there() -> None:
    arguments = parse(["refresh", "a", "b", "--full", "--select", "c*"])
    assert vars(arguments) == {
        "command": "refresh",
        "views": ["a", "b"],
        "full": True,
        "retry": 0,
        "strategy": "auto",
        "select": ["c*"],
        "warehouse": None,
        "json": False,
        "verbose": False,
        "quiet": False,
    }


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["no-such"],
        ["explain"],
        ["sql", "--limit", "-1"],
        ["sql", "--limit", "x"],
        ["sql", "--limit", "1.5"],
        ["status", "--max-age", "2"],
        ["status", "--max-age", "2w"],
        ["status", "--max-age", "h"],
        ["status", "--max-age", "-2h"],
        ["status", "--x"],
    ],
)
def test_what_does_not_fit_is_a_usage_error(words: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(words)


def test_a_number_may_have_separators() -> None:
    assert parse(["demo", "--sales", "50,000"]).sales == parse(["demo", "--sales", "50_000"]).sales


def test_the_parser_is_a_plain_one() -> None:
    assert isinstance(build_parser(), argparse.ArgumentParser)


def test_version_and_help_end_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["--version"]) == 0
    assert capsys.readouterr().out.startswith("everview 0.")
    assert run_command_line(["doctor", "--help"]) == 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["sql", "--limit", "x"], "argument --limit: 'x' is not a whole number of 0 or more"),
        (["demo", "--sales", "many"], "argument --sales: 'many' is not a whole number"),
        (["status", "--max-age", "2w"], "argument --max-age: '2w' is not an age; give a number"),
    ],
)
def test_a_value_that_is_refused_is_named(argv: list[str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(argv)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("90s", 90_000), ("30m", 1_800_000), ("2h", 7_200_000), ("1d", 86_400_000), ("0S", 0)],
)
def test_an_age(text: str, milliseconds: int) -> None:
    assert parse(["status", "--max-age", text]).max_age == milliseconds
