"""Settings of a Spark session for a while: of anybody's session, and of one that is ours alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextlib.contextmanager
def changed_settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """The session with other settings, each restored afterwards; what Spark does not know is
    left out.
    """
    from pyspark.errors import PySparkException

    before: dict[str, str | None] = {}
    try:
        for key, value in wanted.items():
            now = spark.conf.get(key, None)
            if now == value:
                continue
            with contextlib.suppress(PySparkException):
                spark.conf.set(key, value)
                before[key] = now
        yield
    finally:
        for key, old in before.items():
            _send(spark, key, old)


class OwnSettings:
    """The settings of a session that nobody else changes.

    Each question and each change is a call of Spark, so what a setting is now is remembered, only
    what differs is sent, and what the last user wanted stays until somebody wants otherwise.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._layers: list[Mapping[str, str]] = []
        self._before: dict[str, str | None] = {}
        self._now: dict[str, str | None] = {}
        self._refused: set[tuple[str, str | None]] = set()

    @property
    def is_used(self) -> bool:
        """Whether somebody has changed the settings for a while that is not over."""
        return bool(self._layers)

    @contextlib.contextmanager
    def changed(self, wanted: Mapping[str, str]) -> Iterator[None]:
        """The session with these settings over those of the users around this one; what Spark
        does not know is left out.
        """
        self._layers.append(wanted)
        try:
            self._apply()
            yield
        finally:
            self._layers.pop()
            if self._layers:
                self._apply()

    def restore(self) -> None:
        """Give every setting what it had at first, unless somebody uses the session."""
        if not self._layers:
            self._apply()

    def _apply(self) -> None:
        from pyspark.errors import PySparkException

        target = dict(self._before)
        for layer in self._layers:
            target |= layer
        for key, value in target.items():
            if key not in self._now:
                self._now[key] = self._spark.conf.get(key, None)
                self._before.setdefault(key, self._now[key])
            if self._now[key] == value or (key, value) in self._refused:
                continue
            now = self._now.pop(key)  # not known while it is sent: Ctrl-C may come in between
            try:
                _send(self._spark, key, value)
            except PySparkException:
                self._refused.add((key, value))
                self._now[key] = now
            else:
                self._now[key] = value


def _send(spark: SparkSession, key: str, value: str | None) -> None:
    if value is None:
        spark.conf.unset(key)
    else:
        spark.conf.set(key, value)
