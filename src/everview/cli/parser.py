"""The grammar of the command line, and its help texts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from everview.cli.codes import MEANINGS
from everview.cli.grammar import COMMANDS, SHARED, Command, Option
from everview.version import VERSION

_WIDTH = 80
SUMMARY = "Materialized views on Apache Spark, kept fresh by propagating what changed."

_NOTES = """\
The warehouse is the one named by --warehouse, else by EVERVIEW_WAREHOUSE, else
the current folder if it is one, else ./everview-demo if that is one.

exit codes:
{codes}

`everview COMMAND --help` explains a command, `everview demo` shows them at work.
"""


class UsageError(Exception):
    """A command line that the grammar does not have; carries the usage to show."""

    def __init__(self, message: str, usage: str) -> None:
        self.usage = usage
        super().__init__(message)


class _Format(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=18, width=_WIDTH)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage().strip())


def build_parser() -> argparse.ArgumentParser:
    """The parser of `everview`; its texts are also the page docs/cli.md."""
    codes = "\n".join(f"  {code:<4} {meaning}" for code, meaning in MEANINGS.items())
    parser = _Parser(
        prog="everview",
        description=SUMMARY,
        epilog=_NOTES.format(codes=codes),
        formatter_class=_Format,
    )
    parser.add_argument("--version", action="version", version=f"everview {VERSION}")
    for option in SHARED:
        _add(parser, option)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for command in COMMANDS:
        _add_command(commands, command)
    return parser


def _add_command(commands: argparse._SubParsersAction[_Parser], command: Command) -> None:
    examples = "\n".join(f"  {line}" for line in command.examples)
    parser = commands.add_parser(
        command.name,
        help=command.sentence,
        description=f"{command.sentence}\n{command.more}".strip(),
        epilog=f"examples:\n{examples}",
        formatter_class=_Format,
    )
    for option in (*command.options, *SHARED):
        _add(parser, option)


def _add(parser: argparse.ArgumentParser, option: Option) -> None:
    parser.add_argument(*option.names, help=option.help, **option.how)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments, with every shared option present; UsageError if they do not fit."""
    # Suppressed defaults let a shared option stand before or after the command.
    shared = {o.key: o.absent for o in SHARED}
    parser = build_parser()
    arguments = parser.parse_args(argv, argparse.Namespace(**shared))
    if arguments.command is None:
        raise UsageError("a command is needed", parser.format_help().strip())
    return arguments
