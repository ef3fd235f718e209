"""Why Spark did not start, in one sentence, from what its process wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong and what to do about it."""

    what: str
    remedy: str


_KNOWN = (
    (
        r"UnknownHostException|Name or service not known|nodename nor servname",
        "The name of this machine has no address.",
        "Add it to /etc/hosts, or set SPARK_LOCAL_HOSTNAME=localhost.",
    ),
    (
        r"BindException|(?:Can't|Cannot) assign requested address|failed after \d+ retries",
        "Spark could not open a port on 127.0.0.1.",
        "Unset SPARK_LOCAL_IP, allow local ports in the sandbox or firewall, and try again.",
    ),
    (
        r"Operation not permitted|SocketException: Permission denied",
        "The system does not let Spark open a local port.",
        "Run outside the sandbox, or allow connections to 127.0.0.1 in it.",
    ),
    (
        r"(?:Invalid|Too small) (?:maximum|initial) heap"
        r"|must be at least \d+. Please increase heap size",
        "The memory asked for Spark is not one that Java takes.",
        "Set EVERVIEW_MEMORY to a size such as 1g.",
    ),
    (
        r"Could not reserve enough space|Cannot allocate memory|insufficient memory"
        r"|OutOfMemoryError|error='Not enough space'",
        "There is not enough memory for Spark.",
        "Free some, or ask for less: EVERVIEW_MEMORY=1g.",
    ),
    (
        r"Module (\S+) not found",
        "This Java lacks a module that Spark asks for.",
        "Unset JAVA_HOME to use the Java that comes with Everview, or install a full JDK 17 or 21.",
    ),
    (
        r"UnsupportedClassVersionError|[Uu]nsupported class file major version"
        r"|getSubject is (?:not )?supported|UnsupportedOperationException: getSubject",
        "This Java is not one that Spark can use.",
        "Use Java 17 or 21; unset JAVA_HOME to use the one that comes with Everview.",
    ),
    (
        r"No space left on device",
        "The disk is full.",
        "Free some space, or point TMPDIR and SPARK_LOCAL_DIRS to another disk.",
    ),
    (
        r"unresolved dependency|UNRESOLVED DEPENDENCIES|download failed",
        "A package named in spark.jars.packages could not be fetched.",
        "Check the network, or remove it from PYSPARK_SUBMIT_ARGS and spark-defaults.conf.",
    ),
    (
        r"Could not find or load main class|ClassNotFoundException|NoClassDefFoundError"
        r"|Failed to find Spark jars directory",
        "Spark's own classes were not found.",
        "Unset SPARK_HOME so that the Spark of this Python is used, or reinstall pyspark.",
    ),
    (
        r"AccessDeniedException|Permission denied",
        "Spark may not write where it has to.",
        "Make the temporary folder writable, or point TMPDIR and SPARK_LOCAL_DIRS elsewhere.",
    ),
)
_ERROR = re.compile(r"(?:[A-Z]\w*(?:Exception|Error)\b|[Ee]rror:).*")


def trouble(log: str) -> Trouble:
    """The known cause that the log shows, else what its last error says."""
    for pattern, what, remedy in _KNOWN:
        if re.search(pattern, log):
            return Trouble(what, remedy)
    # That Java ended is known; what it said before is wanted.
    lines = [line.strip() for line in log.splitlines() if "JAVA_GATEWAY_EXITED" not in line]
    errors = [found.group() for line in lines if (found := _ERROR.search(line))]
    said = (errors or [line for line in lines if line] or ["It said nothing."])[-1]
    return Trouble(said, "Read the log; `everview doctor` checks the machine.")
