"""The options with which Java runs a Spark of ours: those that make a short run cheap."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path

from everview.settings import Settings
from everview.spark.class_archive import MAKES, find_archive, is_plain_spark
from everview.spark.java import Java

Options = Mapping[str, tuple[str, ...]]

# Spark's scripts give Java what these variables say; what the user has set comes later and wins.
_SPARK = "SPARK_SUBMIT_OPTS"
_LAUNCHER = "SPARK_LAUNCHER_OPTS"
# Most of what Java compiles in half a minute it compiles in vain: the thorough compiler waits
# until code has run ten times as often as Java would wait by itself.
_SHORT = (
    "-XX:+UseSerialGC",
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
# The program that puts Spark's command line together lives for a moment.
_MOMENT = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def java_options(java: Java, settings: Settings, *, short: bool) -> Options:
    """The options by the variable in which Spark looks for them; `short` for a program that runs
    one command, the only kind that makes an archive of classes. None where the user has set
    options of Java: two collectors, say, keep it from starting.
    """
    import pyspark

    spark_home = os.environ.get("SPARK_HOME") or str(Path(pyspark.__file__).parent)
    if not is_plain_spark(spark_home, os.environ):
        return {}
    archive = find_archive(java, spark_home, settings, os.environ)
    shared = () if archive is None else archive.options(make=short)
    return {_SPARK: (*(_SHORT if short else ()), *shared), _LAUNCHER: _MOMENT}


def makes_archive(options: Options) -> bool:
    """Whether Java, with these options, writes an archive of classes when it ends."""
    return any(option.startswith(MAKES) for option in options.get(_SPARK, ()))


@contextlib.contextmanager
def added_to(environ: MutableMapping[str, str], options: Options) -> Iterator[None]:
    """The variables with these options before those that they have."""
    before = {name: environ.get(name) for name in options}
    for name, some in options.items():
        environ[name] = " ".join((*some, *filter(None, [before[name]])))
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                del environ[name]
            else:
                environ[name] = old
