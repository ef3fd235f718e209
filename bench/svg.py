"""Bars and lines as small pictures, written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from bench.aims import AUTO, DELTA, FULL, HAND, MARKING, REWRITING

COLOURS = {
    FULL: "#b8b8c0",
    HAND: "#7aa6c2",
    DELTA: "#c28f5a",
    REWRITING: "#2f7d5b",
    MARKING: "#7cc3a0",
    AUTO: "#14492f",
}
OTHER = "#555"
_BAR, _GAP, _LEFT, _WIDTH = 13, 16, 190, 700


def bars(title: str, groups: Mapping[str, Mapping[str, float]], unit: str = "") -> str:
    """One group of bars per name, one bar per contestant."""
    longest = max((v for bars in groups.values() for v in bars.values()), default=1.0) or 1.0
    scale = (_WIDTH - 90) / longest
    top, rows = 56, []
    for name, values in groups.items():
        middle = top + len(values) * _BAR / 2 + 4
        rows.append(_text(_LEFT - 10, middle, name, "end", bold=True))
        for contestant, value in values.items():
            width = max(1.0, value * scale)
            rows.append(_rect(_LEFT, top, width, _BAR - 2, COLOURS.get(contestant, OTHER)))
            rows.append(_text(_LEFT + width + 5, top + 10, f"{value:.2f}{unit}"))
            top += _BAR
        top += _GAP
    shown = dict.fromkeys(c for values in groups.values() for c in values)
    return _picture(title, list(shown), rows, top)


def lines(title: str, series: Mapping[str, Sequence[float]]) -> str:
    """One line per contestant over the number of the refresh."""
    high = max((max(values) for values in series.values() if values), default=1.0) or 1.0
    longest = max((len(values) for values in series.values()), default=2)
    height, left, bottom = 220, 60, 290
    rows = [_text(left - 8, bottom - height + 4, f"{high:.1f} s", "end")]
    rows += [_text(left - 8, bottom + 4, "0", "end"), _rect(left, bottom, _WIDTH, 1, OTHER)]
    for contestant, values in series.items():
        step = _WIDTH / max(1, longest - 1)
        points = " ".join(
            f"{left + i * step:.1f},{bottom - v / high * height:.1f}" for i, v in enumerate(values)
        )
        colour = COLOURS.get(contestant, OTHER)
        rows.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    rows.append(_text(left + _WIDTH, bottom + 16, f"refresh {longest}", "end"))
    return _picture(title, list(series), rows, bottom + 24)


def _picture(title: str, shown: list[str], rows: list[str], height: float) -> str:
    each = 148
    legend = "".join(
        _rect(20 + i * each, 30, 11, 11, COLOURS.get(name, OTHER))
        + _text(36 + i * each, 40, name.replace("everview, ", ""))
        for i, name in enumerate(shown)
    )
    width = _LEFT + _WIDTH
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}" '
        f'viewBox="0 0 {width} {height:.0f}" font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="white"/>{_text(20, 18, title, bold=True)}{legend}'
        f"{''.join(rows)}</svg>\n"
    )


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
    )


def _text(x: float, y: float, said: str, anchor: str = "", *, bold: bool = False) -> str:
    given = f' text-anchor="{anchor}"' if anchor else ""
    given += ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#222"{given}>{escape(said)}</text>'
