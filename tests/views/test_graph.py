"""Views over views: who reads what, directly and by way of others."""

from __future__ import annotations

from everview.views.graph import all_readers, readers

SOURCES = {
    "a": ("t",),
    "b": ("a", "u"),
    "c": ("a", "b"),
    "apart": ("u",),
}


def test_readers_are_those_that_name_it() -> None:
    assert readers("a", SOURCES) == ["b", "c"]
    assert readers("c", SOURCES) == []


def test_all_readers_come_from_the_top_down() -> None:
    assert all_readers("t", SOURCES) == ["c", "b", "a"]
    assert all_readers("b", SOURCES) == ["c"]
    assert all_readers("u", SOURCES).index("c") < all_readers("u", SOURCES).index("b")
    assert set(all_readers("u", SOURCES)) == {"apart", "b", "c"}
    assert all_readers("nobody", SOURCES) == []
