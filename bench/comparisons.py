"""What scenarios are measured against, besides a full recompute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from bench.aims import (
    AS_IT_COMES,
    AS_SPARK_STARTS,
    AUTO,
    COLD,
    FULL,
    MARKED,
    MARKING,
    NIGHT,
    READING,
    REWRITING,
    STATEMENTS,
    UNMARKED,
    WARM,
    Cell,
)

WARM_AIM = 0.6  # seconds on the clock


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two contestants of a scenario, and what share of the second the first may cost."""

    one: str
    other: str
    aim: float


COMPARISONS = {
    STATEMENTS: Comparison(MARKING, REWRITING, 0.4),
    READING: Comparison(MARKED, UNMARKED, 1.5),
    COLD: Comparison(AS_IT_COMES, AS_SPARK_STARTS, 0.6),
    NIGHT: Comparison(AUTO, FULL, 1.0),
}


def comparison_lines(found: Iterable[Cell]) -> Iterator[str]:
    """A sentence for each scenario that ran."""
    for cell in found:
        wanted = COMPARISONS.get(cell.view)
        if wanted is not None:
            ratio = cell.ratio(wanted.one, wanted.other)
            wall = cell.ratio(wanted.one, wanted.other, wall=True)
            if ratio is not None and wall is not None:
                yield (
                    f"{cell.view}, {cell.change}: {wanted.one} takes {ratio:.2f} of the CPU and "
                    f"{wall:.2f} of the time of {wanted.other} (aim {wanted.aim:.2f})"
                )
        if cell.view == WARM:
            for name, runs in cell.runs.items():
                seconds = median(r.cost.wall for r in runs)
                yield (
                    f"{cell.view}, {cell.change}: {name} takes {seconds:.2f} s on the clock, the "
                    f"median of {len(runs)} in a row (aim {WARM_AIM:.2f})"
                )
