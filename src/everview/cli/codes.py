"""What the exit codes of the command line mean."""

from __future__ import annotations

DONE = 0
ERROR = 1
USAGE = 2
DIFFERENT = 3
UNHEALTHY = 4
TOO_OLD = 5
INTERRUPTED = 130

MEANINGS = {
    DONE: "done",
    ERROR: "an error of one view or more, its code on stderr (or in the JSON)",
    USAGE: "the command line was not understood",
    DIFFERENT: "verify found a view that differs from its recomputation",
    UNHEALTHY: "a check of doctor failed",
    TOO_OLD: "status found a view that is older than --max-age",
    INTERRUPTED: "interrupted",
}
