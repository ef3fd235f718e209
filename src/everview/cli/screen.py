"""Where a command prints: results on stdout, the rest on stderr, plain without a terminal."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from rich.console import Console, RenderableType
from rich.text import Text

from everview.cli.progress import ProgressHandler
from everview.errors import EverviewError

# Without a terminal nothing wraps: one line of a table is one line of the output.
_UNWRAPPED = 10_000


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a command speaks, and how much of it."""

    out: Console
    err: Console
    progress: ProgressHandler
    json: bool = False
    verbose: bool = False
    quiet: bool = False

    @property
    def plain(self) -> bool:
        return not self.out.is_terminal

    def say(self, what: RenderableType = "", *, wrap: bool = False) -> None:
        """Print a result; a text keeps its lines unless it may wrap."""
        self.progress.clear()
        if self.plain:
            with self.out.capture() as captured:
                self.out.print(what, soft_wrap=isinstance(what, Text | str))
            lines = (line.rstrip() for line in captured.get().removesuffix("\n").split("\n"))
            self.out.file.write("".join(f"{line}\n" for line in lines))
            self.out.file.flush()
        else:
            self.out.print(what, soft_wrap=not wrap and isinstance(what, Text | str))

    def anew(self) -> None:
        """Empty a terminal for what comes now; without one the next text follows the last."""
        if not self.plain and not self.json:
            self.progress.clear()
            self.out.clear()

    def document(self, value: Any) -> None:
        """Print the one JSON document of a command."""
        self.progress.clear()
        indent = None if self.plain else 2  # a log of documents has one per line
        text = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
        self.out.file.write(text + "\n")
        self.out.file.flush()

    def note(self, text: str) -> None:
        """Say something beside the result."""
        if not self.quiet:
            self.progress.clear()
            self.err.print(Text(text), soft_wrap=True)

    def failed(self, error: EverviewError, about: str = "") -> None:
        """Show an error: code, what, where, what instead; after the view that it is about."""
        self.progress.clear()
        if self.json:
            self.document({"error": error.to_dict()})
            return
        named = f"{about}  " if about else ""
        text = Text(f"{named}{error}")
        at = len(named) + len(error.code)
        text.stylize("bold red", len(named), at)
        text.stylize("bold", at, len(named) + len(str(error).splitlines()[0]))
        self.err.print(text, soft_wrap=True)


@contextlib.contextmanager
def screen_of(arguments: argparse.Namespace) -> Iterator[Screen]:
    """The screen of a run; what it prints on stderr arrives even while Spark's does not."""
    with _kept_stderr() as stream:
        out = console(sys.stdout)
        err = console(stream)
        progress = ProgressHandler(err, verbose=arguments.verbose, quiet=arguments.quiet)
        yield Screen(out, err, progress, arguments.json, arguments.verbose, arguments.quiet)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the caller what a reader that went away means."""
        raise BrokenPipeError


def console(stream: IO[str]) -> Console:
    """A console without markup; its width is the terminal's, or no limit."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # a terminal without the letter Δ is no reason to fail
    made = _Console(file=stream, markup=False, emoji=False, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = _UNWRAPPED
    return made


@contextlib.contextmanager
def _kept_stderr() -> Iterator[IO[str]]:
    """A stream to where stderr leads now, whatever descriptor 2 is made to lead to later."""
    try:
        is_own = sys.stderr.fileno() == 2
    except (OSError, ValueError, AttributeError):
        is_own = False
    if not is_own:
        yield sys.stderr
        return
    with os.fdopen(os.dup(2), "w", encoding=sys.stderr.encoding) as stream:
        yield stream
