"""One line that names the step that runs, fed by the log of the package."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from everview.spark.log import LOG

# Without a terminal a step is named only if it takes this many seconds.
PATIENCE = 10.0


class ProgressHandler(logging.Handler):
    """Shows the records of steps: a line that goes away on a terminal, log lines when verbose,
    elsewhere a line for the steps that take long.
    """

    def __init__(
        self, console: Console, *, verbose: bool, quiet: bool, patience: float = PATIENCE
    ) -> None:
        super().__init__(logging.DEBUG if verbose else logging.INFO)
        self._console = console
        self._verbose, self._quiet, self._patience = verbose, quiet, patience
        self._bar: Bar | None = None
        self._timer: threading.Timer | None = None
        self._shown = ""

    def emit(self, record: logging.LogRecord) -> None:
        if self._verbose:
            self._line(f"{time.strftime('%H:%M:%S')}  {record.getMessage()}")
        elif not self._quiet and hasattr(record, "step"):
            title = _title(record)
            if title != self._shown:  # a step that says its name twice goes on
                self.clear()
                self._show(title)

    def clear(self) -> None:
        """Take the line away; whoever prints calls this first."""
        self._shown = ""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _show(self, title: str) -> None:
        self._shown = title
        if self._console.is_terminal:
            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            self._bar = Bar(*columns, console=self._console, transient=True)
            self._bar.add_task(title)
            self._bar.start()
        else:
            self._timer = threading.Timer(self._patience, self._line, (f"{title} ...",))
            self._timer.daemon = True
            self._timer.start()

    def _line(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True)


def _title(record: logging.LogRecord) -> str:
    view, step = getattr(record, "view", ""), getattr(record, "step", "")
    if (view, step) == ("Spark", "start"):
        return "starting Spark"
    return f"{view}: {step}" if view else str(step)


def step(name: str, view: str = "") -> None:
    """Say that a step of the command line itself begins."""
    LOG.info("%s%s", f"{view}: " if view else "", name, extra={"view": view, "step": name})


@contextlib.contextmanager
def watching(progress: ProgressHandler) -> Iterator[None]:
    """The steps logged inside are shown."""
    level = LOG.level
    LOG.addHandler(progress)
    LOG.setLevel(progress.level)
    try:
        yield
    finally:
        LOG.setLevel(level)
        LOG.removeHandler(progress)
        progress.clear()
