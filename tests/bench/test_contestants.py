"""Who takes part depends on what Everview can do; every view and change has its place."""

from __future__ import annotations

from typing import Any

import pytest

from bench import contestants
from bench.aims import CONTESTANTS, MARKING, REWRITING
from bench.by_hand import KEYED, SUMS
from bench.changes import GRID, MIXED, QUICK
from bench.contestants import WAYS, why_not, with_properties
from bench.delta_merge import VIEWS_BY_MERGE
from bench.grid import unavailable, way_of
from bench.run import GROUPS
from bench.views import VIEWS


def without(self: object, name: str, sql: str, policy: str | None = None) -> None: ...


def with_them(self: object, name: str, sql: str, properties: Any = None) -> None: ...


def test_merge_on_read_waits_for_its_property(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants.ev.Warehouse, "create_materialized_view", without)
    monkeypatch.setattr(contestants, "_is_setting", lambda: False)
    assert why_not(way_of(REWRITING)) == ""
    assert why_not(way_of(MARKING)) == "no property merge_on_read"
    assert unavailable(CONTESTANTS, "jar not there") == {
        "Delta MERGE": "jar not there",
        MARKING: "no property merge_on_read",
    }


def test_a_property_is_handed_on_where_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants.ev.Warehouse, "create_materialized_view", with_them)
    assert [why_not(way) for way in WAYS] == ["", "", ""]
    assert with_properties(way_of(MARKING), with_them) == {"properties": {"merge_on_read": "auto"}}
    assert with_properties(way_of(MARKING), without) == {}


def test_the_views_of_the_ways_have_names_of_their_own() -> None:
    names = [way.view_name("lines") for way in WAYS]
    assert names == ["lines_write", "lines_read", "lines_auto"]


def test_every_view_is_in_one_group() -> None:
    grouped = [view for group in GROUPS for view in group]
    assert sorted(grouped) == sorted(VIEWS)
    assert {*SUMS, *KEYED, *VIEWS_BY_MERGE} <= set(VIEWS)


def test_a_fixed_change_is_as_large_at_every_scale() -> None:
    counts = {change.title: [change.count(scale) for scale in (1, 10)] for change in GRID}
    assert counts["6,000 rows"] == counts["6,000 rows, clustered"] == [6_000, 6_000]
    assert counts["mixed 0.1 %"] == [6_000, 60_000]
    assert QUICK == (MIXED,)
