"""Scenarios are told beside what they are compared with."""

from __future__ import annotations

from bench.aims import AUTO, COLD, FULL, MARKING, REWRITING, STATEMENTS, WARM, cells
from bench.comparisons import COMPARISONS, comparison_lines
from bench.measure import Cost, Run


def run(cell: str, contestant: str, cpu: float, wall: float, number: int = 0) -> Run:
    return Run(1.0, cell, "a change", contestant, Cost(cpu, wall), number=number)


def test_a_scenario_is_told_beside_its_aim() -> None:
    runs = [run(STATEMENTS, MARKING, 1.0, 3.0), run(STATEMENTS, REWRITING, 4.0, 4.0)]
    (line,) = comparison_lines(cells(runs))
    assert line == (
        f"statement, a change: {MARKING} takes 0.25 of the CPU and 0.75 of the time of "
        f"{REWRITING} (aim 0.40)"
    )


def test_warm_refreshes_are_told_by_the_clock() -> None:
    runs = [run(WARM, "everview", 9.0, wall, n) for n, wall in enumerate((0.2, 0.3, 0.7))]
    (line,) = comparison_lines(cells(runs))
    assert line.startswith("warm refresh, a change: everview takes 0.30 s on the clock")


def test_views_and_scenarios_of_one_contestant_are_not_told() -> None:
    alone = COMPARISONS[COLD].one
    runs = [run("by_order", AUTO, 1.0, 1.0), run("by_order", FULL, 2.0, 2.0)]
    assert list(comparison_lines(cells([*runs, run(COLD, alone, 1.0, 1.0)]))) == []
