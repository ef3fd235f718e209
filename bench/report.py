"""The measurements as a table and as a plot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.measure import Measured

WAYS = ("full recompute", "by hand", "everview")
COLOURS = {"full recompute": "#b8b8c0", "by hand": "#7aa6c2", "everview": "#2f7d5b"}
_BAR, _GAP, _LEFT, _WIDTH = 15, 18, 250, 640


def cells(found: list[Measured]) -> Iterator[tuple[str, str, dict[str, list[Measured]]]]:
    """Per view and change the runs by way, in order of their first appearance."""
    for view, change in dict.fromkeys((m.view, m.change) for m in found):
        some = [m for m in found if (m.view, m.change) == (view, change)]
        ways = {way: [m for m in some if m.way == way] for way in WAYS}
        yield view, change, {way: runs for way, runs in ways.items() if runs}


def table(found: list[Measured]) -> str:
    """Medians; the ratio is of CPU seconds to those of the full recompute."""
    head = f"{'view':13}{'change':24}{'way':16}{'actions':>8}{'CPU s':>8}{'wall s':>8}{'ratio':>7}"
    lines = [head, "-" * len(head)]
    for view, change, ways in cells(found):
        base = cpu(ways["full recompute"])
        for way, runs in ways.items():
            wall = median(m.wall_seconds for m in runs)
            lines.append(
                f"{view:13}{change:24}{way:16}{runs[-1].actions:>8}{cpu(runs):>8.1f}{wall:>8.1f}"
                f"{cpu(runs) / base:>7.2f}"
            )
    return "\n".join(lines)


def profile(found: list[Measured]) -> str:
    """Where Everview's own wall seconds went, step by step."""
    lines = ["where the seconds of everview went (wall)"]
    for view, change, ways in cells(found):
        steps = ways["everview"][-1].steps
        shown = ", ".join(f"{n} {s:.2f}" for n, s in sorted(steps.items(), key=lambda x: -x[1]))
        lines.append(f"  {view:13}{change:24}{shown}")
    return "\n".join(lines)


def cpu(runs: list[Measured]) -> float:
    return median(m.cpu_seconds for m in runs)


def plot(found: list[Measured], path: Path) -> None:
    """CPU seconds as a share of the full recompute's, one group of bars per view and change."""
    rows: list[str] = []
    top = 60
    longest = max(
        cpu(runs) / cpu(ways["full recompute"])
        for _, _, ways in cells(found)
        for runs in ways.values()
    )
    scale = (_WIDTH - 110) / max(1.0, longest)
    for view, change, ways in cells(found):
        middle = top + 1.5 * _BAR
        rows.append(_text(_LEFT - 12, middle - 2, view, "end", "bold"))
        rows.append(_text(_LEFT - 12, middle + 13, change, "end"))
        for way, runs in ways.items():
            share = cpu(runs) / cpu(ways["full recompute"])
            rows.append(
                f'<rect x="{_LEFT}" y="{top}" width="{share * scale:.1f}" height="{_BAR - 2}" '
                f'fill="{COLOURS[way]}"/>'
            )
            said = f"{share:.2f}  ({cpu(runs):.1f} s)"
            rows.append(_text(_LEFT + share * scale + 5, top + 11, said))
            top += _BAR
        top += _GAP
    legend = "".join(
        f'<rect x="{_LEFT + i * 150}" y="34" width="12" height="12" fill="{COLOURS[w]}"/>'
        + _text(_LEFT + i * 150 + 18, 44, w)
        for i, w in enumerate(WAYS)
    )
    title = _text(20, 20, "CPU seconds of a refresh, as a share of the full recompute", "", "bold")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH}" height="{top}" '
        f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
        f"{title}{legend}{''.join(rows)}</svg>\n"
    )


def _text(x: float, y: float, said: str, anchor: str = "", weight: str = "") -> str:
    given = f' text-anchor="{anchor}"' if anchor else ""
    given += f' font-weight="{weight}"' if weight else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#222"{given}>{said}</text>'
