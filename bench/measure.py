"""What a piece of work costs the whole process tree."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import psutil


@dataclass(frozen=True, slots=True)
class Said:
    """What a refresh says of itself."""

    actions: int
    strategy: str = ""
    steps: Mapping[str, float] = field(default_factory=dict)  # wall seconds


@dataclass(frozen=True, slots=True)
class Cost:
    """What was spent: CPU seconds and bytes of all processes, the JVM included, and wall seconds.

    Bytes are those that passed through reads and writes of any kind, shuffles and sockets too.
    """

    cpu: float
    wall: float
    read: int = 0
    written: int = 0

    def __sub__(self, before: Cost) -> Cost:
        return Cost(
            round(self.cpu - before.cpu, 3),
            round(self.wall - before.wall, 3),
            self.read - before.read,
            self.written - before.written,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """One piece of work by one contestant: where it belongs, and what it cost.

    `cell` is what is compared with each other: a view and a change, or a scenario.
    """

    scale: float
    cell: str
    change: str
    contestant: str
    cost: Cost
    said: Said = Said(0)
    reading: Cost | None = None  # of reading the whole view afterwards
    number: int = 0  # which of several in a row

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(raw: Mapping[str, Any]) -> Run:
        known = {f.name: raw[f.name] for f in fields(Run) if f.name in raw}
        reading = raw.get("reading")
        return Run(
            **{
                **known,
                "cost": Cost(**raw["cost"]),
                "said": Said(**raw["said"]),
                "reading": None if reading is None else Cost(**reading),
            }
        )


def so_far() -> Cost:
    """What this process and all below it have spent until now."""
    cpu, read, written = 0.0, 0, 0
    process = psutil.Process()
    for member in (process, *process.children(recursive=True)):
        times = member.cpu_times()
        cpu += times.user + times.system
        counters = getattr(member, "io_counters", None)  # macOS has none
        if counters is not None:
            io = counters()
            read += getattr(io, "read_chars", 0)
            written += getattr(io, "write_chars", 0)
    return Cost(cpu, time.perf_counter(), read, written)


def cpu_seconds() -> float:
    """CPU seconds so far of this process and all below it, the JVM included."""
    return so_far().cpu


def costs(work: Callable[[], Said]) -> tuple[Cost, Said]:
    """Do the work; what it cost and what it says."""
    before = so_far()
    said = work()
    return so_far() - before, said
