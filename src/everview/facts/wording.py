"""Numbers, sizes and times the way a person says them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def size_text(size: int) -> str:
    """Bytes, in the unit that leaves one to three digits before the point."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


def seconds_text(seconds: float) -> str:
    """A duration with the digits that matter: 0.04 s, 0.6 s, 41 s, 5 min 11 s."""
    if seconds < 0.1:
        return f"{seconds:.2f} s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 2 * _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def ago(then_ms: int, now_ms: int) -> str:
    """How long ago, in the largest unit that fits: 12 s ago, 2 min ago, 1 day ago."""
    seconds = (now_ms - then_ms) // 1000
    if seconds < 2:
        return "now"
    if seconds < 2 * _MINUTE:
        return f"{seconds} s ago"
    if seconds < 2 * _HOUR:
        return f"{seconds // _MINUTE} min ago"
    if seconds < _DAY:
        return f"{seconds // _HOUR} h ago"
    return f"{counted(seconds // _DAY, 'day')} ago"


def counted(number: int, word: str) -> str:
    """`1 row`, `1,200 rows`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, each column as wide as its widest cell, two spaces between; a column of
    empty cells is left out.
    """
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [max(map(len, column)) for column in columns]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in zip(*columns, strict=True)]


def passes_off_text(names: Iterable[str]) -> str:
    """`passes off: join_order, small_sides`."""
    return f"passes off: {', '.join(sorted(names))}"
