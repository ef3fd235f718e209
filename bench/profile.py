"""Where a refresh spends its seconds: in which phase, in which threads, in which Spark stages."""

from __future__ import annotations

import contextlib
import cProfile
import importlib
import io
import pstats
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from py4j.clientserver import JavaClient

from bench.jvm import compilations, jvm_process, new_stages, stage_ids, thread_seconds
from bench.measure import cpu_seconds
from everview.spark.engine import Actions

# The phases of a refresh and the function that is the phase; those further in lie within others.
PHASES = {
    "gather the facts": "everview.views.planned.gather",
    "know the shape": "everview.views.planned.shape_of_view",
    "choose": "everview.views.planned.choose",
    "make the steps": "everview.views.planned.with_steps",
    "run the steps": "everview.refresh.run",
    "  cut scans": "everview.run.refresh.work.improved",
    "  write SQL": "everview.run.refresh.work.write",
    "  frames, Spark's analysis": "everview.run.rows.frames.Frames.run",
    "  stage the changes": "everview.run.refresh.keyed.stage_by_key",
    "  publish": "everview.run.refresh.execute.publish",
    "open a Delta table": "everview.lake.delta.load.DeltaTable",
    "list files of a snapshot": "everview.lake.delta.snapshot.read_files",
    "read changes": "everview.lake.delta.table.read_changes",
    "read footers": "everview.lake.delta.table.read_written",
    "read the catalog": "everview.lake.catalog.Catalog.read",
}
_OPEN = "open a Delta table"
_FUNCTIONS = 12


@dataclass
class Spent:
    """Calls of one kind, with their seconds: wall, CPU of Python, CPU of all processes if known."""

    calls: int = 0
    wall: float = 0.0
    python: float = 0.0
    cpu: float | None = None


@dataclass
class Profile:
    """What one piece of work spent; a phase may lie within another."""

    title: str
    phases: dict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    openers: Counter[str] = field(default_factory=Counter)
    threads: Counter[str] = field(default_factory=Counter)
    stages: list[str] = field(default_factory=list)
    compiled: int = 0
    functions: str = ""

    @contextlib.contextmanager
    def clock(self, phase: str, *, everything: bool = False) -> Iterator[None]:
        """Count what runs inside; a look at `everything` below this process takes milliseconds."""
        cpu = cpu_seconds() if everything else 0.0
        wall, python = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            spent = self.phases[phase]
            spent.calls += 1
            spent.wall += time.perf_counter() - wall
            spent.python += time.process_time() - python
            if everything:
                spent.cpu = (spent.cpu or 0.0) + cpu_seconds() - cpu

    def clocked(self, phase: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            if phase == _OPEN:
                self.openers[_opener()] += 1
            with self.clock(phase, everything=phase == "run the steps"):
                return work(*args, **kwargs)

        return run


def profiled(spark: Any, title: str, work: Callable[[], object]) -> Profile:
    """Run the work once and tell where its seconds went."""
    found = Profile(title)
    seen, jvm = stage_ids(spark), jvm_process()
    before, compiled = thread_seconds(jvm), compilations(spark)
    profiler = cProfile.Profile()
    with contextlib.ExitStack() as patches:
        _patch(patches, found)
        with found.clock("all", everything=True):
            profiler.enable()
            work()
            profiler.disable()
    found.threads = thread_seconds(jvm)
    found.threads.subtract(before)
    found.threads["Python"] = found.phases["all"].python
    found.compiled = compilations(spark) - compiled
    found.stages = new_stages(spark, seen)
    found.functions = _functions(profiler)
    return found


def _patch(patches: contextlib.ExitStack, found: Profile) -> None:
    """Put a clock around each phase, each action and each call of the JVM."""
    for phase, target in PHASES.items():
        patches.enter_context(mock.patch(target, found.clocked(phase, _resolved(target))))
    submit = Actions.submit

    def submitted(self: Actions, step: str, action: Callable[[], Any]) -> Any:
        with found.clock(f"  action: {step}", everything=True):
            return submit(self, step, action)

    patches.enter_context(mock.patch.object(Actions, "submit", submitted))
    send = found.clocked("calls of the JVM", JavaClient.send_command)
    patches.enter_context(mock.patch.object(JavaClient, "send_command", send))


def _resolved(target: str) -> Any:
    parts = target.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        with contextlib.suppress(ModuleNotFoundError):
            found: Any = importlib.import_module(".".join(parts[:cut]))
            for name in parts[cut:]:
                found = getattr(found, name)
            return found
    raise LookupError(target)


def _opener() -> str:
    """The function outside the lake's own folder that made a table be opened."""
    frame = sys._getframe(2)
    while frame.f_back is not None:
        file = frame.f_code.co_filename
        if "/everview/" in file and "/lake/" not in file:
            return f"{file.rpartition('/everview/')[2]}: {frame.f_code.co_name}"
        frame = frame.f_back
    return "elsewhere"


def _functions(profiler: cProfile.Profile) -> str:
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).sort_stats("tottime").print_stats(_FUNCTIONS)
    pstats.Stats(profiler, stream=text).sort_stats("cumtime").print_stats(
        "everview/", 2 * _FUNCTIONS
    )
    return "\n".join(line for line in text.getvalue().splitlines() if line.strip())


def told(found: Profile) -> str:
    """The profile as text."""
    lines = [
        f"== {found.title}",
        f"{'phase':30}{'calls':>7}{'wall s':>9}{'CPU s':>8}{'Python s':>10}",
    ]
    for phase, spent in sorted(found.phases.items(), key=lambda p: -p[1].wall):
        cpu = "" if spent.cpu is None else f"{spent.cpu:.2f}"
        lines.append(f"{phase:30}{spent.calls:>7}{spent.wall:>9.3f}{cpu:>8}{spent.python:>10.3f}")
    lines.append("-- CPU seconds by kind of thread")
    lines += [f"{s:8.2f}  {kind}" for kind, s in found.threads.most_common() if s >= 0.02]
    lines.append(f"-- {found.compiled} classes generated and compiled by Spark")
    if found.openers:
        lines.append("-- who opens Delta tables")
        lines += [f"{n:8}  {who}" for who, n in found.openers.most_common()]
    if found.stages:
        lines += ["-- stages", *found.stages]
    lines += ["-- Python functions, by their own time and by all of it", found.functions]
    return "\n".join(lines)
