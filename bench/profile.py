"""Where a refresh spends its seconds: in which phase, in which threads, in which Spark stages."""

from __future__ import annotations

import contextlib
import cProfile
import io
import os
import pstats
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
from pyspark.sql import SparkSession

from bench.measure import cpu_seconds

# Phases of a refresh: what they are called, and the function that is the phase.
PHASES = {
    "gather the facts": "everview.refresh.gather",
    "know the shape": "everview.refresh.shape_of_view",
    "choose": "everview.refresh.choose",
    "make the steps": "everview.refresh.program",
    "run the steps": "everview.refresh.run",
    "  cut scans (narrow)": "everview.run.refresh.work.narrowed",
    "  write SQL": "everview.run.refresh.work.write",
    "  frames and Spark's analysis": "everview.run.rows.frames.Frames.run",
    "  touched files": "everview.run.refresh.keyed.touched_files",
    "  publish": "everview.run.refresh.publish.publish",
    "  change settings": "everview.spark.engine.changed_settings",
    "open a Delta table": "everview.lake.delta.load.DeltaTable",
    "list files of a snapshot": "everview.lake.delta.snapshot.read_files",
    "read changes": "everview.lake.delta.table.read_changes",
    "read footers": "everview.lake.delta.table.read_written",
    "read the catalog": "everview.lake.catalog.Catalog.read",
}
_KINDS = {
    "Executor task l": "tasks",
    "C2 CompilerThre": "compiler (JIT)",
    "C1 CompilerThre": "compiler (JIT)",
    "GC Thread": "garbage collection",
    "G1 ": "garbage collection",
    "VM Thread": "garbage collection",
    "broadcast-excha": "broadcasts",
    "Thread-": "driver (planning, waiting)",
}


@dataclass
class Spent:
    """Calls of one kind, with their seconds: wall, CPU of all processes, CPU of Python's own."""

    calls: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    python: float = 0.0


@dataclass
class Profile:
    """What one piece of work spent; a phase may lie within another."""

    title: str
    phases: dict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    threads: Counter[str] = field(default_factory=Counter)
    stages: list[str] = field(default_factory=list)
    functions: str = ""

    @contextlib.contextmanager
    def clock(self, phase: str, *, cheap: bool = False) -> Iterator[None]:
        """Count what runs inside; where it is `cheap`, without a look at other processes."""
        wall, python = time.perf_counter(), time.process_time()
        cpu = 0.0 if cheap else cpu_seconds()
        try:
            yield
        finally:
            spent = self.phases[phase]
            spent.calls += 1
            spent.cpu += 0.0 if cheap else cpu_seconds() - cpu
            spent.python += time.process_time() - python
            spent.wall += time.perf_counter() - wall

    def clocked(self, phase: str, work: Callable[..., Any]) -> Callable[..., Any]:
        cheap = phase == "calls of the JVM"

        def run(*args: Any, **kwargs: Any) -> Any:
            with self.clock(phase, cheap=cheap):
                return work(*args, **kwargs)

        return run


def profiled(spark: SparkSession, title: str, work: Callable[[], object]) -> Profile:
    """Run the work once and tell where its seconds went."""
    found = Profile(title)
    seen = {s.stageId() for s in _stages(spark)}
    before = _thread_seconds(_jvm())
    profiler = cProfile.Profile()
    with contextlib.ExitStack() as patches:
        _patch(patches, found)
        with found.clock("all"):
            profiler.enable()
            work()
            profiler.disable()
    found.threads = _by_kind(before, _thread_seconds(_jvm()))
    found.threads["python"] = found.phases["all"].python
    found.stages = [_stage_line(s) for s in _stages(spark) if s.stageId() not in seen]
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).sort_stats("tottime").print_stats(14)
    pstats.Stats(profiler, stream=text).sort_stats("cumtime").print_stats("everview", 25)
    found.functions = text.getvalue()
    return found


def _patch(patches: contextlib.ExitStack, found: Profile) -> None:
    for phase, target in PHASES.items():
        work = _resolve(target)
        if phase == "  change settings":
            continue
        patches.enter_context(mock.patch(target, found.clocked(phase, work)))
    from everview.spark.engine import Actions

    submit, timed = Actions.submit, Actions.timed

    def submitted(self: Actions, step: str, action: Callable[[], Any]) -> Any:
        with found.clock(f"action: {step}"):
            return submit(self, step, action)

    patches.enter_context(mock.patch.object(Actions, "submit", submitted))
    del timed
    from py4j.clientserver import JavaClient

    send = found.clocked("calls of the JVM", JavaClient.send_command)
    patches.enter_context(mock.patch.object(JavaClient, "send_command", send))


def _resolve(target: str) -> Any:
    import importlib

    parts = target.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        with contextlib.suppress(ModuleNotFoundError):
            found: Any = importlib.import_module(".".join(parts[:cut]))
            for name in parts[cut:]:
                found = getattr(found, name)
            return found
    raise LookupError(target)


def _jvm() -> int:
    children = psutil.Process().children(recursive=True)
    return max((c for c in children if "java" in c.name()), key=lambda c: c.cpu_times().user).pid


def _thread_seconds(pid: int) -> dict[tuple[str, str], float]:
    """CPU seconds of each thread of a process by its name and number."""
    tick = os.sysconf("SC_CLK_TCK")
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            name = (task / "comm").read_text().strip()
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            found[task.name, name] = (int(fields[11]) + int(fields[12])) / tick
    return found


def _by_kind(
    before: dict[tuple[str, str], float], after: dict[tuple[str, str], float]
) -> Counter[str]:
    found: Counter[str] = Counter()
    for key, seconds in after.items():
        kind = next((k for start, k in _KINDS.items() if key[1].startswith(start)), key[1])
        found[kind] += seconds - before.get(key, 0.0)
    return found


def _stages(spark: SparkSession) -> list[Any]:
    store = spark._jsparkSession.sparkContext().statusStore()
    jvm = spark._jvm
    empty = jvm.java.util.ArrayList()
    found = store.stageList(
        None, False, False, spark.sparkContext._gateway.new_array(jvm.double, 0), empty
    )
    return [found.apply(i) for i in range(found.size())][::-1]


def _stage_line(stage: Any) -> str:
    name = stage.name().split(" at ")[0]
    return (
        f"stage {stage.stageId():>4} {name:12} {stage.numTasks():>4} tasks  "
        f"run {stage.executorRunTime() / 1e3:6.2f} s  cpu {stage.executorCpuTime() / 1e9:6.2f} s  "
        f"gc {stage.jvmGcTime() / 1e3:5.2f} s  "
        f"in {stage.inputBytes() / 1e6:7.1f} MB {stage.inputRecords():>9} rows  "
        f"out {stage.outputBytes() / 1e6:6.1f} MB {stage.outputRecords():>8} rows  "
        f"shuffled {stage.shuffleWriteBytes() / 1e6:6.1f} MB"
    )


def told(found: Profile) -> str:
    """The profile as text."""
    lines = [f"== {found.title}"]
    lines.append(f"{'phase':34}{'calls':>7}{'wall s':>9}{'CPU s':>8}{'python s':>10}")
    for phase, spent in sorted(found.phases.items(), key=lambda p: -p[1].wall):
        lines.append(
            f"{phase:34}{spent.calls:>7}{spent.wall:>9.3f}{spent.cpu:>8.2f}{spent.python:>10.3f}"
        )
    lines.append("CPU by kind of thread: ")
    lines += [f"  {s:7.2f} s  {kind}" for kind, s in found.threads.most_common() if s >= 0.02]
    lines += found.stages
    return "\n".join(lines)
