"""A view over groups as one value: what is public, hidden and shared."""

from __future__ import annotations

from typing import Any

import pytest

from everview.aggregates.keyed import keyed_view
from everview.algebra.calls import AggregateCall
from everview.algebra.relations import Aggregate, At, Project, Scan
from everview.algebra.scalars import Call, Column, Ref, Scalar

A, B, C = Column(1, "Key!"), Column(2, "b"), Column(3, "c")
TABLE = Scan("t", At.NEW, (A, B, C))
TYPES = {1: "long", 2: "long", 3: "decimal(38,10)", **dict.fromkeys(range(4, 30), "long")}


def view_of(*outputs: tuple[Column, Scalar], calls: dict[int, AggregateCall]) -> Any:
    named = tuple((Column(i, f"c{i}"), call) for i, call in calls.items())
    return keyed_view(Project(Aggregate(TABLE, (A,), named), outputs), TYPES)


def test_a_value_that_is_public_has_no_hidden_copy() -> None:
    view = view_of(
        (Column(20, "k"), Ref(1)),
        (Column(21, "n"), Ref(10)),
        (Column(22, "s"), Ref(11)),
        calls={10: AggregateCall("count", ()), 11: AggregateCall("sum", (2,))},
    )
    assert [c.name for c in view.stored_columns] == ["k", "n", "s", "__ev.h0_sum_2_n"]


def test_keys_and_areas_that_are_not_public_are_hidden() -> None:
    view = view_of(
        (Column(21, "twice"), Call("+", (Ref(10), Ref(10)))),
        calls={10: AggregateCall("max", (2,))},
    )
    names = [c.name for c in view.stored_columns]
    assert names == [
        "twice",
        "__ev.h0_key_",
        "__ev.h1_count_n",
        "__ev.h2_max_2_x",
        "__ev.h3_max_2_copies",
    ]


def test_a_key_shown_twice_is_held_once() -> None:
    view = view_of((Column(20, "k"), Ref(1)), (Column(21, "again"), Ref(1)), calls={})
    assert [(c.name, held.id) for c, held in view.stored][:2] == [("k", 1), ("again", 21)]


def test_functions_share_their_areas() -> None:
    calls = {
        10: AggregateCall("sum", (2,)),
        11: AggregateCall("count", ()),
        12: AggregateCall("sum", (2,)),
    }
    view = view_of((Column(20, "k"), Ref(1)), calls=calls)
    assert [kept.area.name for kept in view.areas] == ["count", "sum_2"]
    assert view.count.area.name == "count"


def test_what_cannot_be_kept_is_stored_as_it_is_and_said() -> None:
    view = view_of(
        (Column(20, "k"), Ref(1)),
        (Column(21, "s"), Ref(10)),
        calls={10: AggregateCall("sum", (3,))},
    )
    assert [c.id for c, _ in view.recomputed] == [10]
    assert "38 digits" in view.reasons[0]
    assert view.highest_id() >= max(c.id for c in view.stored_columns)


def test_a_view_is_a_projection_over_a_group() -> None:
    with pytest.raises(AssertionError):
        keyed_view(Project(TABLE, ()), {})
