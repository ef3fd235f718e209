"""What the JVM of the session tells of its threads, its compilations and its stages."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path
from typing import Any

import psutil

_KINDS = {
    "Executor task l": "tasks",
    "C2 CompilerThre": "Java's compiler",
    "C1 CompilerThre": "Java's compiler",
    "Sweeper thread": "Java's compiler",
    "GC Thread": "garbage collection",
    "G1 ": "garbage collection",
    "VM Thread": "garbage collection",
    "broadcast-excha": "broadcasts",
    "Thread-": "driver: analysis, planning, committing",
}
_OTHERS = "other threads of the JVM"


def jvm_process() -> int:
    """The number of the busiest Java process below this one."""
    children = psutil.Process().children(recursive=True)
    java = [c for c in children if "java" in c.name()]
    return int(max(java, key=lambda c: c.cpu_times().user).pid)


def thread_seconds(process: int) -> Counter[str]:
    """CPU seconds so far by kind of thread; empty where the system does not tell."""
    found: Counter[str] = Counter()
    folder = Path(f"/proc/{process}/task")
    if not folder.exists():
        return found
    tick = os.sysconf("SC_CLK_TCK")
    for task in folder.iterdir():
        with contextlib.suppress(OSError):  # a thread may end meanwhile
            name = (task / "comm").read_text().strip()
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            kind = next((k for start, k in _KINDS.items() if name.startswith(start)), _OTHERS)
            found[kind] += (int(fields[11]) + int(fields[12])) / tick
    return found


def compilations(spark: Any) -> int:
    """How many classes Spark has generated and compiled so far."""
    metrics = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics
    return int(metrics.METRIC_COMPILATION_TIME().getCount())


def stage_ids(spark: Any) -> frozenset[int]:
    return frozenset(s.stageId() for s in _stages(spark))


def new_stages(spark: Any, seen: frozenset[int]) -> list[str]:
    """A line per stage that ran since."""
    return [_line(s) for s in _stages(spark) if s.stageId() not in seen]


def _stages(spark: Any) -> list[Any]:
    store = spark._jsparkSession.sparkContext().statusStore()
    nothing = spark.sparkContext._gateway.new_array(spark._jvm.double, 0)
    found = store.stageList(None, False, False, nothing, spark._jvm.java.util.ArrayList())
    return [found.apply(i) for i in range(found.size())][::-1]


def _line(stage: Any) -> str:
    name = "write" if stage.outputRecords() else "read or join"
    return (
        f"{stage.stageId():>6} {name:13}{stage.numTasks():>4} tasks"
        f"{stage.executorCpuTime() / 1e9:7.2f} s CPU{stage.jvmGcTime() / 1e3:6.2f} s GC"
        f"{stage.inputRecords():>10} rows in{stage.outputRecords():>10} rows out"
        f"{stage.outputBytes() / 1e6:7.1f} MB out{stage.shuffleWriteBytes() / 1e6:7.1f} MB shuffled"
    )
