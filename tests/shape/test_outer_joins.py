"""Which views store by which columns what the rows of their outer joins are made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.facts.schema import Schema
from everview.shape.shape import Bag, as_stored
from tests.choose.shapes import shape


def hidden(sql: str, type_: str = "long") -> list[str]:
    """The hidden columns of a view, by the names they are stored under."""
    found = shape(sql, type_)
    return [n for n in found.layout.stored.names if n.startswith("__ev.")]


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.a", ["left", "right"]),
        ("SELECT t.b, u.c FROM t LEFT JOIN u ON t.a = u.a", ["left", "right", "a"]),
        ("SELECT t.b, u.c FROM t FULL JOIN u ON t.a = u.a", ["left", "right", "a", "a"]),
        ("SELECT t.b, u.c FROM t RIGHT JOIN u ON t.a = u.a", ["right", "left", "a"]),
        ("SELECT t.a FROM t LEFT JOIN u ON t.a < u.a WHERE t.b > 1", ["left", "right"]),
    ],
)
def test_sides_and_what_the_condition_reads(sql: str, columns: list[str]) -> None:
    names = [f"has_{c}" if c in ("left", "right") else c for c in columns]
    assert hidden(sql) == [f"__ev.j{i}_{name}" for i, name in enumerate(names)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT t.a, u.c FROM t JOIN u ON t.a = u.a",
        "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.c = 1 OR t.b = 1",
        "SELECT t.a FROM t LEFT JOIN u ON u.c = 1",
        "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a UNION ALL SELECT a FROM t",
        "SELECT * FROM (SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.a) x JOIN u y ON x.c = y.c",
    ],
)
def test_rows_that_would_not_tell_it_store_nothing(sql: str) -> None:
    assert hidden(sql) == []


@pytest.mark.parametrize("type_", ["double", "string collate UNICODE_CI"])
def test_keys_that_are_equal_without_being_the_same_tell_nothing(type_: str) -> None:
    assert hidden("SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.a", type_) == []


def test_a_view_that_was_built_without_them_goes_on_without() -> None:
    found = shape("SELECT t.b, u.c FROM t LEFT JOIN u ON t.a = u.a")
    before = replace(found.layout, stored=Schema(found.layout.stored.fields[:2]))
    older = as_stored(found, before)
    assert isinstance(older, Bag)
    assert (older.joins, older.layout) == (None, before)
    assert older.stored == older.rel
    assert as_stored(found, found.layout) == found
