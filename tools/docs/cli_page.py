"""docs/cli.md: the commands, options, examples and exit codes of the parser."""

from __future__ import annotations

from collections.abc import Iterable

from everview.cli.codes import MEANINGS
from everview.cli.grammar import COMMANDS, SHARED, Command, Option
from everview.cli.parser import SUMMARY, build_parser


def cli_page(introduction: str) -> str:
    """The commands in the order of the help, then what they share."""
    which = (build_parser().epilog or "").split("\n\n")[0]
    index = [f"| [{c.name}](#{c.name}) | {c.sentence} |" for c in COMMANDS]
    return "\n\n".join(
        [
            introduction.replace("{summary}", SUMMARY),
            "\n".join(["| command | |", "|---|---|", *index]),
            _one_line(which),
            *map(_command, COMMANDS),
            f"## Options of every command\n\n{_options(SHARED)}",
            f"## Exit codes\n\n{_codes()}",
        ]
    )


def _command(command: Command) -> str:
    parts = [
        f"## {command.name}",
        _one_line(f"{command.sentence} {command.more}"),
        f"```\n{usage(command)}\n```",
        _options(command.options),
        "```\n" + "\n".join(command.examples) + "\n```",
    ]
    return "\n\n".join(filter(None, parts))


def usage(command: Command) -> str:
    """`everview sql [STATEMENTS] [-f FILE] ...`; the options of every command are left out."""
    return " ".join(["everview", command.name, *map(_used, command.options)])


def _used(option: Option) -> str:
    name, value = option.names[0], str(option.how.get("metavar", ""))
    if name.startswith("-"):
        return f"[{name} {value}]" if value else f"[{name}]"
    return {"?": f"[{value}]", "*": f"[{value} ...]"}.get(option.how.get("nargs", ""), value)


def _options(options: Iterable[Option]) -> str:
    rows = [f"| {_named(o)} | {_cell(o.help)} |" for o in options]
    return "\n".join(["| option | |", "|---|---|", *rows]) if rows else ""


def _named(option: Option) -> str:
    value = option.how.get("metavar", "")
    if not option.names[0].startswith("-"):
        return f"`{value}`"
    return f"`{', '.join(option.names)}{f' {value}' if value else ''}`"


def _codes() -> str:
    rows = [f"| {code} | {meaning} |" for code, meaning in MEANINGS.items()]
    return "\n".join(["| code | meaning |", "|---|---|", *rows])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def _one_line(text: str) -> str:
    return " ".join(text.split())
