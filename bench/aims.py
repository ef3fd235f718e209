"""Medians, ratios, and what they should be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from bench.measure import Run
from bench.views import VIEWS

FULL, HAND, DELTA = "full recompute", "by hand", "Delta MERGE"
REWRITING, MARKING, AUTO = (
    "everview, copy on write",
    "everview, merge on read",
    "everview, AUTO",
)
CONTESTANTS = (FULL, HAND, DELTA, REWRITING, MARKING, AUTO)
STATEMENTS, NIGHT, READING = "statement", "nightly overwrite", "reading"
COLD, WARM, SOAK = "cold start", "warm refresh", "soak"
MARKED, UNMARKED = "1 % of the rows marked", "no marks"
AS_IT_COMES, AS_SPARK_STARTS = "everview refresh", "everview refresh, Spark started plainly"
AIMED_CHANGE = "mixed 0.1 %"
HAND_AIM = 1.0  # a refresh costs no more than what an expert writes
AUTO_AIM = 1.15  # AUTO costs no more than this many times the best forced way


@dataclass(frozen=True, slots=True)
class Cell:
    """One view under one change at one scale, and the runs of each contestant."""

    scale: float
    view: str
    change: str
    runs: Mapping[str, tuple[Run, ...]]

    def cpu(self, contestant: str) -> float | None:
        """The median of the CPU seconds, None if it did not run."""
        runs = self.runs.get(contestant, ())
        return median(r.cost.cpu for r in runs) if runs else None

    def wall(self, contestant: str) -> float:
        return median(r.cost.wall for r in self.runs[contestant])

    def reading(self, contestant: str) -> float | None:
        """The median CPU seconds of reading the view after the refresh."""
        found = [r.reading.cpu for r in self.runs.get(contestant, ()) if r.reading is not None]
        return median(found) if found else None

    def ratio(self, contestant: str, to: str = FULL, *, wall: bool = False) -> float | None:
        """The median over rounds of the ratio of CPU seconds (or of those on the clock) within a
        round, which cancels what slows all contestants of a round down; None if one of the two did
        not run.
        """

        def seconds(name: str) -> dict[int, float]:
            runs = self.runs.get(name, ())
            return {r.number: r.cost.wall if wall else r.cost.cpu for r in runs}

        mine, its = seconds(contestant), seconds(to)
        found = [mine[n] / its[n] for n in mine if its.get(n)]
        return median(found) if found else None

    def aim(self) -> float | None:
        """The ratio to the full recompute that is aimed at, where there is one."""
        if self.change != AIMED_CHANGE or self.view not in VIEWS:
            return None
        return VIEWS[self.view].aims.get(round(self.scale)) if self.scale >= 1 else None


def cells(runs: Iterable[Run]) -> list[Cell]:
    """The cells in the order in which they first appear."""
    found: dict[tuple[float, str, str], dict[str, list[Run]]] = {}
    for run in runs:
        by = found.setdefault((run.scale, run.cell, run.change), {})
        by.setdefault(run.contestant, []).append(run)
    return [
        Cell(*key, {c: tuple(by[c]) for c in sorted(by, key=_place)}) for key, by in found.items()
    ]


def _place(contestant: str) -> int:
    return CONTESTANTS.index(contestant) if contestant in CONTESTANTS else len(CONTESTANTS)


@dataclass(frozen=True, slots=True)
class AutoShare:
    """In how many cells AUTO was as good as the best forced way, nearly."""

    good: int
    all: int
    worst: tuple[str, float] | None  # the cell where it was furthest off, and by what ratio

    def __str__(self) -> str:
        """Nothing where AUTO was not measured against forced strategies."""
        if not self.all:
            return ""
        told = (
            f"AUTO within {AUTO_AIM} of the best forced strategy: {self.good} of {self.all} cells"
        )
        return (
            told if self.worst is None else f"{told}; worst {self.worst[0]} ({self.worst[1]:.2f})"
        )


def auto_share(found: Iterable[Cell]) -> AutoShare:
    """AUTO against the cheapest of what a policy can force: full, copy on write, merge on read."""
    ratios: dict[str, float] = {}
    for cell in found:
        forced = [c for way in (FULL, REWRITING, MARKING) if (c := cell.cpu(way)) is not None]
        auto = cell.cpu(AUTO)
        if auto is not None and len(forced) > 1 and min(forced) > 0:
            ratios[f"{cell.view}, {cell.change}"] = auto / min(forced)
    worst = max(ratios.items(), key=lambda pair: pair[1]) if ratios else None
    return AutoShare(sum(r <= AUTO_AIM for r in ratios.values()), len(ratios), worst)


def ours(cell: Cell) -> str | None:
    """The contestant of Everview that is held to the aims: what AUTO would take, else the
    cheapest that ran.
    """
    ran = {c: cpu for c in (REWRITING, MARKING, AUTO) if (cpu := cell.cpu(c)) is not None}
    if AUTO in ran:
        return AUTO
    return min(ran, key=lambda c: ran[c]) if ran else None


@dataclass(frozen=True, slots=True)
class Drift:
    """Of many refreshes in a row: the cost of the last against that of the first."""

    refreshes: int
    first: float
    last: float
    first_reading: float | None
    last_reading: float | None

    @property
    def ratio(self) -> float:
        return self.last / self.first


def drift(runs: Iterable[Run], part: int = 20) -> Drift | None:
    """Medians of the first and the last `part` runs of a soak; None where there are too few."""
    ordered = sorted(runs, key=lambda r: r.number)
    if len(ordered) < 2 * part:
        return None
    first, last = ordered[:part], ordered[-part:]
    return Drift(
        len(ordered),
        median(r.cost.cpu for r in first),
        median(r.cost.cpu for r in last),
        _reading(first),
        _reading(last),
    )


def _reading(runs: list[Run]) -> float | None:
    found = [r.reading.cpu for r in runs if r.reading is not None]
    return median(found) if found else None


@dataclass(frozen=True, slots=True)
class Growth:
    """How the cost of a change of fixed size grows with the tables."""

    view: str
    change: str
    contestant: str
    small: float  # scale factors
    large: float
    ratio: float


def growth(found: Iterable[Cell]) -> list[Growth]:
    """Of changes of a fixed number of rows: the largest scale against the smallest."""
    by: dict[tuple[str, str], list[Cell]] = {}
    for cell in found:
        if cell.view in VIEWS and " rows" in cell.change:
            by.setdefault((cell.view, cell.change), []).append(cell)
    grown = []
    for (view, change), some in by.items():
        small, large = min(some, key=_scale), max(some, key=_scale)
        for contestant in large.runs:
            low, high = small.cpu(contestant), large.cpu(contestant)
            if small.scale < large.scale and low and high is not None:
                ratio = high / low
                grown.append(Growth(view, change, contestant, small.scale, large.scale, ratio))
    return grown


def _scale(cell: Cell) -> float:
    return cell.scale
