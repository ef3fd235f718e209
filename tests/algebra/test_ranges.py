"""Ranges and sets of values hold what they are made of, and no more than they may."""

from __future__ import annotations

import random

import pytest

from everview.algebra import ranges
from everview.algebra.ranges import Range

VALUES = (None, 0, 1, 2, 3, 4, 5)


def drawn(random_: random.Random) -> Range:
    null = random_.random() < 0.4
    if random_.random() < 0.5:
        some = random_.sample(range(6), random_.choice((0, 1, 2, 3)))
        return Range.of_values(frozenset(some), null=null)
    low = random_.randrange(6)
    return Range(low, random_.randrange(low, 6), null)


def held(range_: Range) -> set[int | None]:
    return {v for v in VALUES if range_.holds(v)}


@pytest.mark.parametrize("seed", range(300))
def test_what_is_in_one_is_in_the_hull_and_what_is_in_both_in_the_cut(seed: int) -> None:
    random_ = random.Random(seed)
    one, other = drawn(random_), drawn(random_)
    assert held(one.cut(other)) == held(one) & held(other)
    hull = held(one.hull(other))
    assert hull >= held(one) | held(other)
    if one.values is not None and other.values is not None:
        assert hull == held(one) | held(other)
    assert held(one.without_null()) == held(one) - {None}


def test_many_values_become_the_range_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "MOST_VALUES", 3)
    few, more = (Range.of_values(frozenset(v), null=False) for v in ({1, 5}, {3, 9}))
    assert few.hull(more) == Range(1, 9)
    assert few.hull(few) == few


@pytest.mark.parametrize(
    ("range_", "text"),
    [
        (Range(3, 5), "3 to 5"),
        (Range(3, 3, null=True), "3 or NULL"),
        (Range.of_values(frozenset({3, 5, 9}), null=False), "3 to 9"),
        (Range.of_values(frozenset(), null=True), "NULL"),
        (Range.of_values(frozenset(), null=False), "none"),
    ],
)
def test_as_text(range_: Range, text: str) -> None:
    assert str(range_) == text
