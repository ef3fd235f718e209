"""Which columns are compared within a bound, and which not at all."""

from __future__ import annotations

import pytest

from everview.plan.loose import Loose, loose_columns
from tests.plan.test_choose import shape


@pytest.mark.parametrize(
    ("call", "type_", "expected"),
    [
        ("sum(a)", "long", Loose()),
        ("sum(a)", "double", Loose(near=frozenset({"x"}))),
        ("avg(a) + 1", "double", Loose(near=frozenset({"x"}))),
        ("collect_list(a)", "long", Loose(free=frozenset({"x"}))),
        ("sum(a) + stddev(a)", "double", Loose(free=frozenset({"x"}))),
        ("sum(DISTINCT a)", "double", Loose(free=frozenset({"x"}))),
        ("sum(DISTINCT a)", "long", Loose()),
        ("median(a)", "double", Loose()),
        ("sum(a)", "decimal(38,10)", Loose()),
        ("sum(a)", "interval day to second", Loose()),
    ],
)
def test_of_an_aggregate(call: str, type_: str, expected: Loose) -> None:
    found = shape(f"SELECT b, {call} AS x FROM t GROUP BY b", type_)
    assert loose_columns(found, ("b", "x")) == expected
