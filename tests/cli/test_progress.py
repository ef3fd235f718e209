"""The line that names the step: on a terminal it goes away, elsewhere it takes patience."""

from __future__ import annotations

import io
import logging
import time

from rich.console import Console

from everview.cli.progress import ProgressHandler, step, watching
from everview.spark.log import LOG


def progress(*, terminal: bool, **how: bool | float) -> tuple[ProgressHandler, io.StringIO]:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=80)
    flags = {"verbose": False, "quiet": False, **how}
    return ProgressHandler(console, **flags), file  # type: ignore[arg-type]


def test_a_terminal_shows_the_step_and_takes_it_away() -> None:
    handler, file = progress(terminal=True)
    with watching(handler):
        LOG.info("city_sales: write", extra={"view": "city_sales", "step": "write"})
        time.sleep(0.2)
        handler.clear()
        shown = file.getvalue()
        assert "city_sales: write" in shown
        LOG.info("Spark: start", extra={"view": "Spark", "step": "start"})
        time.sleep(0.2)
    assert "starting Spark" in file.getvalue()
    assert file.getvalue().endswith(("\x1b[2K", "\x1b[?25h", "\x1b[1A\x1b[2K"))


def test_without_a_terminal_short_steps_are_silent() -> None:
    handler, file = progress(terminal=False)
    with watching(handler):
        step("write", "city_sales")
    assert file.getvalue() == ""


def test_without_a_terminal_a_long_step_is_named_once() -> None:
    handler, file = progress(terminal=False, patience=0.05)
    with watching(handler):
        step("write", "city_sales")
        time.sleep(0.3)
    assert file.getvalue() == "city_sales: write ...\n"


def test_verbose_logs_everything_with_its_time() -> None:
    handler, file = progress(terminal=False, verbose=True)
    with watching(handler):
        step("write", "city_sales")
        LOG.debug("city_sales: write took 0.1 s")
    lines = file.getvalue().splitlines()
    assert [line[10:] for line in lines] == ["city_sales: write", "city_sales: write took 0.1 s"]


def test_quiet_is_quiet() -> None:
    handler, file = progress(terminal=True, quiet=True)
    with watching(handler):
        step("write")
    assert file.getvalue() == ""


def test_a_record_without_a_step_is_no_progress() -> None:
    handler, file = progress(terminal=True)
    with watching(handler):
        LOG.info("something")
    assert file.getvalue() == ""
    assert handler not in logging.getLogger("everview").handlers
