"""Which columns are compared within a bound, and which not at all."""

from __future__ import annotations

import pytest

from everview.shape.loose import Loose, loose_columns
from tests.choose.shapes import shape


@pytest.mark.parametrize(
    ("call", "type_", "expected"),
    [
        ("sum(a)", "long", Loose()),
        ("sum(a)", "double", Loose(near=frozenset({"x"}))),
        ("avg(a) + 1", "double", Loose(near=frozenset({"x"}))),
        ("collect_list(a)", "long", Loose(free=frozenset({"x"}))),
        ("sum(a) + stddev(a)", "double", Loose(near=frozenset({"x"}))),
        ("sum(a) + skewness(a)", "double", Loose(free=frozenset({"x"}))),
        ("var_pop(a)", "long", Loose(near=frozenset({"x"}))),
        ("stddev(DISTINCT a)", "double", Loose(free=frozenset({"x"}))),
        ("stddev(a) FILTER (WHERE a > 1)", "double", Loose(free=frozenset({"x"}))),
        ("sum(DISTINCT a)", "double", Loose(free=frozenset({"x"}))),
        ("sum(DISTINCT a)", "long", Loose()),
        ("median(a)", "double", Loose()),
        ("sum(a)", "decimal(38,10)", Loose()),
        ("sum(a)", "interval day to second", Loose()),
    ],
)
def test_of_an_aggregate(call: str, type_: str, expected: Loose) -> None:
    found = shape(f"SELECT b, {call} AS x FROM t GROUP BY b", type_)
    assert loose_columns(found) == expected


@pytest.mark.parametrize(
    ("call", "condition", "free"),
    [
        ("row_number() OVER (PARTITION BY b ORDER BY a)", "", {"x"}),
        ("row_number() OVER (PARTITION BY b ORDER BY a)", "WHERE x = 1", {"a", "x"}),
        ("sum(a) OVER (PARTITION BY b)", "", {"x"}),
        (
            "rank() OVER (PARTITION BY b ORDER BY a) + lag(a) OVER (PARTITION BY b ORDER BY a)",
            "",
            {"x"},
        ),
    ],
)
def test_of_windows(call: str, condition: str, free: set[str]) -> None:
    sql = f"SELECT a, b, x FROM (SELECT a, b, {call} AS x FROM t) {condition}"
    assert loose_columns(shape(sql, "double")) == Loose(free=frozenset(free))


def test_what_is_made_of_loose_values_is_loose() -> None:
    totals = "SELECT a, b, sum(a) AS s FROM t GROUP BY a, b"
    sql = f"SELECT b, max(s) AS m, count(*) AS n, max(a) AS k FROM ({totals}) GROUP BY b"
    found = loose_columns(shape(sql, "double"))
    assert found == Loose(free=frozenset({"m"}))
    above = f"SELECT b, s, lag(a) OVER (PARTITION BY b ORDER BY s) AS l, 1 + s AS p FROM ({totals})"
    found = loose_columns(shape(above, "double"))
    assert found == Loose(free=frozenset({"s", "l", "p"}))
