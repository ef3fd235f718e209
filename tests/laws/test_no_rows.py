"""What the bounds of changed files say of the rows that reach a view."""

from __future__ import annotations

import os

import pytest

from tests.laws.law import Seen
from tests.laws.no_rows_examples import WITH_ROWS, WITHOUT_ROWS, excluded
from tests.laws.no_rows_law import check_no_rows

CASES = int(os.environ.get("EVERVIEW_FUZZ_CASES") or 400)


@pytest.mark.fuzz
def test_what_is_said_to_have_no_rows_has_none() -> None:
    seen = Seen()
    for seed in range(CASES):
        check_no_rows(seed, seen)
    wanted = ("Changes", "Filter", "Project", "Join", "UnionAll", "Touched", "Net", "Shared")
    for kind in wanted:
        assert seen.counts[f"no rows: {kind}"] > CASES / 200, f"{kind}: {seen.counts}"
    assert seen.counts["rows may be left"] > CASES


@pytest.mark.parametrize("sql", WITHOUT_ROWS)
def test_no_changed_row_can_be_left(sql: str) -> None:
    assert excluded(sql)


@pytest.mark.parametrize("sql", WITH_ROWS)
def test_a_changed_row_may_be_left(sql: str) -> None:
    assert not excluded(sql)
