"""What explain says of the passes that a plan went through, and of those left out."""

from __future__ import annotations

import json
from dataclasses import replace

from everview.choose.choose import choose
from everview.choose.receipt import planned_receipt
from everview.program.planned import with_steps
from everview.views.explanation import Explanation, explanation
from tests.views.shop import CITY_SALES, SALES, STORES, facts, shape

OFF = frozenset({"small_sides", "join_order"})
LINE = "passes off: join_order, small_sides"


def told(off: frozenset[str]) -> tuple[Explanation, str]:
    """The explanation of a refresh, and the reason in its receipt."""
    kind = shape(CITY_SALES)
    given = facts("city_sales", kind, SALES, STORES, policy="INCREMENTAL")
    given = replace(given, passes_off=off)
    choice = choose(given, kind, full=False)
    found = explanation(with_steps(given, kind, choice))
    return found, planned_receipt(given, choice).reason


def test_the_passes_are_told_with_their_times() -> None:
    found, reason = told(frozenset())
    assert [p.name for p in found.passes] == [
        *("filters_below_joins", "connected_joins", "needed_columns", "net_first"),
        *("union_of_terms", "join_order", "small_sides", "tidy_parts", "narrow_scans", "parts"),
    ]
    assert any(p.changed for p in found.passes)
    said = json.loads(json.dumps(found.to_dict(), default=str))
    assert said["passes"][0].keys() == {"name", "changed", "seconds"}
    assert said["passes_off"] == []
    assert "passes off" not in found.text + str(found) + reason


def test_those_left_out_are_told_in_text_value_card_and_receipt() -> None:
    found, reason = told(OFF)
    assert OFF.isdisjoint(p.name for p in found.passes)
    assert found.to_dict()["passes_off"] == ("join_order", "small_sides")
    assert LINE in found.text.splitlines()
    assert LINE in str(found).splitlines()
    assert "join_order, small_sides" in found._repr_html_()
    assert reason.endswith(f"; {LINE}")
