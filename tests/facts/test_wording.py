"""Numbers, sizes and times for a person."""

from __future__ import annotations

import pytest

from everview.facts.wording import ago, aligned, counted, seconds_text, size_text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (2_000_000, "2.0 MB"), (3 * 10**9, "3.0 GB")],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.00 s"),
        (0.04, "0.04 s"),
        (0.62, "0.6 s"),
        (9.94, "9.9 s"),
        (41.2, "41 s"),
        (119.6, "2 min 0 s"),
        (311, "5 min 11 s"),
        (3600 * 2 + 61, "2 h 1 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "now"),
        (1, "now"),
        (12, "12 s ago"),
        (125, "2 min ago"),
        (3600, "60 min ago"),
        (3 * 3600, "3 h ago"),
        (86_400, "1 day ago"),
        (3 * 86_400, "3 days ago"),
    ],
)
def test_times(seconds: int, text: str) -> None:
    assert ago(1_000_000, 1_000_000 + 1000 * seconds) == text


def test_counts() -> None:
    assert [counted(n, "row") for n in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]


def test_columns_stand_below_each_other() -> None:
    assert aligned([("a", "", "long"), ("bcd", "", "x")]) == ["a    long", "bcd  x"]
