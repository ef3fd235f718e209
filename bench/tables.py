"""The results as tables of plain text, beside the aims."""

from __future__ import annotations

from collections.abc import Iterator

from bench.aims import (
    FULL,
    HAND,
    HAND_AIM,
    Cell,
    auto_share,
    cells,
    drift,
    growth,
    ours,
)
from bench.comparisons import comparison_lines
from bench.results import Results
from bench.views import VIEWS

SOAK = "soak: "


def summary(results: Results) -> str:
    """Every cell, then the aims, then what follows of several cells."""
    if not results.runs:
        return "nothing was measured"
    found = cells(r for r in results.runs if not r.cell.startswith(SOAK))
    parts = [costs_table(found), aims_table(found), str(auto_share(found))]
    parts += ["\n".join(comparison_lines(found))]
    parts += growth_lines(found) + soak_lines(results)
    parts += [f"not available: {name} ({why})" for name, why in results.unavailable.items()]
    if results.left_out:
        parts.append(f"left out for lack of time: {', '.join(results.left_out)}")
    return "\n\n".join(p for p in parts if p)


def costs_table(found: list[Cell]) -> str:
    """Medians of every contestant in every cell."""
    head = (
        f"{'SF':>4} {'view':18}{'change':24}{'contestant':26}{'actions':>8}{'CPU s':>8}"
        f"{'wall s':>8}{'MB in':>8}{'MB out':>8}{'of full':>9}{'of hand':>9}{'read s':>8}"
    )
    lines = [head, "-" * len(head)]
    for cell in found:
        for name, runs in cell.runs.items():
            last = runs[-1]
            lines.append(
                f"{cell.scale:>4g} {cell.view:18}{cell.change:24}{name:26}{last.said.actions:>8}"
                f"{cell.cpu(name) or 0:>8.2f}{cell.wall(name):>8.2f}"
                f"{last.cost.read / 1e6:>8.0f}{last.cost.written / 1e6:>8.0f}"
                f"{number(cell.ratio(name)):>9}{number(cell.ratio(name, HAND)):>9}"
                f"{number(cell.reading(name)):>8}"
            )
    return "\n".join(lines)


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def aim_rows(found: list[Cell]) -> Iterator[tuple[str, ...]]:
    """Scale, view, contestant, ratio to full, its aim, ratio to the hand-written one, its aim,
    and whether both are met.
    """
    for cell in found:
        aim, name = cell.aim(), ours(cell)
        if aim is None or name is None:
            continue
        ratio, hand = cell.ratio(name), cell.ratio(name, HAND)
        met = ratio is not None and ratio <= aim and (hand is None or hand <= HAND_AIM)
        yield (
            f"{cell.scale:g}",
            cell.view,
            name,
            number(ratio),
            number(aim),
            number(hand),
            number(None if hand is None else HAND_AIM),
            "met" if met else "not met",
        )


def aims_table(found: list[Cell]) -> str:
    """What was aimed at beside what was measured."""
    rows = list(aim_rows(found))
    if not rows:
        return ""
    head = ("SF", "view", "contestant", "of full", "aim", "of hand", "aim", "")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = [
        "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) for row in (head, *rows)
    ]
    return "\n".join(["aims, mixed change of 0.1 %", *(line.rstrip() for line in lines)])


def growth_lines(found: list[Cell]) -> list[str]:
    """The same number of rows at two scales."""
    lines = [
        f"{g.change}, {g.view}, {g.contestant}: SF {g.large:g} costs {g.ratio:.2f} times "
        f"SF {g.small:g}"
        for g in growth(found)
        if g.contestant != FULL
    ]
    return ["\n".join(["growth", *lines])] if lines else []


def soak_lines(results: Results) -> list[str]:
    """The last of many refreshes against the first."""
    lines = []
    for view in VIEWS:
        for name in dict.fromkeys(r.contestant for r in results.runs):
            runs = [r for r in results.runs if (r.cell, r.contestant) == (SOAK + view, name)]
            found = drift(runs)
            if found is not None:
                lines.append(
                    f"{view}, {name}: {found.refreshes} refreshes, CPU of the last 20 "
                    f"{found.last:.2f} s, of the first 20 {found.first:.2f} s ({found.ratio:.2f}); "
                    f"reading {number(found.last_reading)} s, {number(found.first_reading)} s"
                )
    return ["\n".join(["soak", *lines])] if lines else []
