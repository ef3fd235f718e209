"""The laws of change propagation, over many random cases and over the literal ones of the seeds."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everview.algebra.meaning.plans import CountedBag, Line, Row, State, minus, rows
from everview.algebra.relations import At, Changes, Filter, Join, Project, Rel, Scan, UnionAll
from everview.algebra.scalars import Column, Compare, Ref, integer
from everview.algebra.walk import at
from everview.delta.propagate import delta
from tests.laws.grouped_law import check_grouped
from tests.laws.law import Seen, check_keyed, check_rows

ASKED = os.environ.get("EVERVIEW_FUZZ_CASES")
CASES = int(ASKED or 2000)
SEEN = Seen()

# The same cases on every run, unless more are asked for: then others every time.
random_cases = settings(
    max_examples=CASES,
    derandomize=ASKED is None,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
seeds = st.integers(min_value=0, max_value=2**62)


@pytest.mark.fuzz
@random_cases
@given(seeds)
def test_changes_are_the_difference(seed: int) -> None:
    check_rows(seed, SEEN)
    SEEN.met("row cases")


@pytest.mark.fuzz
@random_cases
@given(seeds)
def test_a_change_table_makes_new_rows_of_old(seed: int) -> None:
    check_keyed(seed, SEEN)
    SEEN.met("keyed cases")


@pytest.mark.fuzz
@random_cases
@given(seeds)
def test_rows_are_replaced_key_by_key(seed: int) -> None:
    check_grouped(seed, SEEN)


# What a share of the cases must have met, else they tested less than they say.
SHARES = {
    "Filter: insertions": 0.05,
    "Filter: deletions": 0.03,
    "Project: insertions": 0.2,
    "Project: deletions": 0.1,
    "Join: insertions": 0.1,
    "Join: deletions": 0.05,
    "UnionAll: insertions": 0.1,
    "UnionAll: deletions": 0.05,
    "several tables changed": 0.5,
    "aggregate: insertions": 0.2,
    "aggregate: deletions": 0.2,
    "aggregate: insert only": 0.05,
    "aggregate: without keys": 0.05,
    "group born": 0.1,
    "group died": 0.1,
    "group kept": 0.2,
    "group recomputed": 0.05,
    "extreme lost": 0.02,
    "partition born": 0.2,
    "partition died": 0.1,
    "partition kept": 0.3,
    "partition of NULL": 0.1,
    "partition hidden": 0.1,
    "groupings above one another": 0.2,
}


@pytest.mark.fuzz
def test_the_cases_met_everything() -> None:
    """Runs after those above: pytest keeps the order of a file."""
    if not SEEN.counts:
        pytest.fail("run the whole file: this test counts what the others met")
    fewest = min(SEEN.counts[f"{kind} cases"] for kind in ("row", "keyed", "grouped"))
    assert fewest >= 0.95 * CASES, SEEN.counts
    rare = {k: SEEN.counts[k] for k, share in SHARES.items() if SEEN.counts[k] < share * fewest}
    assert not rare, f"of {fewest} cases too few met {rare}"


# Literal cases

A, B = Column(1, "a"), Column(2, "b")
B2, C = Column(3, "b"), Column(4, "c")
R, S = Scan("r", At.NEW, (A, B)), Scan("s", At.NEW, (B2, C))
BOTH = frozenset({"r", "s"})


def state_of(**tables: tuple[list[Row], list[Line]]) -> State:
    """A state from the rows at OLD and the changes of each table."""
    old = {name: Counter(some) for name, (some, _) in tables.items()}
    new = {name: Counter(some) for name, some in old.items()}
    for name, (_, lines) in tables.items():
        for row, weight in lines:
            new[name][row] += weight
    return State(
        {(n, At.OLD): tuple(b.elements()) for n, b in old.items()}
        | {(n, At.NEW): tuple(b.elements()) for n, b in new.items()},
        {n: tuple(lines) for n, (_, lines) in tables.items()},
    )


def changes_of(rel: Rel, state: State) -> CountedBag:
    changes = delta(rel, BOTH)
    assert changes is not None
    found = rows(changes, state)
    assert found == minus(rows(at(rel, At.NEW), state), rows(at(rel, At.OLD), state))
    return found


# Seed 001, example 1.2: what a1 joins to before and after one insertion into each table.
STATE_BUG = state_of(
    r=([("a1", "b1")], [(("a1", "b2"), 1)]),
    s=([("b1", "c1"), ("b1", "c2"), ("b2", "c1")], [(("b2", "c2"), 1)]),
)
JOINED = Project(
    Join("inner", R, S, Compare("=", Ref(B.id), Ref(B2.id))), ((Column(5, "a"), Ref(A.id)),)
)


def test_the_state_bug_of_seed_001_is_not_there() -> None:
    assert rows(at(JOINED, At.OLD), STATE_BUG) == {("a1",): 2}
    assert changes_of(JOINED, STATE_BUG) == {("a1",): 2}


def test_the_state_bug_is_what_a_formula_of_the_old_state_gives_on_the_new_one() -> None:
    """ΔR ⋈ S + R ⋈ ΔS + ΔR ⋈ ΔS is right at OLD; read at NEW it counts what was inserted twice."""
    join = JOINED.input
    assert isinstance(join, Join)
    inserted = Scan("s_inserted", At.NEW, S.columns)
    terms = (
        replace(join, left=Changes("r", R.columns)),
        replace(join, right=Changes("s", S.columns)),
        replace(join, left=Changes("r", R.columns), right=inserted),
    )
    tables = {**STATE_BUG.tables, ("s_inserted", At.NEW): (("b2", "c2"),)}
    found = rows(UnionAll(terms, join.columns), replace(STATE_BUG, tables=tables))
    assert found.total() == 4


ROWS = state_of(
    r=(
        [(1, 1), (1, 1), (2, None), (None, 3)],
        [((1, 1), -1), ((2, None), -1), ((2, 5), 1), ((None, 3), 1)],
    ),
    s=([(7, 7)], [((1, 1), 2)]),
)


def test_filter_takes_the_changes_that_pass_it() -> None:
    over_one = Filter(R, Compare(">", Ref(B.id), integer(1)))
    assert changes_of(over_one, ROWS) == {(2, 5): 1, (None, 3): 1}


def test_filter_passes_nothing_for_null() -> None:
    assert changes_of(Filter(R, Compare("=", Ref(B.id), Ref(B.id))), ROWS)[2, None] == 0


def test_project_keeps_copies_and_lets_updates_cancel() -> None:
    first = Project(R, ((Column(9, "a"), Ref(A.id)),))
    assert changes_of(first, ROWS) == {(1,): -1, (None,): 1}


def test_union_adds_the_changes_of_its_inputs() -> None:
    union = UnionAll((R, S), (Column(7, "x"), Column(8, "y")))
    assert changes_of(union, ROWS) == {(1, 1): 1, (2, None): -1, (2, 5): 1, (None, 3): 1}


def test_a_self_join_counts_a_row_that_meets_itself_once() -> None:
    other = Scan("r", At.NEW, (B2, C))
    pairs = Join("inner", R, other, Compare("<=>", Ref(A.id), Ref(B2.id)))
    state = state_of(r=([(1, 1)], [((1, 2), 1)]))
    changes = delta(pairs, frozenset({"r"}))
    assert changes is not None
    assert rows(changes, state) == {(1, 1, 1, 2): 1, (1, 2, 1, 1): 1, (1, 2, 1, 2): 1}


def test_a_table_without_changes_gives_no_term() -> None:
    assert delta(R, frozenset({"s"})) is None
    only_s = delta(Join("cross", R, S), frozenset({"s"}))
    assert isinstance(only_s, UnionAll)
    assert only_s.inputs == (Join("cross", at(R, At.NEW), Changes("s", S.columns)),)
