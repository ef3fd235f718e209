"""Which views a pattern means."""

from __future__ import annotations

import pytest

from everview.cli.select import selected
from everview.errors import UnknownName

VIEWS = ["by_day", "by_month", "City", "top"]
SOURCES = {"by_day": ["sales"], "by_month": ["BY_DAY"], "top": ["by_month"], "City": ["stores"]}


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["by_*"], ["by_day", "by_month"]),
        (["city"], ["City"]),
        (["CITY", "by_day"], ["by_day", "City"]),
        (["*"], VIEWS),
        (["by_day+"], ["by_day", "by_month", "top"]),
        (["by_month+"], ["by_month", "top"]),
        (["c*+"], ["City"]),
        (["*+", "top"], VIEWS),
        (["[bc]*y"], ["by_day", "City"]),
        ([], []),
    ],
)
def test_selected(patterns: list[str], found: list[str]) -> None:
    assert selected(patterns, VIEWS, SOURCES) == found


@pytest.mark.parametrize("pattern", ["nope", "sales", "by", "+", ""])
def test_a_pattern_that_matches_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(UnknownName, match="by_day, by_month, City, top"):
        selected(["top", pattern], VIEWS, SOURCES)


def test_views_that_read_each_other_end() -> None:
    assert selected(["a+"], ["a", "b"], {"a": ["b"], "b": ["a"]}) == ["a", "b"]
