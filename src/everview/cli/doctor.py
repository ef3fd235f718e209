"""The command `doctor`: what would fail on this machine, and what to do."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from everview.cli.checks import DoctorCheck, checks, spark_check, warehouse_check
from everview.cli.codes import DONE, UNHEALTHY
from everview.cli.machine import machine
from everview.cli.opening import is_warehouse, warehouse_path
from everview.cli.probe import probe
from everview.cli.progress import step
from everview.cli.screen import Screen
from everview.cli.tables import Cell, Heading, screen_table
from everview.errors import NotAWarehouse

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def run_doctor(arguments: argparse.Namespace, screen: Screen) -> int:
    """Look at the machine, then start Spark, then say what was found."""
    path = _warehouse(arguments.warehouse)
    step("looking at the machine")
    found = list(checks(machine(os.environ, path)))
    if arguments.no_spark:
        found += [_folder_check(path)] if path else []
    else:
        step("starting Spark")
        tried = probe(path, arguments.seconds)
        found.append(spark_check(tried))
        if path:
            found.append(warehouse_check(path, tried) if tried.ok else _folder_check(path))
    show_checks(found, screen)
    return UNHEALTHY if any(c.state == "fail" for c in found) else DONE


def _warehouse(given: str | None) -> str | None:
    """The warehouse meant, if any: doctor works without one."""
    try:
        return warehouse_path(given, os.environ, Path.cwd())
    except NotAWarehouse:
        return None


def _folder_check(path: str) -> DoctorCheck:
    """What can be said of a warehouse without opening it."""
    if "://" in path:
        return DoctorCheck("warehouse", "ok", f"{path}: not looked at, for that Spark has to start")
    if is_warehouse(Path(path)):
        return DoctorCheck("warehouse", "ok", f"{path} is one")
    remedy = "Name another; ev.open(path) or `everview sql -w PATH` creates one."
    return DoctorCheck("warehouse", "fail", f"{path} is not a warehouse", remedy)


def show_checks(found: list[DoctorCheck], screen: Screen) -> None:
    """Print the checks, then the remedies of those that are not ok."""
    if screen.json:
        screen.document([c.to_dict() for c in found])
        return
    columns = (Heading("check"), Heading("state"), Heading("found"))
    shown = [c for c in found if not (screen.quiet and c.state == "ok")]
    rows = [[Cell(c.name), Cell(c.state, _STYLES[c.state]), Cell(c.what)] for c in shown]
    if rows:
        screen.say(screen_table(columns, rows, plain=screen.plain))
    wrong = [c for c in found if c.state != "ok"]
    if wrong:
        screen.say()
        for check in wrong:
            screen.say(f"{check.name}: {check.remedy}", wrap=True)
    elif not screen.quiet:
        screen.say("\nNothing is wrong.")
