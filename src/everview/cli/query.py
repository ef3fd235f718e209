"""The command `sql`: statements in, rows out as a table, JSON or CSV."""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

from everview.cli.codes import DONE
from everview.cli.grammar import TABLE_ROWS
from everview.cli.opening import opened
from everview.cli.parser import UsageError
from everview.cli.screen import Screen
from everview.cli.tables import Cell, Heading, fitted
from everview.errors import InvalidArgument

_NULL = Cell("NULL", "dim")
# The column of a statement that has nothing to say.
_NOTHING = ["result"]


def run_sql(arguments: argparse.Namespace, screen: Screen) -> int:
    """Run the statements and print the result of the last one."""
    text = given_statements(arguments)
    with opened(arguments, screen, create=True) as warehouse:
        frame = warehouse.run_script(text)
        if frame is None:
            if screen.json:
                screen.document([])
            return DONE
        names = unique(frame.columns)
        if arguments.csv:
            _print_csv(names, _limited(frame.toLocalIterator(), arguments.limit), screen)
        else:
            _print(names, frame, arguments.limit, screen)
    return DONE


def given_statements(arguments: argparse.Namespace) -> str:
    """The SQL text: an argument, a file or stdin, exactly one of them."""
    if (arguments.text is None) == (arguments.file is None):
        raise UsageError(
            "give statements, or -f FILE, or - for stdin", "usage: everview sql [STATEMENTS]"
        )
    if arguments.csv and arguments.json:
        raise UsageError("--csv and --json exclude each other", "usage: everview sql [STATEMENTS]")
    if arguments.text is not None:
        return sys.stdin.read() if arguments.text == "-" else str(arguments.text)
    try:
        return Path(arguments.file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(
            f"The file {arguments.file} cannot be read: {getattr(error, 'strerror', error)}.",
            remedy="Give a text file in UTF-8.",
        ) from error


def unique(names: Sequence[str]) -> list[str]:
    """Names as keys of an object: the second `n` becomes `n_2`."""
    taken: dict[str, int] = {}
    found = []
    for name in names:
        taken[name] = taken.get(name, 0) + 1
        found.append(name if taken[name] == 1 else f"{name}_{taken[name]}")
    return found


def _limited(rows: Iterable[Sequence[Any]], limit: int | None) -> Iterable[Sequence[Any]]:
    return itertools.islice(rows, limit) if limit else rows


def _print_csv(names: Sequence[str], rows: Iterable[Sequence[Any]], screen: Screen) -> None:
    screen.progress.clear()
    writer = csv.writer(screen.out.file, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow("" if v is None else shown_value(v).text for v in row)
    screen.out.file.flush()


def _print(names: Sequence[str], frame: Any, limit: int | None, screen: Screen) -> None:
    most = (None if screen.json else TABLE_ROWS) if limit is None else (limit or None)
    rows = [tuple(r) for r in (frame if most is None else frame.limit(most + 1)).collect()]
    more = most is not None and len(rows) > most
    rows = rows[:most]
    if screen.json:
        screen.document([dict(zip(names, map(plain_value, r), strict=True)) for r in rows])
    elif _is_text(rows):
        screen.say(rows[0][0])
    elif rows or list(names) != _NOTHING:
        screen.say(result_table(names, rows, screen))
    if more:
        screen.note(f"{most:,} rows shown; there are more: --limit 0 shows all")


def _is_text(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether a result is one text of several lines, such as EXPLAIN gives."""
    return len(rows) == len(rows[0]) == 1 and "\n" in str(rows[0][0]) if rows else False


def result_table(names: Sequence[str], rows: Sequence[Sequence[Any]], screen: Screen) -> Any:
    """The rows as they fit the screen."""
    columns = [Heading(n, _is_numeric([r[i] for r in rows])) for i, n in enumerate(names)]
    cells = [[shown_value(v) for v in row] for row in rows]
    return fitted(columns, cells, screen.out.width, plain=screen.plain)


def _is_numeric(values: Sequence[Any]) -> bool:
    known = [v for v in values if v is not None]
    number = (int, float, Decimal)
    return bool(known) and all(isinstance(v, number) and not isinstance(v, bool) for v in known)


def shown_value(value: Any) -> Cell:
    """A value as SQL would print it, every digit of it."""
    match value:
        case None:
            return _NULL
        case bool():
            return Cell(str(value).lower())
        case Decimal():
            return Cell(format(value, "f"))
        case str() | int() | float() | datetime() | date() | time():
            return Cell(str(value))
        case bytes() | bytearray():
            return Cell(value.hex())
        case _:
            return Cell(json.dumps(plain_value(value), ensure_ascii=False))


def plain_value(value: Any) -> Any:
    """A value as JSON has it; decimals as texts, so that no digit is lost."""
    match value:
        case float():
            return value if isfinite(value) else str(value)
        case Decimal():
            return format(value, "f")
        case None | bool() | int() | str():
            return value
        case bytes() | bytearray():
            return value.hex()
        case datetime() | date() | time():
            return value.isoformat()
        case dict():
            return {str(k): plain_value(v) for k, v in value.items()}
        case tuple() if hasattr(value, "asDict"):
            return {k: plain_value(v) for k, v in value.asDict().items()}
        case list() | tuple():
            return [plain_value(v) for v in value]
        case _:
            return str(value)
