"""The entry point: arguments in, an exit code out."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module

from everview.cli.codes import DONE, ERROR, INTERRUPTED, USAGE
from everview.cli.parser import UsageError, parse
from everview.cli.progress import watching
from everview.cli.screen import Screen, screen_of
from everview.errors import EverviewError, InvalidArgument
from everview.facts.failures import unforeseen
from everview.spark.java_process import end_java

Run = Callable[[argparse.Namespace, Screen], int]

# Where each command is: a command loads what it needs and no more.
HOMES = {
    "demo": "everview.cli.demo",
    "sql": "everview.cli.query",
    "refresh": "everview.cli.commands",
    "run": "everview.cli.scheduling",
    "status": "everview.cli.commands",
    "explain": "everview.cli.commands",
    "verify": "everview.cli.commands",
    "history": "everview.cli.commands",
    "doctor": "everview.cli.doctor",
}


def run_command_line(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit codes are those of `cli/codes.py`."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parse(given)
    except UsageError as error:
        return _misused(error, wants_json="--json" in given)
    except SystemExit as end:  # --help and --version
        return DONE if end.code in (None, 0) else USAGE
    with screen_of(arguments) as screen:
        return _run(_command, arguments, screen)


def _command(arguments: argparse.Namespace, screen: Screen) -> int:
    name = arguments.command
    command: Run = getattr(import_module(HOMES[name]), f"run_{name}")
    return command(arguments, screen)


def _run(command: Run, arguments: argparse.Namespace, screen: Screen) -> int:
    """Run one command; whatever it raises becomes an exit code and words."""
    try:
        with watching(screen.progress):
            return command(arguments, screen)
    except UsageError as error:
        return _misused(error, wants_json=screen.json)
    except EverviewError as error:
        screen.failed(error)
    except BrokenPipeError:
        _hang_up()
        return DONE
    except KeyboardInterrupt:
        screen.note("interrupted; what was not committed is not there")
        end_java()
        return INTERRUPTED
    except Exception as error:
        if screen.verbose:
            screen.note(traceback.format_exc().rstrip())
        screen.failed(unexpected(error))
    return ERROR


def _hang_up() -> None:
    """The reader of stdout has seen enough (`| head`): what is left goes nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def unexpected(error: Exception) -> EverviewError:
    """An error of Spark, the storage or our own making, as one with a code."""
    return unforeseen(error, "--verbose shows where; `everview doctor` checks the machine.")


def _misused(error: UsageError, *, wants_json: bool) -> int:
    if wants_json:
        with screen_of(argparse.Namespace(json=True, verbose=False, quiet=False)) as screen:
            screen.failed(InvalidArgument(f"{error}.", remedy=error.usage))
    else:
        sys.stderr.write(f"{error.usage}\neverview: {error}\n")
    return USAGE
