"""What several plans have in common leaves each of them its rows."""

from __future__ import annotations

import os

import pytest

from tests.laws.in_common_law import check_in_common
from tests.laws.law import Seen

CASES = int(os.environ.get("EVERVIEW_FUZZ_CASES") or 120)


@pytest.mark.fuzz
def test_parts_in_common_leave_every_plan_its_rows() -> None:
    seen = Seen()
    for seed in range(CASES):
        check_in_common(seed, seen)
    assert seen.counts["a part in common"] > CASES / 2
    wanted = ("a number of several", "a number of one", "a part of three", "a part within a part")
    for kind in (*wanted, "a part of two of three", "of 2: Join", "of 2: UnionAll"):
        assert seen.counts[kind] > CASES / 40, f"{kind}: {seen.counts}"
