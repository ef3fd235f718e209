"""A Spark session of our own beside the caller's, its settings, and the count of what we submit."""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from everview.errors import SparkTooOld
from everview.spark.interrupts import interruptible, raise_if_pressed
from everview.spark.quiet import quiet_errors
from everview.spark.session_settings import OwnSettings, changed_settings

if TYPE_CHECKING:  # a warehouse is opened without loading Spark
    from pyspark.sql import DataFrame, SparkSession

    from everview.sql.write.door import SourceLeaf, Sql

_T = TypeVar("_T")

# Always on in our session: what reading and writing the lake's files rests on.
ALWAYS = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.parquet.filterPushdown": "true",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    "spark.sql.sources.partitionOverwriteMode": "static",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.maxConcurrentOutputFileWriters": "16",
    "spark.sql.readSideCharPadding": "false",
}

# A small change: few partitions, no re-planning between stages.
SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.leafNodeDefaultParallelism": "1",  # rows at hand are few
}

# A query of few rows at hand: Spark evaluates it as it is. Code that it generates is other code for
# other plans, and compiling it takes longer than these rows do.
AT_HAND = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

# Where touched files are written anew: one task per stored file, which writes one.
EACH_FILE = {
    **SMALL,
    "spark.sql.files.maxPartitionBytes": "1073741824",
    "spark.sql.files.openCostInBytes": "1073741824",
}

# A whole result: Spark cuts it into files of about this many shuffled bytes, small enough that
# changes of neighbouring keys touch a small part of a view of a million rows.
_WHOLE = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "4194304",
}
OLDEST_SPARK = 4
_BYTES_PER_PARTITION = 8_000_000
_MOST_PARTITIONS = 400


def whole(size: int) -> dict[str, str]:
    """The settings for a computation over so many bytes of files."""
    partitions = min(_MOST_PARTITIONS, max(2, size // _BYTES_PER_PARTITION))
    return {**_WHOLE, "spark.sql.shuffle.partitions": str(partitions)}


def require_supported(version: str) -> None:
    """SparkTooOld for a Spark whose functions and plans Everview does not know."""
    if int(version.partition(".")[0]) < OLDEST_SPARK:
        raise SparkTooOld(f"This session runs Spark {version}.", remedy="Use Spark 4.0 to 4.3.")


def is_from_spark(error: Exception) -> bool:
    """Whether Spark failed: most of its errors are PySpark's own, some of its planner come as they
    are from the JVM.
    """
    from pyspark.errors import PySparkException

    return isinstance(error, PySparkException) or hasattr(error, "java_exception")


Start = Callable[[], "SparkSession"]


class Actions:
    """Counts the actions submitted to Spark, and says which step each was for."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.seconds: dict[str, float] = {}

    def submit(self, step: str, action: Callable[[], _T]) -> _T:
        self.names.append(step)
        return self.timed(step, action)

    def timed(self, step: str, work: Callable[[], _T]) -> _T:
        """Run work that is not a Spark action under the step's clock."""
        raise_if_pressed()
        begun = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - begun


class Engine:
    """Runs queries in a session of our own; the caller's settings stay as they are.

    The session beside which it runs is given, or comes from a function that is called when
    something is first run.
    """

    def __init__(self, spark: SparkSession | None, start: Start | None = None) -> None:
        self.lock = threading.RLock()
        self._start = start
        self._counting = threading.Lock()
        self._idle: list[Engine] = []
        self._lent: list[Engine] = []
        self._sessions = None if spark is None else _sessions(spark)
        self._settings: OwnSettings | None = None

    @property
    def caller(self) -> SparkSession:
        """The session of the caller."""
        return self._started()[0]

    @property
    def own(self) -> SparkSession:
        """Our session beside it, with its first settings unless they are changed just now."""
        if self._settings is not None and not self._settings.is_used:
            with self.lock:
                self._settings.restore()
        return self._started()[1]

    @property
    def is_started(self) -> bool:
        """Whether there is a session already."""
        return self._sessions is not None

    def _started(self) -> tuple[SparkSession, SparkSession]:
        if self._sessions is None:
            with self.lock:
                if self._sessions is None:
                    assert self._start is not None, "an engine has a session or starts one"
                    self._sessions = _sessions(self._start())
        return self._sessions

    @contextlib.contextmanager
    def beside(self) -> Iterator[Engine]:
        """An engine of the same caller with a session of its own, for work at the same time. Where
        Spark cannot clone a session it is this one, which does one thing after the other.
        """
        if self.own is self.caller:
            yield self
            return
        with self._counting:
            other = self._idle.pop() if self._idle else Engine(self.caller)
            self._lent.append(other)
        try:
            yield other
        finally:
            with self._counting:
                self._lent.remove(other)
                self._idle.append(other)

    def interrupt_others(self) -> None:
        """End what the engines beside this one have submitted to Spark."""
        from pyspark.errors import PySparkException

        with self._counting:
            working = tuple(self._lent)
        for other in working:
            with contextlib.suppress(PySparkException):
                other.own.interruptAll()

    def release(self) -> None:
        """Let another engine of the same caller have our session."""
        if self._sessions is None:
            return
        for other in self._idle:
            other.release()
        self._idle.clear()
        caller, own = self._sessions
        if is_connect(caller) and own is not caller:
            if self._settings is not None:
                self._settings.restore()
            _free.setdefault(_session_id(caller), []).append(own)

    @contextlib.contextmanager
    def settings(
        self, *settings: Mapping[str, str], with_callers: bool = False
    ) -> Iterator[SparkSession]:
        """Our session with these settings, which are not its settings afterwards; one user at a
        time.

        Ctrl-C cancels what our session runs, and `with_callers` also what the caller's does: the
        rows of a DataFrame of the caller's are computed there.
        """
        wanted = dict(ALWAYS)
        for some in settings:
            wanted |= some
        caller, own = self._started()
        sessions = (own, caller) if with_callers else (own,)
        with self.lock, interruptible(*sessions), quiet_errors(), self._changed(wanted):
            yield own

    def _changed(self, wanted: Mapping[str, str]) -> AbstractContextManager[None]:
        caller, own = self._started()
        if own is caller:  # then others change its settings too
            return changed_settings(own, wanted)
        if self._settings is None:
            self._settings = OwnSettings(own)
        return self._settings.changed(wanted)

    def sql(self, query: Sql, frames: Mapping[SourceLeaf, DataFrame]) -> DataFrame:
        """The query over frames for its leaves."""
        return sql_over(self.own, query.text, {n: frames[leaf] for n, leaf in query.leaves.items()})


def sql_over(spark: SparkSession, text: str, frames: Mapping[str, DataFrame]) -> DataFrame:
    """The query of a text in which each frame stands as `{name}`."""
    if not frames:  # then Spark takes the text as it is and braces are not undoubled
        return spark.sql(text.format())
    named: dict[str, Any] = dict(frames)
    return spark.sql(text, **named)


def _sessions(spark: SparkSession) -> tuple[SparkSession, SparkSession]:
    """The caller's session and ours beside it; SparkTooOld."""
    require_supported(spark.version)
    return spark, _clone(spark) if is_connect(spark) else spark.newSession()


# Clones of Connect sessions are kept for good and used again: one that is collected closes its
# client, which joins a thread pool of all sessions and can wait for itself for ever.
_clones: list[SparkSession] = []
_free: dict[str, list[SparkSession]] = {}


def _clone(spark: SparkSession) -> SparkSession:
    """A session beside a Connect session; the caller's own where Spark cannot clone yet."""
    if not hasattr(spark, "cloneSession"):
        return spark
    waiting = _free.get(_session_id(spark))
    if waiting:
        return waiting.pop()
    clone: SparkSession = spark.cloneSession()
    _forget_at_exit(clone)
    _clones.append(clone)
    return clone


def _forget_at_exit(clone: SparkSession) -> None:
    """At exit a client calls its server; where that has stopped, each would retry for minutes."""
    cleanup = getattr(getattr(clone, "client", None), "_cleanup_ml_cache", None)
    if cleanup is not None:
        atexit.unregister(cleanup)


def _session_id(spark: SparkSession) -> str:
    return str(getattr(spark, "session_id", ""))


def is_connect(spark: SparkSession) -> bool:
    return "connect" in type(spark).__module__
