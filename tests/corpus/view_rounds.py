"""Queries of a benchmark as materialized views, refreshed after random changes of its tables."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, Literal, get_args

from pyspark.sql import SparkSession

import everview as ev
from everview.errors import NotIncremental
from everview.spark.session_settings import changed_settings
from everview.sql.read.parse import parse_query, table_references
from tests.corpus.benchmark_changes import ROUNDS, TableChanges
from tests.corpus.benchmarks import QUICK, Benchmark

Status = Literal["incremental", "full", "fell back", "wrong"]
TOLD_EACH = 10  # how many are done from one word of progress to the next
_ONLY = "Only a full recompute is possible: "


@dataclass(frozen=True)
class Refreshed:
    """One refresh: seconds on the clock, actions, and whether rows of the view changed."""

    seconds: float
    actions: int
    changed: bool


@dataclass
class Kept:
    """A query as a view: how it is kept, why not otherwise, and its refreshes so far."""

    id: str
    status: Status = "incremental"
    reason: str = ""
    seconds: float = 0.0  # of its creation
    refreshes: list[Refreshed] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.id.replace("-", "_")

    @property
    def changed(self) -> int:
        return sum(r.changed for r in self.refreshes)

    @property
    def numbers(self) -> str:
        seconds = max((r.seconds for r in self.refreshes), default=0.0)
        actions = max((r.actions for r in self.refreshes), default=0)
        return (
            f"{self.changed} of {len(self.refreshes)} changed {seconds:>5.1f} s {actions} actions"
        )

    def fields(self) -> dict[str, Any]:
        return {
            "changed": self.changed,
            "created_s": round(self.seconds, 1),
            "refresh_s": [round(r.seconds, 1) for r in self.refreshes],
            "actions": [r.actions for r in self.refreshes],
        }

    def fail(self, reason: str) -> None:
        """The first thing that is wrong is what is told."""
        if self.status != "wrong":
            self.status, self.reason = "wrong", reason


class Played:
    """Views over the tables of one benchmark that they read, in one warehouse."""

    def __init__(self, spark: SparkSession, folder: str, benchmark: Benchmark, jobs: int) -> None:
        self._benchmark = benchmark
        self._stack = ExitStack()
        # A handle per job: each has a session of its own, in which one query runs at a time.
        self._handles = [
            self._stack.enter_context(ev.open(f"{folder}/{benchmark.name}", spark=spark))
            for _ in range(jobs)
        ]
        for handle in self._handles:
            self._stack.enter_context(changed_settings(handle._world.engine.own, QUICK))
        self._changes: list[TableChanges] = []

    def __enter__(self) -> Played:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def play(self, ids: Iterable[str]) -> Iterator[Kept]:
        """Create the views, then change, refresh and verify; each is told when it is done."""
        kept = [Kept(id_) for id_ in ids]
        self._make_tables(kept)
        self._say(f"creating {len(kept)} views over {len(self._changes)} tables")
        list(self._each(kept, self._create))
        for number in range(ROUNDS):
            self._say(f"{len(kept)} views, round {number + 1} of {ROUNDS}")
            list(self._each(self._changes, partial(_change, number=number)))
            # What is recomputed in full is Spark's own answer: once is enough.
            last = number == ROUNDS - 1
            due = [k for k in kept if k.status == "incremental" or last]
            done = self._each([k for k in due if k.status != "wrong"], self._refresh)
            if last:
                yield from (k for k in kept if k.status == "wrong")
                yield from done
            else:
                list(done)

    def _each(self, items: list[Any], work: Callable[[ev.Warehouse, Any], Any]) -> Iterator[Any]:
        """The work on each item, its order kept; as many at a time as there are handles."""
        free = list(self._handles)
        done = count(1)

        def with_handle(item: Any) -> Any:
            handle = free.pop()
            try:
                work(handle, item)
            finally:
                free.append(handle)
            number = next(done)
            if number % TOLD_EACH == 0:
                self._say(f"  {number} of {len(items)}")
            return item

        with ThreadPoolExecutor(len(self._handles)) as pool:
            yield from pool.map(with_handle, items)

    def _say(self, what: str) -> None:
        sys.stderr.write(f"{self._benchmark.name}: {what}\n")

    def _make_tables(self, kept: list[Kept]) -> None:
        texts = self._benchmark.queries()
        read = {t.name.lower() for k in kept for t in table_references(parse_query(texts[k.id]))}
        wh = self._handles[0]
        for name, frame in self._benchmark.tables(wh.spark).items():
            if name in read:
                wh.create_table(name, frame)
                self._changes.append(TableChanges.of(self._benchmark, name, frame))

    def _create(self, wh: ev.Warehouse, kept: Kept) -> None:
        text = self._benchmark.queries()[kept.id]
        begun = time.perf_counter()
        try:
            try:
                wh.create_materialized_view(kept.name, text, policy="INCREMENTAL")
            except NotIncremental as refused:
                kept.status = "full"
                kept.reason = refused.what.removeprefix(_ONLY).rstrip(".")
                wh.create_materialized_view(kept.name, text, policy="AUTO")
        except Exception as error:  # one that fails does not keep the others from being told
            kept.fail(f"not created: {told(error)}")
        kept.seconds = time.perf_counter() - begun

    def _refresh(self, wh: ev.Warehouse, kept: Kept) -> None:
        round_ = f"refresh {len(kept.refreshes) + 1}"
        begun = time.perf_counter()
        try:
            receipt = wh.view(kept.name).refresh()
            seconds = time.perf_counter() - begun
            kept.refreshes.append(Refreshed(seconds, receipt.actions, receipt.changed))
            if kept.status == "incremental" and receipt.strategy.startswith("full"):
                kept.status, kept.reason = "fell back", f"{round_}: {receipt.reason}"
            verified = wh.view(kept.name).verify()
            if not verified.ok:
                kept.fail(f"{round_}, {receipt.strategy}: {verified}")
        except Exception as error:
            kept.fail(f"{round_} fails: {told(error)}")


def _change(wh: ev.Warehouse, changes: TableChanges, number: int) -> None:
    changes.apply(wh, number)


def told(error: Exception) -> str:
    """An error on one line, without what the JVM adds."""
    return " ".join(f"{type(error).__name__}: {error}".split("\n\nJVM")[0].split())


def of_share(ids: Iterable[str], share: int) -> list[str]:
    """One in so many of the ids, the same each time."""
    return list(ids)[2 % share :: share]


def summary(kept: list[Kept]) -> Iterator[str]:
    """How many views are kept how, and the reasons of those that are not incremental."""
    counts = {s: [k for k in kept if k.status == s] for s in get_args(Status)}
    shown = ", ".join(f"{len(some)} {status}" for status, some in counts.items() if some)
    yield f"{len(kept)} views: {shown}; rows of {sum(k.changed > 0 for k in kept)} changed"
    reasons: dict[str, list[str]] = {}
    for one in counts["full"]:
        reasons.setdefault(re.sub(r"\d+", "N", one.reason), []).append(one.id)
    for reason, ids in sorted(reasons.items(), key=lambda r: -len(r[1])):
        yield f"{len(ids):>4} full: {reason}: {', '.join(ids)}"
    seconds = sum(r.seconds for k in kept for r in k.refreshes)
    yield f"refreshes took {seconds:.0f} s, creation {sum(k.seconds for k in kept):.0f} s"
