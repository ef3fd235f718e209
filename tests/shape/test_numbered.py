"""Rows that row_number() counts, and keys of rows that tie: what may be stored."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everview.algebra.meaning.plans import State, rows
from everview.algebra.relations import At
from everview.shape.choices import OneOf, Unordered, choices
from everview.shape.grouped import Grouped
from everview.shape.numbered import Numbered, numbered
from everview.shape.shape import Keyed
from everview.shape.ties import tied_keys
from tests.choose.shapes import shape

# Of "x" the first two tie, of "y" the last two, of "z" none.
ROWS = ((1, "x"), (1, "x"), (2, "x"), (1, "y"), (3, "y"), (3, "y"), (5, "z"))
STATE = State({("t", At.NEW): ROWS})
NUMBERED = "SELECT a, b, row_number() OVER (PARTITION BY b ORDER BY a) AS n FROM t"


def found(sql: str) -> Numbered | None:
    kind = shape(sql)
    assert isinstance(kind, Grouped)
    return numbered(kind)


def candidates(of: Numbered | None) -> dict[tuple[object, ...], int]:
    assert of is not None
    return dict(rows(of.candidates, STATE))


def test_every_row_has_the_numbers_that_it_may_have() -> None:
    of = found(NUMBERED)
    assert candidates(of) == {
        (1, "x", 1, 1, 2): 2,
        (2, "x", 3, 3, 3): 1,
        (1, "y", 1, 1, 1): 1,
        (3, "y", 2, 2, 3): 2,
        (5, "z", 1, 1, 1): 1,
    }
    assert of is not None
    assert (of.low, of.high, of.shown, of.cuts) == (1, None, (2,), False)


def test_the_rows_that_tie_at_the_cut_may_all_be_stored() -> None:
    of = found(f"SELECT a, b, n AS m FROM ({NUMBERED}) WHERE n = 1")
    assert candidates(of) == {
        (1, "x", 1, 1, 2): 2,
        (1, "y", 1, 1, 1): 1,
        (5, "z", 1, 1, 1): 1,
    }
    assert of is not None
    assert (of.low, of.high, of.shown, of.cuts) == (1, 1, (), True)


@pytest.mark.parametrize(
    ("condition", "low", "high"),
    [
        ("n <= 2", 1, 2),
        ("n < 3 AND b > 'a'", 1, 2),
        ("3 > n AND n >= 2", 2, 2),
        ("1 < n", 2, None),
        ("2 = n", 2, 2),
        ("n <=> 2 AND n <= 5", 2, 2),
        ("2 >= n AND 1 <= n", 1, 2),
    ],
)
def test_the_numbers_that_conditions_let_pass(condition: str, low: int, high: int | None) -> None:
    of = found(f"SELECT a, b FROM ({NUMBERED}) WHERE {condition}")
    assert of is not None
    assert (of.low, of.high) == (low, high)
    for *_, first, last in candidates(of):
        assert isinstance(first, int)
        assert isinstance(last, int)
        assert last >= low
        assert high is None or first <= high


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT a, b FROM ({NUMBERED}) WHERE n % 2 = 1",
        f"SELECT a, b FROM ({NUMBERED}) WHERE n <> 1",
        f"SELECT a, b FROM ({NUMBERED}) WHERE n = 1 OR b = 'x'",
        f"SELECT a, n + 1 AS m FROM ({NUMBERED}) WHERE n <= 2",
        "SELECT a, b, lag(a) OVER (PARTITION BY b ORDER BY a) AS l FROM t",
        """SELECT a, row_number() OVER (PARTITION BY b ORDER BY a) AS n,
            row_number() OVER (PARTITION BY b ORDER BY a DESC) AS m FROM t""",
    ],
)
def test_other_uses_of_a_number_are_left_to_the_ties(sql: str) -> None:
    assert found(sql) is None


def test_the_keys_of_rows_that_tie() -> None:
    kind = shape("SELECT a, lag(a) OVER (PARTITION BY b ORDER BY a) AS l FROM t")
    assert isinstance(kind, Grouped)
    (tied,) = tied_keys(kind)
    assert set(rows(tied, STATE)) == {("x",), ("y",)}


def test_each_order_is_looked_at_also_above_a_projection() -> None:
    below = "SELECT b AS k, a, lag(a) OVER (PARTITION BY b ORDER BY a) AS l FROM t"
    kind = shape(f"SELECT k, lead(l) OVER (PARTITION BY k ORDER BY a DESC, k) AS m FROM ({below})")
    assert isinstance(kind, Grouped)
    assert len(tied_keys(kind)) == 2


def test_what_an_aggregate_may_be() -> None:
    kind = shape(
        """SELECT b, collect_list(a) AS c, first(a) AS f, max_by(a, b) AS m, mode(a) AS o,
            size(collect_set(a)) AS s, first(a, true) AS p, count(*) AS n FROM t GROUP BY b"""
    )
    assert isinstance(kind, Keyed)
    of = choices(kind)
    assert set(of) == {"c", "f", "m", "o"}
    assert isinstance(of["c"], Unordered)
    rules = [o.rule for o in of.values() if isinstance(o, OneOf)]
    assert rules == ["any", "max_by", "mode"]


SOME_ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xy")), max_size=8)


@pytest.mark.parametrize("condition", ["n = 1", "n <= 2", "n >= 2", "n > 1 AND n <= 3"])
@given(data=st.data())
def test_whatever_order_ties_come_in_what_is_stored_is_possible(
    condition: str, data: st.DataObject
) -> None:
    """sure(row) <= stored(row) <= sure(row) + maybe(row)"""
    kind = shape(f"SELECT a, b FROM ({NUMBERED}) WHERE {condition}")
    assert isinstance(kind, Grouped)
    of = numbered(kind)
    assert of is not None
    given_rows = data.draw(SOME_ROWS)
    shuffled = data.draw(st.permutations(given_rows))
    stored = rows(kind.view.full(), State({("t", At.NEW): tuple(shuffled)}))
    sure, maybe = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
    for line, copies in rows(of.candidates, State({("t", At.NEW): tuple(given_rows)})).items():
        *row, first, last = line
        is_sure = first >= of.low and (of.high is None or last <= of.high)
        (sure if is_sure else maybe)[tuple(row)] += copies
    for row in {*stored, *sure, *maybe}:
        assert sure[row] <= stored[row] <= sure[row] + maybe[row]
