"""The law of the group form over random trees, and what those trees met."""

from __future__ import annotations

import os
from random import SystemRandom

import pytest

from everview.rewrite.group_form.form import Passing
from tests.laws.group_form_law import SAME_KEYS, check_form
from tests.laws.law import Seen

ASKED = os.environ.get("EVERVIEW_FUZZ_CASES")
CASES = int(ASKED or 3000)
FIRST = SystemRandom().randrange(2**48) if ASKED else 0  # other cases every time, if asked for more
SEEN = Seen()

# Of how many cases a change table got past operators of each kind, and rows changed.
SHARES = {
    "rows change": 0.15,
    "singularity point": 0.2,
    "a group begins to be shown": 0.03,
    **{f"past: {how.name}": 0.001 for how in Passing},
    **{f"past keys {kind}": 0.005 for kind in SAME_KEYS},
    **{f"past lookup {kind}": 0.005 for kind in ("inner", "left", "right")},
    "past union of groups": 0.03,
}


@pytest.mark.fuzz
def test_groups_below_other_operators_are_groups() -> None:
    for seed in range(FIRST, FIRST + CASES):
        check_form(seed, SEEN)


@pytest.mark.fuzz
def test_change_tables_got_past_operators_of_each_kind() -> None:
    """Runs after the one above: pytest keeps the order of a file."""
    if not SEEN.counts:
        pytest.fail("run the whole file: this test counts what the other met")
    rare = {k: SEEN.counts[k] for k, share in SHARES.items() if SEEN.counts[k] < share * CASES}
    assert not rare, f"of {CASES} cases too few met {rare}"
