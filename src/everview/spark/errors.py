"""What Spark says when it fails, and the error of ours that says it to the user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.errors import PySparkException

from everview.errors import ComputationFailed, EverviewError, InvariantViolated
from everview.facts.checks import REMEDY, TOO_MANY_ROWS, Check, check_raised
from everview.spark.engine import is_from_spark
from everview.spark.words import without_hidden

_TEMPORARY = re.compile(r"`_pyspark_\w+`\.?|_pyspark_\w+\.?")
_RAISED = "USER_RAISED_EXCEPTION"
_TOO_MANY_ROWS = "SCALAR_SUBQUERY_TOO_MANY_ROWS"
# An error that Spark's planner wraps has no structure in Python, but the first line of each cause
# begins with the name of its class. In a plan the name never stands in brackets.
_NAMED = re.compile(r"\[([A-Z][A-Z0-9_.]*)\] (.*)")
_STATE = re.compile(r" SQLSTATE: \w+")
# Spark's own advice, which speaks of settings that a definition keeps.
_ADVICE = re.compile(r"(?<=\.) (?:Use `|Use '|Correct the value|If necessary|You can) ?.*")

# What to do instead, by the beginning of Spark's name of the error.
_REMEDIES = {
    "CAST_INVALID_INPUT": "Correct the value, or use try_cast, which gives NULL for it.",
    "CAST_OVERFLOW": "Correct the value, or cast it to a larger type, or use try_cast.",
    "DIVIDE_BY_ZERO": "Use try_divide, or nullif(divisor, 0): both give NULL.",
    "REMAINDER_BY_ZERO": "Use try_mod, or nullif(divisor, 0): both give NULL.",
    "ARITHMETIC_OVERFLOW": "Cast to a larger type first, or use try_add, try_multiply, try_sum.",
    "BINARY_ARITHMETIC_OVERFLOW": "Cast to a larger type first, or use try_add, try_multiply.",
    "NUMERIC_VALUE_OUT_OF_RANGE": "Cast to a DECIMAL with more digits, or use try_cast.",
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": "Cast to DOUBLE, or use try_cast.",
    "INVALID_ARRAY_INDEX": "Use get(array, index) or try_element_at, which give NULL.",
    "CANNOT_PARSE": "Correct the value, or use try_to_timestamp or try_to_date.",
    "DATETIME_FIELD_OUT_OF_BOUNDS": "Correct the value, or use try_make_timestamp.",
    "INVALID_URL": "Correct the value, or use try_parse_url.",
    _TOO_MANY_ROWS: "Let the subquery give one row: by max(...) or LIMIT 1.",
    "FAILED_READ_FILE": "A data file is gone or damaged: have its writer put it back.",
}
_OTHERWISE = "Correct the data or the text."


@dataclass(frozen=True, slots=True)
class SparkMessage:
    """What Spark says of a failure: its name of the error ("" if it has none), one line, and
    exactly what a query raised itself.
    """

    condition: str
    line: str
    raised: str = ""

    @property
    def check(self) -> Check | None:
        """The check of ours that failed, None if it is another error."""
        return check_raised(self.raised) if self.condition == _RAISED else None

    @property
    def remedy(self) -> str:
        if self.check is not None:
            return "refresh(full=True) recomputes the view once."
        name = _TOO_MANY_ROWS if self.raised == TOO_MANY_ROWS else self.condition
        found = (text for known, text in _REMEDIES.items() if name.startswith(known))
        return next(found, _OTHERWISE)


def spark_message(error: PySparkException) -> str:
    """What Spark says, without its plan, its stack and the names of our own temporary views."""
    said = str(error.getMessage() or error).split(";\n")[0].split("\n\nJVM")[0].strip()
    said = said.split("\n\n== SQL ==")[0]
    proposal = (error.getMessageParameters() or {}).get("proposal", "")
    return without_hidden(_TEMPORARY.sub("", said), _TEMPORARY.sub("", proposal))


def said_by_spark(error: Exception) -> SparkMessage:
    """The failure as Spark names it: by the error's own fields or, where it has none, by its
    text.
    """
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    if isinstance(error, PySparkException) and condition and not _wraps(condition):
        parameters = error.getMessageParameters() or {}
        return SparkMessage(
            condition, _line(spark_message(error)), parameters.get("errorMessage", "")
        )
    named = [(m.group(1), m.group(2)) for m in _NAMED.finditer(str(error))]
    inner = [(name, text) for name, text in named if not _wraps(name)]
    found = [_of_text(name, text) for name, text in inner]
    # The last cause is what went wrong first; but a check of ours is never overlooked.
    last = found[-1] if found else SparkMessage("", _last_line(error))
    return next((said for said in found if said.check is not None), last)


def _of_text(condition: str, text: str) -> SparkMessage:
    plain = _STATE.sub("", text).strip()
    return SparkMessage(condition, _line(plain), plain if condition == _RAISED else "")


def _wraps(condition: str) -> bool:
    """Whether the error only says that a task failed, and its cause says why."""
    return condition in ("TASK_WRITE_FAILED", "FAILED_EXECUTE_UDF")


def _line(message: str) -> str:
    """One line without the name of the error, its state, and advice that does not apply."""
    first = message.strip().splitlines()[0]
    plain = _STATE.sub("", re.sub(r"^\[[A-Z0-9_.]+\] ", "", first))
    return _ADVICE.sub("", plain).strip()


def _last_line(error: Exception) -> str:
    """Of a failure in Python code its last line; of another one the first."""
    text = str(error).split("\n\nJVM")[0].strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return lines[-1] if any(line.startswith("Traceback") for line in lines) else lines[0]


def spark_failure(error: Exception, what: str, where: str, spared: str) -> EverviewError:
    """The error to raise for one of Spark: what could not be computed, where, and what was spared
    by that ("Nothing was published.").
    """
    said = said_by_spark(error)
    check = said.check
    if check is not None and check.answer == "fail":
        return InvariantViolated(f"{what}: {check.found}.", where=where, remedy=REMEDY)
    name = f" (Spark's {said.condition})" if said.condition not in ("", _RAISED) else ""
    line = said.line if check is None else check.found
    return ComputationFailed(
        f"{what} cannot be computed: {line.removesuffix('.')}{name}.",
        where=where,
        remedy=f"{said.remedy} {spared}",
    )


@contextmanager
def spark_failures(what: str, where: str, spared: str) -> Iterator[None]:
    """An error of Spark in this block is raised as one of ours, with Spark's as its cause."""
    try:
        yield
    except Exception as error:
        if not is_from_spark(error):
            raise
        raise spark_failure(error, what, where, spared) from error
