"""The commands and options as data: what they are called and what their help says."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from everview.facts.asked_strategy import STRATEGIES

DEMO_SALES = 8_000_000
TABLE_ROWS = 100
HISTORY_ROWS = 20
START_SECONDS = 60
WATCH_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Option:
    """One argument as argparse takes it; `absent` is its value where a shared one is not given."""

    names: tuple[str, ...]
    help: str
    how: Mapping[str, Any] = field(default_factory=dict)
    absent: Any = None

    @property
    def key(self) -> str:
        return max(self.names, key=len).lstrip("-").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Command:
    """One command: a sentence, its options, examples."""

    name: str
    sentence: str
    examples: tuple[str, ...]
    options: tuple[Option, ...] = ()
    more: str = ""


def _flag(*names: str, help: str) -> Option:
    return Option(names, help, {"action": "store_true"})


_STRATEGY = Option(
    ("--strategy",),
    f"how, to compare: {', '.join(STRATEGIES)} (default: auto)",
    {"choices": STRATEGIES, "default": "auto", "metavar": "STRATEGY"},
)


def _shared(*names: str, help: str, metavar: str = "") -> Option:
    how: dict[str, Any] = {"default": argparse.SUPPRESS}
    how |= {"metavar": metavar} if metavar else {"action": "store_true"}
    return Option(names, help, how, None if metavar else False)


def _count(text: str) -> int:
    """A number of rows; argparse turns the refusal into a usage error."""
    digits = text.replace("_", "").replace(",", "")
    if not (digits.isascii() and digits.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(digits)


def _period(text: str) -> int:
    """Seconds between two looks, at least one."""
    seconds = _count(text)
    if seconds < 1:
        raise argparse.ArgumentTypeError("at least 1 second")
    return seconds


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _age(text: str) -> int:
    """A duration such as 90s, 30m, 2h or 1d, in milliseconds."""
    number, unit = text[:-1], text[-1:].lower()
    if not (number.isascii() and number.isdecimal() and unit in _SECONDS):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an age; give a number and s, m, h or d, such as 90s, 30m, 2h or 1d"
        )
    return int(number) * _SECONDS[unit] * 1000


def _number(name: str, help: str, default: int | None = None) -> Option:
    return Option((name,), help, {"type": _count, "metavar": "N", "default": default})


def _views(help: str) -> Option:
    return Option(("views",), help, {"nargs": "*", "metavar": "VIEW"})


SHARED = (
    _shared("-w", "--warehouse", help="the warehouse, a folder or URI", metavar="PATH"),
    _shared("--json", help="print one JSON document on stdout, also for an error"),
    _shared("-v", "--verbose", help="log every step on stderr; show tracebacks"),
    _shared("-q", "--quiet", help="no progress; refresh and verify speak only of trouble"),
)

COMMANDS = (
    Command(
        "demo",
        "Build a shop, change it overnight, refresh only what changed.",
        ("everview demo", "everview demo shop --sales 200000"),
        (
            Option(
                ("folder",),
                "where the warehouse goes and stays (default: everview-demo); an earlier demo "
                "there is replaced, anything else is left alone",
                {"nargs": "?", "metavar": "FOLDER"},
            ),
            _number("--sales", f"how many sales to build (default: {DEMO_SALES:,})", DEMO_SALES),
        ),
    ),
    Command(
        "sql",
        "Run SQL statements over tables and views and print the result.",
        (
            'everview sql "SELECT * FROM city_sales ORDER BY revenue DESC LIMIT 5"',
            "everview sql -w shop -f views.sql",
        ),
        (
            Option(
                ("text",),
                "statements separated by semicolons; - reads them from stdin",
                {"nargs": "?", "metavar": "STATEMENTS"},
            ),
            Option(("-f", "--file"), "read the statements from a file", {"metavar": "FILE"}),
            _number("--limit", f"rows to print; a table shows {TABLE_ROWS} unless told, 0 is all"),
            _flag("--csv", help="print the result as CSV, with a header, NULL as nothing"),
        ),
        "The result of the last statement is printed. A warehouse that is named but not\n"
        "there yet is created. With --json decimals are texts, so that no\n"
        "digit is lost.",
    ),
    Command(
        "refresh",
        "Bring views to the newest versions of their sources.",
        ("everview refresh", 'everview refresh --select "city_*" --select sales_by_day+'),
        (
            _views("views to refresh, with those below them; all if none is named"),
            Option(
                ("--select",),
                "views by a pattern of names such as 'city_*'; 'name+' takes the views above "
                "too; may be repeated",
                {"action": "append", "metavar": "PATTERN", "default": []},
            ),
            _flag("--full", help="recompute them instead of propagating changes"),
            _STRATEGY,
            _number("--retry", "how often to try again if another writer is first (default: 0)", 0),
        ),
        "A view that fails stops only those that depend on it; the exit code is then 1.\n"
        'With --json it is a list: a receipt per view, or {"view": ..., "error": ...}.\n'
        "If another refresh of a view is first and does the work, the view is skipped as\n"
        "already done; --retry is for any other writer.",
    ),
    Command(
        "run",
        "Keep views fresh: refresh each when it says.",
        ("everview run -w shop --port 9187", "everview run --once --json"),
        (
            _flag("--once", help="refresh what is due now, and end"),
            _number("--port", "serve /metrics for Prometheus and /health at this port"),
            Option(
                ("--address",),
                "where the port listens (default: 127.0.0.1, this machine alone)",
                {"metavar": "ADDRESS", "default": "127.0.0.1"},
            ),
        ),
        "Each view says when: ALTER MATERIALIZED VIEW v SET REFRESH EVERY 5 MINUTES.\n"
        "A line per refresh, with --json a document. It runs until Ctrl-C, or until\n"
        "SIGTERM, which waits for the refresh that runs. Of several processes one\n"
        "refreshes a warehouse; the others wait and take over. With --once the exit\n"
        "code is 1 if a refresh failed; where another process has the work, nothing\n"
        "is done.",
    ),
    Command(
        "status",
        "Show how fresh each view is and how far behind.",
        ("everview status city_sales --json", "everview status --max-age 2h"),
        (
            _views("views to show; all if none is named"),
            _flag("--tree", help="show which views stand on which tables"),
            Option(
                ("--watch",),
                f"show it again every so many seconds (default: {WATCH_SECONDS}), until Ctrl-C",
                {"type": _period, "nargs": "?", "const": WATCH_SECONDS, "metavar": "SECONDS"},
            ),
            Option(
                ("--max-age",),
                "exit with code 5 if a view is older than this, such as 90s, 30m, 2h or 1d",
                {"type": _age, "metavar": "AGE"},
            ),
        ),
        "The answer comes from the log, without Spark. A view is older than --max-age if\n"
        "a source, its own or of a view below it, has a commit made before then that no\n"
        "refresh has brought into the view; one that is up to date is never too old,\n"
        "however long ago it was refreshed. Their names are said on stderr, and with\n"
        "--json each view says `too_old`. A view whose status cannot be told\n"
        "has a row with its error; the exit code is then 1.",
    ),
    Command(
        "explain",
        "Show what the next refresh of a view would do, and why.",
        ("everview explain city_sales", "everview explain city_sales --sql"),
        (
            Option(("view",), "the view", {"metavar": "VIEW"}),
            _STRATEGY,
            _flag("--sql", help="show the SQL of the steps too"),
        ),
    ),
    Command(
        "verify",
        "Compare views with their recomputation, row by row.",
        ("everview verify city_sales", "everview verify --all --json"),
        (
            _views("views to verify"),
            _flag("--all", help="verify every view; a recomputation of each"),
        ),
        "The recomputation reads the versions that the view was refreshed to. Exit code 3\n"
        "means that a view differs, 1 that none does but some could not be verified; with\n"
        '--json those are elements {"view": ..., "error": ...} of the list. A view that\n'
        "depends on the clock is not comparable, which is no difference; consistent means\n"
        "that not all columns could be compared.",
    ),
    Command(
        "history",
        "Show the refreshes of a view, or the commits of a table.",
        ("everview history city_sales", "everview history sales --limit 0"),
        (
            Option(("name",), "a view or table", {"metavar": "NAME"}),
            _number("--limit", f"lines to print (default: {HISTORY_ROWS}), 0 is all", HISTORY_ROWS),
        ),
    ),
    Command(
        "doctor",
        "Check this machine, and say what to do where it fails.",
        ("everview doctor", "everview doctor --no-spark --json"),
        (
            _flag("--no-spark", help="do not start Spark"),
            _number(
                "--seconds", f"how long Spark may take (default: {START_SECONDS})", START_SECONDS
            ),
        ),
        "Python, Java, memory, disk, local ports, and whether Spark starts. Exit code 4\n"
        "means that a check failed.",
    ),
)
