"""All runs, on disk as they are made."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.measure import Run


@dataclass
class Results:
    """The runs so far, who could not take part and what was left out."""

    path: Path | None = None
    runs: list[Run] = field(default_factory=list)
    unavailable: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    machine: str = ""

    @staticmethod
    def opened(path: Path | None, *, resume: bool) -> Results:
        """Empty, or with the runs that the file holds."""
        if resume and path is not None and path.exists():
            found = Results.read(path)
            found.left_out = []
            return found
        return Results(path, machine=_machine())

    @staticmethod
    def read(path: Path) -> Results:
        """The results that a file holds."""
        raw = json.loads(path.read_text())
        runs = [Run.from_dict(r) for r in raw["runs"]]
        return Results(path, runs, raw["unavailable"], raw["left_out"], raw["machine"])

    def add(self, runs: list[Run]) -> None:
        """Keep these too; the file is whole at any time."""
        self.runs += runs
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = {
            "machine": self.machine,
            "unavailable": self.unavailable,
            "left_out": self.left_out,
            "runs": [r.to_dict() for r in self.runs],
        }
        beside = self.path.with_suffix(".part")
        beside.write_text(json.dumps(whole, indent=1))
        beside.replace(self.path)

    def rounds(self, scale: float, cell: str, change: str) -> int:
        """How many rounds of a cell are there."""
        key = (scale, cell, change)
        return len({r.number for r in self.runs if (r.scale, r.cell, r.change) == key})

    def has(self, scale: float, cell: str) -> bool:
        return any((r.scale, r.cell) == (scale, cell) for r in self.runs)


def _machine() -> str:
    memory = round(psutil.virtual_memory().total / 2**30)
    cores = psutil.cpu_count(logical=True)
    return f"{cores} cores, {memory} GB, {platform.system()}, Python {platform.python_version()}"
