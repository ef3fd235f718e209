"""The law of groups that are grouped again over random trees, and what those trees met."""

from __future__ import annotations

import os
from random import SystemRandom

import pytest

from tests.laws.group_law import JOINED, check_groups
from tests.laws.law import Seen

ASKED = os.environ.get("EVERVIEW_FUZZ_CASES")
CASES = int(ASKED or 2000)
FIRST = SystemRandom().randrange(2**48) if ASKED else 0  # other cases every time, if asked for more
SEEN = Seen()

# Of how many cases groups were left out, below operators of each kind.
SHARES = {
    "groups left out": 0.2,
    "groups left out, and rows change": 0.06,
    **{f"join {kind}: groups left out": 0.002 for kind in JOINED},
    **{f"{layer}: groups left out": 0.01 for layer in ("filter", "project", "union")},
    **{f"inner {what}: groups left out": 0.01 for what in ("sum", "count", "min", "max")},
    **{f"outer {what}: groups left out": 0.01 for what in ("sum", "min", "max", "count")},
    **{f"{which} distinct: groups left out": 0.01 for which in ("inner", "outer")},
}


@pytest.mark.fuzz
def test_rows_in_place_of_inner_groups_give_the_same() -> None:
    for seed in range(FIRST, FIRST + CASES):
        check_groups(seed, SEEN)


@pytest.mark.fuzz
def test_groups_of_each_kind_were_left_out() -> None:
    """Runs after the one above: pytest keeps the order of a file."""
    if not SEEN.counts:
        pytest.fail("run the whole file: this test counts what the other met")
    rare = {k: SEEN.counts[k] for k, share in SHARES.items() if SEEN.counts[k] < share * CASES}
    assert not rare, f"of {CASES} cases too few met {rare}"
