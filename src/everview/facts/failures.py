"""Errors as values: in short, told with other words, and any other error as one with a code."""

from __future__ import annotations

import copy
from typing import TypeVar

from everview.errors import EverviewError, Place, Unexpected

_Error = TypeVar("_Error", bound=EverviewError)


def retold(error: _Error, what: str, where: Place | str | None) -> _Error:
    """The same error with other words or another place; what else it carries stays."""
    made = copy.copy(error)
    made.what, made.where = what, where
    made.args = (made._text(),)
    return made


def unforeseen(
    error: Exception, remedy: str = "Look at its words, and run it again."
) -> EverviewError:
    """An error of Spark, the storage or our own making, as one with a code."""
    if isinstance(error, EverviewError):
        return error
    said = str(error).split("\n\nJVM")[0].split("JVM stacktrace")[0].strip()
    made = Unexpected(f"{type(error).__name__}: {said}".rstrip(": "), remedy=remedy)
    made.__cause__ = error
    return made


def in_short(error: EverviewError) -> str:
    """`EV-4004  The folder of `stores` is gone`: the code and the first line of what happened."""
    return f"{error.code}  {error.what.splitlines()[0] if error.what else error.title}"
