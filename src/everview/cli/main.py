"""The entry point: arguments in, an exit code out."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence

from everview.cli.codes import DONE, ERROR, INTERRUPTED, USAGE
from everview.cli.commands import run_explain, run_history, run_refresh, run_status, run_verify
from everview.cli.demo import run_demo
from everview.cli.doctor import run_doctor
from everview.cli.parser import UsageError, parse
from everview.cli.progress import watching
from everview.cli.query import run_sql
from everview.cli.screen import Screen, screen_of
from everview.errors import EverviewError, InvalidArgument
from everview.facts.failures import unforeseen

Run = Callable[[argparse.Namespace, Screen], int]

RUNS: dict[str, Run] = {
    "demo": run_demo,
    "sql": run_sql,
    "refresh": run_refresh,
    "status": run_status,
    "explain": run_explain,
    "verify": run_verify,
    "history": run_history,
    "doctor": run_doctor,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit codes are those of `cli/codes.py`."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parse(given)
    except UsageError as error:
        return _misused(error, wants_json="--json" in given)
    except SystemExit as end:  # --help and --version
        return DONE if end.code in (None, 0) else USAGE
    with screen_of(arguments) as screen:
        return run(RUNS[arguments.command], arguments, screen)


def run(command: Run, arguments: argparse.Namespace, screen: Screen) -> int:
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
