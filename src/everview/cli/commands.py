"""The commands about views: refresh, status, explain, verify, history."""

from __future__ import annotations

import argparse
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.text import Text

import everview
from everview.cli.codes import DIFFERENT, DONE, ERROR, TOO_OLD
from everview.cli.lineage import lineage, shown_lineage
from everview.cli.opening import opened
from everview.cli.parser import UsageError
from everview.cli.screen import Screen
from everview.cli.select import ABOVE, selected
from everview.cli.tables import Cell, Heading, screen_table
from everview.errors import EverviewError, RefreshFailed
from everview.facts.failures import unforeseen
from everview.facts.methods import stored_method
from everview.facts.receipt_text import receipt_lines
from everview.views.status import status_table

# The name of a view and how fresh it is are read at a glance.
_WHOLE = 2
_STYLES = {
    "incremental": "green",
    "full": "yellow",
    "skipped": "dim",
    "exact": "green",
    "consistent": "green",
    "not comparable": "yellow",
}


def run_refresh(arguments: argparse.Namespace, screen: Screen) -> int:
    """Refresh what was named, else everything."""
    with opened(arguments, screen) as warehouse:
        names = list(dict.fromkeys([*arguments.views, *_selection(warehouse, arguments.select)]))
        receipts, errors = _refreshed(warehouse, names, arguments)
    if screen.json:
        screen.document([*(r.to_dict() for r in receipts), *_elements(errors)])
        return ERROR if errors else DONE
    if not receipts and not errors:
        screen.note("There are no views to refresh.")
    elif not screen.quiet:
        _show_receipts(receipts, screen)
    for name, error in errors.items():
        screen.failed(error, about=name)
    return ERROR if errors else DONE


Errors = Mapping[str, EverviewError]


def _refreshed(
    warehouse: everview.Warehouse, names: list[str], asked: argparse.Namespace
) -> tuple[Sequence[everview.Receipt], Errors]:
    try:
        how: dict[str, Any] = {"full": asked.full, "strategy": asked.strategy}
        return warehouse.refresh(*names, retry=asked.retry, **how), {}
    except RefreshFailed as failure:
        return failure.receipts, failure.errors


def _elements(errors: Errors) -> list[dict[str, Any]]:
    """What stands in a JSON document for a view that failed."""
    return [{"view": name, "error": error.to_dict()} for name, error in errors.items()]


def _show_receipts(receipts: Sequence[everview.Receipt], screen: Screen) -> None:
    """Their lines below each other, each with its reason; none twice."""
    own = {r.view for r in receipts}
    for receipt, line in zip(receipts, receipt_lines(receipts), strict=True):
        below = tuple(b for b in receipt.below if b.view not in own)
        _, *more = str(replace(receipt, below=below)).splitlines()
        for text in (line, *more):
            screen.say(styled(hanging(text, screen.out.width)))


def _selection(warehouse: everview.Warehouse, patterns: list[str]) -> list[str]:
    if not patterns:
        return []
    sources: dict[str, Any] = {}
    if any(p.endswith(ABOVE) for p in patterns):
        sources = {s.view: tuple(s.exact_at) for s in warehouse.status()}
    return selected(patterns, warehouse.views(), sources)


def run_status(arguments: argparse.Namespace, screen: Screen) -> int:
    """One line per view; with --watch again and again."""
    with opened(arguments, screen) as warehouse:
        code = _show_status(warehouse.status(*arguments.views), arguments, screen)
        while arguments.watch is not None:
            time.sleep(arguments.watch)
            statuses = warehouse.status(*arguments.views)
            screen.anew()
            _show_status(statuses, arguments, screen)
    return code


def _show_status(
    statuses: list[everview.Status], arguments: argparse.Namespace, screen: Screen
) -> int:
    old = [] if arguments.max_age is None else _too_old(statuses, arguments.max_age)
    if screen.json:
        asked = arguments.max_age is not None
        screen.document(
            [s.to_dict() | ({"too_old": s.view in old} if asked else {}) for s in statuses]
        )
    elif statuses and arguments.tree:
        screen.say(shown_lineage(lineage(statuses), plain=screen.plain))
    elif statuses:
        header, *rows = status_table(statuses, int(time.time() * 1000))
        columns = [Heading(title, whole=i < _WHOLE) for i, title in enumerate(header)]
        styles = ["red" if s.error else "" for s in statuses]
        cells = [[Cell(t, how) for t in row] for row, how in zip(rows, styles, strict=True)]
        screen.say(screen_table(columns, cells, plain=screen.plain))
    else:
        screen.note("There are no views yet.")
    if old and not screen.json:
        screen.note(f"older than --max-age: {', '.join(old)}")
    if any(s.error for s in statuses):
        return ERROR
    return TOO_OLD if old else DONE


def _too_old(statuses: list[everview.Status], milliseconds: int) -> list[str]:
    return [s.view for s in statuses if s.is_older_than(milliseconds)]


def run_explain(arguments: argparse.Namespace, screen: Screen) -> int:
    """What the next refresh would do."""
    with opened(arguments, screen) as warehouse:
        explanation = warehouse.view(arguments.view).explain(strategy=arguments.strategy)
    if screen.json:
        screen.document(explanation.to_dict())
    else:
        screen.say(styled(explanation.text if arguments.sql else str(explanation)))
    return DONE


def run_verify(arguments: argparse.Namespace, screen: Screen) -> int:
    """Each view against its recomputation; every one is tried, also after a difference or an
    error.
    """
    if bool(arguments.views) == arguments.all:
        raise UsageError("name the views to verify, or --all", "usage: everview verify [VIEW ...]")
    found: list[everview.Verification] = []
    errors: dict[str, EverviewError] = {}
    with opened(arguments, screen) as warehouse:
        for view in [warehouse.view(n) for n in arguments.views or warehouse.views()]:
            try:
                found.append(view.verify())
            except Exception as error:
                errors[view.name] = unforeseen(error)
                continue
            if not screen.json and not (screen.quiet and found[-1].ok):
                for text in str(found[-1]).splitlines():
                    screen.say(styled(hanging(text, screen.out.width)))
    if screen.json:
        screen.document([*(v.to_dict() for v in found), *_elements(errors)])
    else:
        for name, trouble in errors.items():
            screen.failed(trouble, about=name)
    if not all(v.ok for v in found):
        return DIFFERENT
    return ERROR if errors else DONE


def run_history(arguments: argparse.Namespace, screen: Screen) -> int:
    """The refreshes of a view or the commits of a table."""
    with opened(arguments, screen) as warehouse:
        is_view = arguments.name.lower() in {v.lower() for v in warehouse.views()}
        handle = warehouse.view(arguments.name) if is_view else warehouse.table(arguments.name)
        lines = handle.history()
    most = arguments.limit or len(lines)
    if screen.json:
        screen.document(lines[:most])
        return DONE
    columns = _REFRESHES if is_view else _COMMITS
    rows = [(_refresh_line if is_view else _commit_line)(line) for line in lines[:most]]
    screen.say(screen_table(columns, rows, plain=screen.plain))
    if len(lines) > most:
        screen.note(f"{most:,} of {len(lines):,} shown; --limit 0 shows all")
    return DONE


_REFRESHES = (
    Heading("version", number=True),
    Heading("when (UTC)", number=True),
    Heading("strategy"),
    Heading("seconds", number=True),
    Heading("inserted", number=True),
    Heading("updated", number=True),
    Heading("deleted", number=True),
    Heading("why"),
)
_DONE = {"insert": "inserted", "update": "updated", "delete": "deleted"}
_COMMITS = (
    Heading("version", number=True),
    Heading("when (UTC)", number=True),
    Heading("operation"),
    Heading("rows"),
)


def _refresh_line(line: Mapping[str, Any]) -> list[Cell]:
    method = stored_method(line)
    counts = (Cell(f"{line[f'rows_{what}']:,}") for what in ("inserted", "updated", "deleted"))
    return [
        Cell(str(line["version"])),
        Cell(_when(line["timestamp"])),
        Cell(str(line["strategy"]), _STYLES.get(method.way.word, "")),
        Cell(f"{sum(line['seconds'].values()):.1f}"),
        *counts,
        Cell(str(line["reason"])),
    ]


def _commit_line(line: Mapping[str, Any]) -> list[Cell]:
    counts = {_DONE.get(what, what): n for what, n in line["rows"].items() if n}
    rows = ", ".join(f"{n:,} {what}" for what, n in counts.items())
    kept = "" if line["data_change"] else "no change of rows"
    return [
        Cell(str(line["version"])),
        Cell(_when(line["timestamp"])),
        Cell(str(line["operation"])),
        Cell(rows or kept),
    ]


def _when(milliseconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(milliseconds / 1000))


def hanging(line: str, width: int) -> str:
    """A line folded between words, its further lines set in."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    fold = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return fold.fill(line) if len(line) > width else line


def styled(text: str) -> Text:
    """The text of a value, its strategy or verdict in a colour where there is one."""
    made = Text(text)
    for word, style in _STYLES.items():
        made.highlight_regex(rf"(?<=  ){word}\b", style)
    made.highlight_regex(r"(?<=  )WRONG\b", "bold red")
    return made
