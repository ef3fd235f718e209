"""What names mean: qualifiers before fields, USING pairs seen once, case as the session says."""

from __future__ import annotations

from everview.algebra.scalars import Column
from everview.sql.bind.scope import FoundColumn, Scope, Visible

A1, A2, B = Column(1, "a"), Column(2, "a"), Column(3, "t")
LEFT = Scope((Visible("t", "a", A1), Visible("t", "t", B)))
RIGHT = Scope((Visible("u", "a", A2),))


def test_a_qualifier_wins_over_a_field() -> None:
    assert LEFT.resolve(("t", "a")) == FoundColumn(A1)
    assert LEFT.resolve(("t", "x")) == FoundColumn(B, ("x",))
    assert LEFT.resolve(("t", "t", "x", "y")) == FoundColumn(B, ("x", "y"))


def test_two_columns_of_one_name_are_named() -> None:
    assert LEFT.joined(RIGHT).resolve(("a",)) == "`a` is in t and in u"
    assert LEFT.joined(RIGHT).resolve(("b",)) == "there is no column `b` here"


def test_using_shows_one_and_keeps_both() -> None:
    both = LEFT.using((A1,), RIGHT)
    assert both.resolve(("a",)) == FoundColumn(A1)
    assert both.resolve(("u", "a")) == FoundColumn(A2)
    assert [v.column for v in both.starred(())] == [A1, B]
    assert [v.column for v in both.starred(("u",))] == [A2]


def test_case() -> None:
    assert LEFT.resolve(("T", "A")) == FoundColumn(A1)
    assert isinstance(Scope(LEFT.columns, case_sensitive=True).resolve(("A",)), str)
