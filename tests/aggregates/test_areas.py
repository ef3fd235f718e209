"""Work areas: new values of a group from old ones and changes."""

from __future__ import annotations

from typing import Any

import pytest

from everview.aggregates.areas import SumTypes, count_area, extreme_area, sum_area
from everview.algebra.calls import Extreme
from everview.algebra.meaning.scalars import Raised, value
from everview.algebra.scalars import Cast, Constant, Ref, Scalar, walk
from tests.aggregates.upkeeps import X


def constants(values: tuple[Any, ...]) -> tuple[Scalar, ...]:
    return tuple(Constant(str(v), v) for v in values)


def merged(area: Any, old: tuple[Any, ...], deltas: tuple[Any, ...]) -> list[Any]:
    return [value(s, {}) for s in area.merge(constants(old), constants(deltas))]


def empty(area: Any) -> tuple[Any, ...]:
    return tuple(value(s, {}) for s in area.empty)


def test_a_count_adds_up() -> None:
    area = count_area(X)
    assert merged(area, empty(area), (3,)) == [3]
    assert merged(area, (3,), (-3,)) == [0]
    assert merged(area, (3,), (None,)) == [3]


LONGS = SumTypes("", "long", "decimal(38,0)")
FLOATS = SumTypes("", "double", "double")


@pytest.mark.parametrize(
    ("old", "deltas", "new"),
    [
        ((0, None), (2, 7), [2, 7]),
        ((2, 7), (-2, -7), [0, None]),
        ((2, 7), (0, 5), [2, 12]),
        ((2, 7), (0, None), [2, 7]),
        ((0, None), (0, None), [0, None]),
    ],
)
def test_a_sum_is_null_when_nothing_is_left_to_add(old: Any, deltas: Any, new: list[Any]) -> None:
    assert merged(sum_area(X, LONGS), old, deltas) == new


def test_a_stored_sum_that_overflowed_is_never_added_to() -> None:
    with pytest.raises(Raised, match="overflow"):
        merged(sum_area(X, LONGS), (1, None), (1, 5))


def test_longs_are_added_wide_and_narrowed_at_the_end_so_that_an_overflow_shows() -> None:
    _, total = sum_area(X, LONGS).merge((Ref(1), Ref(2)), (Ref(3), Ref(4)))
    casts = [s.type for s in walk(total) if isinstance(s, Cast)]
    assert "decimal(38,0)" in casts
    assert "long" in casts
    _, total = sum_area(X, SumTypes("", "decimal(20,2)", "decimal(20,2)")).merge(
        (Ref(1), Ref(2)), (Ref(3), Ref(4))
    )
    assert {s.type for s in walk(total) if isinstance(s, Cast)} == {"decimal(20,2)"}


def test_sums_of_floats_are_recomputed_after_deletions_only() -> None:
    area = sum_area(X, FLOATS)
    assert [d.function for d in area.deltas] == ["weight", "sum", "removed"]
    assert area.recompute is not None
    assert value(area.recompute(constants((-1, -0.5, 1))), {}) is True
    assert value(area.recompute(constants((1, 0.5, 0))), {}) is False
    assert not area.exact


def test_exact_sums_are_recomputed_where_the_changes_alone_overflow() -> None:
    area = sum_area(X, LONGS)
    assert [d.function for d in area.deltas] == ["weight", "sum", "overflowed"]
    assert area.recompute is not None
    assert value(area.recompute(constants((-1, None, 1))), {}) is True
    assert value(area.recompute(constants((-1, -5, 0))), {}) is False
    assert area.exact


def test_a_sum_and_a_mean_of_longs_are_kept_apart() -> None:
    """The mean of longs is over an exact sum, the sum of longs overflows as Spark's does."""
    assert sum_area(X, LONGS).name != sum_area(X, SumTypes("decimal(20,0)", "x", "y")).name


@pytest.mark.parametrize(
    ("extreme", "old", "deltas", "new", "lost"),
    [
        # stored: the extreme and its copies; changes: the best inserted and deleted, with copies
        ("max", (None, 0), (5, 2, None, 0), [5, 2], False),
        ("max", (5, 2), (7, 1, None, 0), [7, 1], False),
        ("max", (5, 2), (5, 1, None, 0), [5, 3], False),
        ("max", (5, 2), (4, 9, 5, 1), [5, 1], False),
        ("max", (5, 2), (None, 0, 5, 2), [5, 0], True),
        ("max", (5, 2), (4, 9, 5, 2), [5, 0], True),
        ("max", (5, 2), (None, 0, 3, 8), [5, 2], False),
        ("min", (5, 2), (4, 1, 5, 2), [4, 1], False),
        ("min", (5, 2), (6, 1, 5, 2), [5, 0], True),
        ("min", (None, 0), (None, 0, None, 0), [None, 0], False),
        ("max", (None, 0), (5, 1, 9, 1), [5, 1], True),  # not net: better recomputed than wrong
    ],
)
def test_an_extreme_keeps_its_copies_until_it_is_lost(
    extreme: Extreme, old: Any, deltas: Any, new: list[Any], lost: bool
) -> None:
    area = extreme_area(X, "long", extreme)
    assert merged(area, old, deltas) == new
    assert area.lost is not None
    assert (value(area.lost(constants(old), constants(deltas)), {}) is True) == lost
