"""The law of changes that ask the stored view over random outer joins, and what these met."""

from __future__ import annotations

import os
from random import SystemRandom

import pytest

from tests.laws.law import Seen
from tests.laws.stored_law import ABOVE, check_stored

ASKED = os.environ.get("EVERVIEW_FUZZ_CASES")
CASES = int(ASKED or 500)
FIRST = SystemRandom().randrange(2**48) if ASKED else 0  # other cases every time, if asked for more
SEEN = Seen()
SHARES = {
    "stored: asked": 0.5,
    "stored: asked of one sign": 0.1,
    "stored: semi join": 0.5,
    "stored: anti join": 0.5,
    "stored: a large table is not read": 0.1,
    "several marks": 0.1,
    "tables that must not change": 0.02,
    "above: filter": 0.02,
    **{f"above: {kind}": 0.005 for kind in ABOVE},
}


@pytest.mark.fuzz
def test_stored_rows_and_changes_are_the_new_rows() -> None:
    for seed in range(FIRST, FIRST + CASES):
        check_stored(seed, SEEN)
        SEEN.met("cases")


@pytest.mark.fuzz
def test_the_definitions_met_everything() -> None:
    """Runs after the one above: pytest keeps the order of a file."""
    if not SEEN.counts:
        pytest.fail("run the whole file: this test counts what the other met")
    rare = {k: SEEN.counts[k] for k, share in SHARES.items() if SEEN.counts[k] < share * CASES}
    assert not rare, f"of {CASES} cases too few met {rare}"
