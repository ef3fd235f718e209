"""Errors told with other words keep what they carry; any error becomes one with a code."""

from __future__ import annotations

from everview.errors import NotATable, RefreshFailed, Unexpected
from everview.facts.failures import in_short, retold, unforeseen


def test_an_error_told_otherwise_keeps_what_it_carries() -> None:
    failure = RefreshFailed("One failed.", remedy="Mend it.")
    failure.receipts, failure.errors = ("receipt",), {"v": NotATable("gone")}
    told = retold(failure, "One of two failed.", "here")
    assert (told.receipts, told.errors) == (failure.receipts, failure.errors)
    assert str(told) == (
        "EV-5005  not every view was refreshed\n  here\n  One of two failed.\n  Mend it."
    )
    assert str(failure) == "EV-5005  not every view was refreshed\n  One failed.\n  Mend it."


def test_an_error_with_a_code_stays_and_another_gets_one() -> None:
    known, strange = NotATable("gone"), ValueError("boom\n\nJVM stacktrace:\nat java")
    assert unforeseen(known) is known
    found = unforeseen(strange)
    assert isinstance(found, Unexpected)
    assert found.what == "ValueError: boom"
    assert found.__cause__ is strange
    assert found.remedy


def test_in_short_it_is_one_line() -> None:
    assert in_short(NotATable("The folder is gone\nmore")) == "EV-4004  The folder is gone"
    assert in_short(NotATable("")) == "EV-4004  there is no table at that location"
