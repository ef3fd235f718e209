"""What Spark says of a text that it refuses, for a person to read."""

from __future__ import annotations

import re

from pyspark.errors import PySparkException

from everview.facts.views import RESERVED_PREFIX


def spark_message(error: PySparkException) -> str:
    """What Spark says, without its plan, its stack and names of our own."""
    said = str(error.getMessage() or error).split(";\n")[0].split("\n\nJVM")[0].strip()
    said = said.split("\n\n== SQL ==")[0]
    proposal = (error.getMessageParameters() or {}).get("proposal", "")
    return without_hidden(_TEMPORARY.sub("", said), _TEMPORARY.sub("", proposal))


def without_hidden(said: str, proposal: str) -> str:
    """The message without the hidden columns among the names that it proposes."""
    if not proposal or proposal not in said:
        return said
    names = [found.group() for found in _NAME.finditer(proposal)]
    kept = [n for n in names if not any(p.startswith(_HIDDEN) for p in _PART.findall(n))]
    if len(kept) == len(names):
        return said
    if kept:
        return said.replace(proposal, ", ".join(kept))
    return said.replace(f" Did you mean one of the following? [{proposal}].", "")


_TEMPORARY = re.compile(r"`_pyspark_\w+`\.?|_pyspark_\w+\.?")
_HIDDEN = f"`{RESERVED_PREFIX}"
_PART = re.compile(r"`(?:[^`]|``)*`")
_NAME = re.compile(rf"{_PART.pattern}(?:\.{_PART.pattern})*")
