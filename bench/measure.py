"""What a piece of work costs the whole process tree."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import psutil


@dataclass(frozen=True)
class Measured:
    """One refresh by one way, and what it cost."""

    view: str
    change: str
    way: str
    actions: int
    cpu_seconds: float
    wall_seconds: float
    steps: Mapping[str, float] = field(default_factory=dict)  # wall seconds, of Everview alone


@dataclass(frozen=True)
class Said:
    """What a refresh says of itself."""

    actions: int
    steps: Mapping[str, float] = field(default_factory=dict)


def cpu_seconds() -> float:
    """CPU seconds so far of this process and all below it, the JVM included."""
    process = psutil.Process()
    total = 0.0
    for member in (process, *process.children(recursive=True)):
        times = member.cpu_times()
        total += times.user + times.system
    return total


def measured(view: str, change: str, way: str, work: Callable[[], Said]) -> Measured:
    cpu, wall = cpu_seconds(), time.perf_counter()
    said = work()
    seconds = round(time.perf_counter() - wall, 2)
    return Measured(
        view, change, way, said.actions, round(cpu_seconds() - cpu, 2), seconds, said.steps
    )
