"""Which views store by which columns what the rows of their outer joins are made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.facts.schema import Schema
from everview.shape.bag import Bag
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
    assert isinstance(found, Bag)
    older = found.kept_as(before)
    assert (older.joins, older.layout) == (None, before)
    assert older.stored == older.rel
    assert found.kept_as(found.layout) == found


def test_what_a_smaller_table_would_tell_is_not_stored() -> None:
    """Of FULL JOIN the rows of the smaller table are padded by what the view stores."""
    found = shape("SELECT t.b, u.c FROM t FULL JOIN u ON t.a = u.a")
    assert isinstance(found, Bag)
    assert found.worth({}) == found.worth({"t": 5, "u": 5}) == found
    few = found.worth({"t": 1000, "u": 5})
    assert few.layout.stored.names == (
        "b",
        "c",
        "__ev.j0_has_left",
        "__ev.j1_has_right",
        "__ev.j3_a",
    )
    assert [c.name for c in few.stored.columns] == ["b", "c", "has_left", "has_right", "a"]
    assert found.kept_as(few.layout) == few
    left = shape("SELECT t.b, u.c FROM t LEFT JOIN u ON t.a = u.a")
    assert isinstance(left, Bag)
    assert left.worth({"t": 1000, "u": 5}).joins is None
