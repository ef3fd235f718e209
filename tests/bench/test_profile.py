"""The profile clocks functions that are there, and tells what they spent."""

from __future__ import annotations

import pytest

from bench.profile import PHASES, Profile, _resolved, told


@pytest.mark.parametrize("target", PHASES.values())
def test_the_function_of_a_phase_is_there(target: str) -> None:
    assert callable(_resolved(target))


def test_a_phase_is_told_with_its_calls_and_who_opened_tables() -> None:
    found = Profile("by_order")
    work = found.clocked("open a Delta table", lambda: None)
    work()
    work()
    text = told(found)
    assert found.phases["open a Delta table"].calls == 2
    assert "open a Delta table" in text
    assert "elsewhere" in text
