"""The command `demo`: the point of the whole thing, in a minute, on a warehouse that stays."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.text import Text

from everview import Receipt, Verification, Warehouse, __version__
from everview.cli.codes import DIFFERENT, DONE
from everview.cli.commands import hanging
from everview.cli.machine import cores, java_found
from everview.cli.opening import DEMO, opened_at
from everview.cli.parser import UsageError
from everview.cli.progress import step
from everview.cli.screen import Screen
from everview.cli.shop import ITEMS, STORES, VIEWS, build_shop, night, touched
from everview.errors import InvalidArgument
from everview.facts.receipt_text import changed_text, read_text, shared_text

_WIDTH = 80
_FEWEST = 1_000
_NAME = max(len(v.name) for v in VIEWS)
_STYLES = {"incremental": "bold green", "exact": "bold green", "full": "yellow", "WRONG": "red"}


def run_demo(arguments: argparse.Namespace, screen: Screen) -> int:
    """Build, change, refresh, verify, refresh again; say how to go on."""
    if arguments.sales < _FEWEST:
        raise UsageError(f"the demo needs {_FEWEST:,} sales or more", "usage: everview demo")
    folder = Path(arguments.folder or arguments.warehouse or DEMO)
    make_room(folder)
    tale = Tale(screen)
    java = java_found(os.environ)
    with opened_at(str(folder), screen, create=True) as warehouse:
        origin = {"bundled": "bundled"}.get(java.origin, f"from {java.origin}")
        tale.line(
            f"everview {__version__} · Spark {warehouse.spark.version} · "
            f"Java {java.version} ({origin}) · {cores()} cores",
            style="bold",
        )
        done = _play(warehouse, arguments.sales, tale)
    tale.farewell(folder)
    if screen.json:
        screen.document({"warehouse": str(folder), **done})
    return DONE if all(v["ok"] for v in done["verified"]) else DIFFERENT


def make_room(folder: Path) -> None:
    """Remove what an earlier demo left and mark the folder as the demo's; refuse anything else."""
    mark = folder / "_everview" / "demo"
    if mark.is_file():
        shutil.rmtree(folder)
    elif folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise InvalidArgument(
            f"{folder} holds something that the demo did not make.",
            remedy="Name another folder: everview demo FOLDER.",
        )
    mark.parent.mkdir(parents=True)
    mark.write_text("Made by `everview demo`, which replaces this folder when it runs again.\n")


def _play(warehouse: Warehouse, sales: int, tale: Tale) -> dict[str, Any]:
    with tale.timed(f"A shop: {STORES:,} stores, {ITEMS:,} items, {sales:,} sales", "the shop"):
        build_shop(warehouse, sales)
    created = _create(warehouse, tale)
    _change(warehouse, sales, tale)
    tale.title("Refresh: what changed, not everything")
    refreshed = _in_order(warehouse.refresh())
    for receipt, first in zip(refreshed, created, strict=True):
        tale.receipt(receipt, sum(first["seconds"].values()))
    tale.title("Verify: each view against its recomputation at the same versions")
    verified = [tale.verified(warehouse.view(v.name).verify()) for v in VIEWS]
    tale.title("Refresh again")
    again = _in_order(warehouse.refresh())
    for receipt in again:
        tale.item(receipt.view, receipt.way.word, receipt.reason)
    return {
        "created": created,
        "refreshed": [r.to_dict() for r in refreshed],
        "verified": [v.to_dict() for v in verified],
        "again": [r.to_dict() for r in again],
    }


def _create(warehouse: Warehouse, tale: Tale) -> list[dict[str, Any]]:
    tale.title("Three materialized views, computed in full this once, then INCREMENTAL")
    created = []
    for view in VIEWS:
        begun = time.perf_counter()
        # AUTO, the default policy, may find a shop this small as cheap to recompute.
        warehouse.create_materialized_view(view.name, view.sql, "INCREMENTAL", view.what)
        rows = f"{_stored_rows(warehouse, view.name):,} rows"
        tale.item(view.name, view.what, rows, time.perf_counter() - begun)
        created.append(warehouse.view(view.name).history()[-1])
    return created


def _in_order(receipts: list[Receipt]) -> list[Receipt]:
    """As the views were told of."""
    return sorted(receipts, key=lambda r: [v.name for v in VIEWS].index(r.view))


def _change(warehouse: Warehouse, sales: int, tale: Tale) -> None:
    said: dict[str, list[str]] = {}
    with tale.timed("A night passes", "a night"):
        for change in night(sales):
            change.run(warehouse)
            count = touched(warehouse.table(change.table).history())
            said.setdefault(change.table, []).append(f"{count:,} {change.said}")
    for table, changes in said.items():
        tale.item(table, ", ".join(changes))


def _stored_rows(warehouse: Warehouse, view: str) -> int:
    """How many rows a view has, from its log."""
    return warehouse.view(view).status().rows or 0


class Tale:
    """The lines of the demo; silent where one JSON document is wanted."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def line(self, left: str | Text, right: str = "", style: str = "") -> None:
        """One line, its end at the right edge."""
        if self._screen.json or self._screen.quiet:
            return
        text = Text(left, style) if isinstance(left, str) else left
        if right:
            text.append(" " * max(2, _WIDTH - text.cell_len - len(right)))
            text.append(right)
        self._screen.say(text)

    def title(self, text: str, right: str = "") -> None:
        self.line("")
        self.line(text, right, "bold")

    def item(self, name: str, first: str, second: str = "", seconds: float | None = None) -> None:
        """A view or table, what there is to say of it, and how long it took."""
        text = Text(f"  {name:<{_NAME}}  ")
        text.append(first, _STYLES.get(first, ""))
        took = "" if seconds is None else f"{seconds:7.1f} s"
        if second and not took:
            text.append(f"  {second}", "dim")
            second = ""
        self.line(text, f"{second}{took}")

    @contextlib.contextmanager
    def timed(self, what: str, short: str) -> Iterator[None]:
        """A title that ends with how long the inside took."""
        step(short)
        begun = time.perf_counter()
        yield
        self.title(what, f"{time.perf_counter() - begun:.1f} s")

    def receipt(self, receipt: Receipt, in_full: float) -> None:
        """What a refresh did, beside what the recomputation took; then why and what it read."""
        how = receipt.way.word
        text = Text(f"  {receipt.view:<{_NAME}}  ")
        text.append(f"{how:<13}", _STYLES.get(how, ""))
        text.append(f"{receipt.total_seconds:.1f} s", "bold")
        text.append(f", built in {in_full:.1f} s", "dim")
        fits = text.cell_len + 2 + len(receipt.reason) <= _WIDTH
        self.line(text, receipt.reason if fits else "")
        said = ("" if fits else receipt.reason, changed_text(receipt), shared_text(receipt))
        for line in filter(None, (*said, f"read {read_text(receipt.read)}")):
            self.line(hanging(" " * (_NAME + 4) + line, _WIDTH), style="dim")

    def verified(self, verification: Verification) -> Verification:
        how = verification.outcome if verification.ok else "WRONG"
        rows = f"{verification.rows:,} rows"
        if not verification.ok:
            rows = f"{verification.missing:,} missing, {verification.unexpected:,} unexpected"
        self.item(verification.view, how, rows, verification.seconds)
        return verification

    def farewell(self, folder: Path) -> None:
        """Three things to do next."""
        place = "" if str(folder) == DEMO else f" -w {folder}"
        self.title(f"The warehouse stays in {folder}. Try")
        tries = {
            f"everview explain{place} city_sales": "why, and how",
            f'everview sql{place} "DELETE FROM sales WHERE store_id = 7"': "then refresh",
            f"everview status{place} --tree": "what is behind",
        }
        width = max(map(len, tries))
        for command, why in tries.items():
            text = Text(f"  {command:<{width}}  ", "cyan")
            text.append(why, "dim")
            self.line(text)
