"""Run a plan of tests, two processes at a time, with a line for each folder of tests that is done.

    python -m tools.lanes first

A failed test is named at once, its story told when its process ends; the others still run to
their end. The exit code is 1 if one failed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

LANES = 2  # one per core of the smallest machine that checks a change

PURE = "not spark and not connect"
SPARK = "spark and not connect and not wheel and not connectors"
CONNECT = "connect"
LAWS = ("tests/laws",)
API = ("tests/api",)
STORED = ("tests/attach", "tests/faults", "tests/numbers", "tests/scripts")
CORPUS = ("tests/corpus", "tests/sql")


@dataclass(frozen=True, slots=True)
class Job:
    """One process of pytest: the tests with these markers in some folders, or in all others."""

    name: str
    markers: str
    folders: tuple[str, ...] = ("tests",)
    but: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        but = [f"--ignore={folder}" for folder in self.but]
        return [sys.executable, "-m", "pytest", "-v", "-m", self.markers, *but, *self.folders]


@dataclass(frozen=True, slots=True)
class Plan:
    """Jobs in the order in which they begin, the longest first, and what the tests are told."""

    jobs: tuple[Job, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    seconds: int | None = None  # that it should take at most, on two cores that do nothing else


PURE_JOBS = (Job("laws", PURE, LAWS), Job("pure", PURE, but=LAWS))
SPARK_JOBS = (
    Job("spark", SPARK, API),
    Job("spark", SPARK, but=API + CORPUS),
    Job("spark", SPARK, CORPUS),
)
PLANS = {
    "first": Plan(
        (
            SPARK_JOBS[0],
            *PURE_JOBS,
            Job("spark", SPARK, STORED),
            Job("spark", SPARK, but=API + STORED),
        ),
        {"EVERVIEW_PART": "first", "EVERVIEW_FUNCTIONS_SHARE": "12", "EVERVIEW_VIEWS_SHARE": "60"},
        seconds=8 * 60,
    ),
    "rest": Plan(
        (*SPARK_JOBS[:2], Job("connect", CONNECT), SPARK_JOBS[2]),
        {
            "EVERVIEW_PART": "rest",
            "EVERVIEW_CASES_SHARE": "6",
            "EVERVIEW_CONNECT_SHARE": "14",
            "EVERVIEW_CORPUS_SHARE": "12",
            "EVERVIEW_FUNCTIONS_SHARE": "12",
            "EVERVIEW_SCRIPTS_SHARE": "3",
            "EVERVIEW_VIEWS_SHARE": "60",
        },
        seconds=17 * 60,
    ),
    "all": Plan(
        (*SPARK_JOBS, Job("connect", CONNECT), *PURE_JOBS),
        {"EVERVIEW_PART": "all", "EVERVIEW_VIEWS_SHARE": "1"},
    ),
}

_PATIENCE = 30  # seconds that a job says nothing
_DONE = re.compile(r"tests/(?P<group>[^/:.]+).*?::.* (?P<how>PASSED|FAILED|ERROR|SKIPPED|XFAIL)\b")


class Progress:
    """The lines of one job, told folder by folder; what else pytest says is kept."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._group = ""
        self._begun = self._told = time.perf_counter()
        self._counts: Counter[str] = Counter()
        self.kept: list[str] = []
        self.passed = 0

    def hear(self, line: str) -> list[str]:
        """What is to be said after this line."""
        done = _DONE.match(line)
        if done is None:
            self.kept.append(line)
            return []
        told = []
        if done["group"] != self._group:
            told = self.end()
            self._group = done["group"]
        self._counts[done["how"].lower()] += 1
        self.passed += done["how"] == "PASSED"
        now = time.perf_counter()
        if now - self._told > _PATIENCE:
            told.append(f"{self._job.name:<8}{self._group:<14}{sum(self._counts.values())} so far")
        if told:
            self._told = now
        if done["how"] in ("FAILED", "ERROR"):
            told.append(line.split(" [")[0].rstrip())
        return told

    def end(self) -> list[str]:
        """The line of the folder that is done."""
        if not self._counts:
            return []
        now = time.perf_counter()
        said = ", ".join(f"{count} {how}" for how, count in self._counts.items())
        line = f"{self._job.name:<8}{self._group:<14}{said:<24}{now - self._begun:5.0f} s"
        self._begun = now
        self._counts.clear()
        return [line]


def main(name: str) -> int:
    plan = PLANS[name]
    begun = time.perf_counter()
    waiting, failed, passed = deque(plan.jobs), list[Progress](), list[int]()

    def lane() -> None:
        while True:
            try:
                job = waiting.popleft()
            except IndexError:
                return
            progress = Progress(job)
            if _run(job, plan, progress) != 0:
                failed.append(progress)
            passed.append(progress.passed)

    lanes = [threading.Thread(target=lane) for _ in range(LANES)]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join()
    for progress in failed:
        print("".join(progress.kept), flush=True)
    most = "" if plan.seconds is None else f", of at most {plan.seconds} s"
    took = f"in {time.perf_counter() - begun:.0f} s{most}"
    how = "failed" if failed else "passed"
    print(f"{name}: {how}; {sum(passed)} tests passed {took}", flush=True)
    return 1 if failed else 0


def _run(job: Job, plan: Plan, progress: Progress) -> int:
    """Run one job and tell of it; gives its exit code."""
    with subprocess.Popen(
        job.command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **plan.environment},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            _say(progress.hear(line))
    _say(progress.end())
    return process.returncode


def _say(lines: list[str]) -> None:
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PLANS:
        sys.exit(f"python -m tools.lanes {'|'.join(PLANS)}")
    sys.exit(main(sys.argv[1]))
