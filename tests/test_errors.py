"""Every error has a code of its own, says what, where and what instead, and shows all of it."""

from __future__ import annotations

import inspect

from everview import errors
from everview.errors import EverviewError, InvalidName, Place

KINDS = [
    c
    for _, c in inspect.getmembers(errors, inspect.isclass)
    if issubclass(c, EverviewError) and c is not EverviewError
]


def test_codes_and_titles_are_unique() -> None:
    assert len({k.code for k in KINDS}) == len({k.title for k in KINDS}) == len(KINDS) > 20
    assert all(k.code.startswith("EV-") and len(k.code) == 7 for k in KINDS)


def test_an_error_shows_everything() -> None:
    place = Place(2, 8, 2, "SELECT id FROM t")
    error = InvalidName("`id` is taken.", where=place, remedy="Take another.")
    assert str(error) == (
        "EV-1004  the name cannot be used\n"
        "  line 2, column 8:\n      SELECT id FROM t\n             ^^\n"
        "  `id` is taken.\n  Take another."
    )
    assert error.to_dict() == {
        "code": "EV-1004",
        "title": "the name cannot be used",
        "what": "`id` is taken.",
        "where": str(place),
        "remedy": "Take another.",
    }


def test_an_error_without_place_or_remedy() -> None:
    error = InvalidName("It is empty.")
    assert str(error) == "EV-1004  the name cannot be used\n  It is empty."
    assert error.to_dict()["where"] is None


def test_a_caret_is_at_least_one_wide() -> None:
    assert str(Place(1, 1, 0, "x")).endswith("\n      ^")
