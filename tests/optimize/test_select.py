"""A stored file is left out only where its bounds exclude every key."""

from __future__ import annotations

import math
from datetime import date
from random import Random
from typing import Any

import pytest

from everview.algebra.ranges import Range
from everview.facts.files import Bounds, DataFile, InlineFile
from everview.optimize.select import (
    KeyValues,
    admits,
    files_overlapping,
    files_with_keys,
    ranges_that_cut,
)

NAN = math.nan


def file(name: str, **bounds: Bounds) -> DataFile:
    return DataFile(name, 1, 1, bounds=tuple(bounds.items()))


LOW, HIGH = file("low", k=Bounds(1, 5, 0)), file("high", k=Bounds(6, 9, 2))
UNKNOWN = file("unknown")


def chosen(keys: list[KeyValues], *files: DataFile, columns: tuple[str, ...] = ("k",)) -> list[str]:
    return [f.path for f in files_with_keys(files, columns, keys)]


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ([(1,)], ["low", "unknown"]),
        ([(5,), (6,)], ["low", "high", "unknown"]),
        ([(0,), (10,)], ["unknown"]),
        ([(None,)], ["high", "unknown"]),
        ([(None,), (3,)], ["low", "high", "unknown"]),
        ([], []),
    ],
)
def test_ranges_and_nulls(keys: list[KeyValues], names: list[str]) -> None:
    assert chosen(keys, LOW, HIGH, UNKNOWN) == names


def test_without_key_columns_every_file_is_taken() -> None:
    assert chosen([], LOW, UNKNOWN, columns=()) == ["low", "unknown"]


def test_rows_in_memory_are_their_own_bounds() -> None:
    inline = InlineFile("m", ("k",), ((1,), (9,)))
    assert files_with_keys((inline,), ("k",), [(7,)]) == (inline,)
    assert files_with_keys((inline,), ("k",), [(10,)]) == ()


@pytest.mark.parametrize(
    ("bounds", "value", "held"),
    [
        (Bounds(1, None, 0), 0, True),
        (Bounds(None, 5, 0), 9, True),
        (Bounds(1, 5, None), None, True),
        (Bounds(1, 5, 0), None, False),
        (Bounds(date(2026, 1, 1), date(2026, 2, 1)), date(2026, 3, 1), False),
        (Bounds(False, True), True, True),
        (Bounds(0.0, 0.0), -0.0, True),
    ],
)
def test_one_value(bounds: Bounds, value: Any, held: bool) -> None:
    assert admits(bounds, value) is held


def test_nan_is_within_no_known_bounds() -> None:
    known, unknown = file("known", k=Bounds(1.0, 5.0, 0)), file("unknown", k=Bounds(nulls=0))
    assert chosen([(NAN,)], known, unknown) == ["unknown"]
    assert chosen([(NAN,), (2.0,)], known, unknown) == ["known", "unknown"]


def test_a_bound_that_is_nan_says_nothing() -> None:
    odd = file("odd", k=Bounds(1.0, NAN, 0))
    assert chosen([(2.0,)], odd) == ["odd"]
    assert chosen([(NAN,)], odd) == ["odd"]


BOX = file("box", k=Bounds(1, 5, 1), l=Bounds("b", "d", 0))


@pytest.mark.parametrize(
    ("key", "held"),
    [
        ((1, "b"), True),
        ((1, "a"), False),
        ((6, "c"), False),
        ((None, "c"), True),
        ((None, "a"), False),
        ((1, None), False),
    ],
)
def test_composite_keys_are_selected_by_their_box(key: KeyValues, held: bool) -> None:
    assert bool(chosen([key], BOX, columns=("k", "l"))) is held


def test_many_keys_against_one_by_one() -> None:
    rng = Random(1)
    for _ in range(300):
        files = [
            file(
                f"f{i}",
                k=Bounds(*sorted((rng.randint(0, 9), rng.randint(0, 9))), rng.choice((0, 1, None))),
                l=rng.choice((Bounds(), Bounds(2, 4, 0), Bounds(0, 9))),
            )
            for i in range(5)
        ]
        values = (None, *range(10))
        keys = [(rng.choice(values), rng.choice(values)) for _ in range(rng.randint(0, 4))]
        one_by_one = [
            f.path
            for f in files
            if any(admits(f.bounds_of("k"), a) and admits(f.bounds_of("l"), b) for a, b in keys)
        ]
        assert chosen(keys, *files, columns=("k", "l")) == one_by_one


@pytest.mark.parametrize(
    ("others", "names"),
    [
        ([file("new", k=Bounds(10, 12, 0))], ["unknown"]),
        ([file("new", k=Bounds(5, 5, 0))], ["low", "unknown"]),
        ([file("new", k=Bounds(0, 20, 0))], ["low", "high", "unknown"]),
        ([file("new", k=Bounds(0, 0, 0)), file("next", k=Bounds(9, 9, 0))], ["high", "unknown"]),
        ([UNKNOWN], ["low", "high", "unknown"]),
        ([file("new", k=Bounds(NAN, NAN, 0))], ["low", "high", "unknown"]),
        ([], []),
    ],
)
def test_files_that_overlap_others(others: list[DataFile], names: list[str]) -> None:
    found = files_overlapping((LOW, HIGH, UNKNOWN), tuple(others), ("k",))
    assert [f.path for f in found] == names


def test_boxes_overlap_in_every_column() -> None:
    stored = file("stored", k=Bounds(1, 5, 0), d=Bounds(1, 1, 0))
    apart = file("apart", k=Bounds(2, 2, 0), d=Bounds(2, 2, 0))
    assert files_overlapping((stored,), (apart,), ("k", "d")) == ()
    assert files_overlapping((stored,), (apart,), ("k",)) == (stored,)


@pytest.mark.parametrize(
    ("range_", "kept"),
    [
        (Range(40, 60), True),
        (Range(3, 97), False),
        (Range(-500, 55), False),
        (Range(90, 500), True),
        (Range(7, 7), True),
    ],
)
def test_a_range_that_keeps_nearly_all_rows_is_no_filter(range_: Range, kept: bool) -> None:
    files = (file("one", k=Bounds(1, 60, 0)), file("two", k=Bounds(40, 100, 0)))
    assert ranges_that_cut({"k": range_}, files) == ({"k": range_} if kept else {})


def test_where_bounds_are_not_known_a_range_is_a_filter() -> None:
    files = (file("one", k=Bounds(1, 60, 0)), UNKNOWN)
    assert ranges_that_cut({"k": Range(1, 100)}, files) == {"k": Range(1, 100)}


def test_a_range_of_texts_is_left_out_if_it_holds_all() -> None:
    files = (file("one", k=Bounds("b", "y", 0)),)
    assert ranges_that_cut({"k": Range("a", "z")}, files) == {}
    assert ranges_that_cut({"k": Range("c", "z")}, files) == {"k": Range("c", "z")}
