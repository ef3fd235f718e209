"""What explain, status and cards say of the sources that are read besides the changes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from everview.choose.self_maintenance import self_maintenance
from everview.facts.views import ViewRecord
from everview.views.status_card import self_maintenance_part
from tests.views.shop import (
    CITIES,
    CITY_SALES,
    SALES,
    STILL_STORES,
    STORES,
    explained,
    facts,
    shape,
)
from tests.views.statuses import told

MOST = "SELECT store_id, max(amount) AS most FROM sales GROUP BY store_id"
LOST = "sales if a least or greatest value is deleted"


def test_the_whole_explanation_has_a_table_and_the_screen_a_line() -> None:
    found = explained("most", MOST, SALES)
    assert "\n  self-maintainable for insertions into sales\n" in str(found)
    assert "besides" not in str(found)
    table = found.text.split("\n\nsources read besides the changes\n")[1].split("\n\n")[0]
    head, row = [line.split("  ") for line in table.splitlines()]
    assert [c.strip() for c in head if c.strip()] == [
        "changes of",
        "inserted",
        "deleted",
        "updated",
    ]
    assert [c.strip() for c in row if c.strip()] == ["sales", "none", LOST, LOST]
    assert f"<td>sales</td><td>none</td><td>{LOST}</td>" in found._repr_html_()


def test_a_view_that_is_full_only_reads_everything() -> None:
    found = explained("cities", CITIES, STORES)
    assert "self-maintainable" not in found.text
    assert found.text.endswith("  ".join(["stores, recomputed in full"] * 3))


def test_as_json_it_is_values() -> None:
    raw = json.loads(json.dumps(explained("most", MOST, SALES).to_dict()))
    assert raw["beside"] == [
        {"source": "sales", "change": "insert", "reads": []},
        {"source": "sales", "change": "delete", "reads": _EXTREME},
        {"source": "sales", "change": "update", "reads": _EXTREME},
    ]


_EXTREME = [{"source": "sales", "when": "extreme deleted"}]


@pytest.mark.parametrize("sql", [MOST, CITY_SALES, CITIES])
def test_status_says_what_was_recorded_at_creation(sql: str) -> None:
    kind = shape(sql)
    given = facts("v", kind, SALES, STILL_STORES)
    found = self_maintenance(kind, {"sales": None, "stores": None})
    record = replace(given.stored.record, beside=found)
    known = ViewRecord.from_json(record.to_json())
    assert known == record
    status = told(replace(given, stored=replace(given.stored, record=known)))
    assert status.beside == found
    raw = json.loads(json.dumps(status.to_dict()))
    assert [line["change"] for line in raw["beside"]] == ["insert", "delete", "update"] * 2
    assert "<td>sales</td>" in self_maintenance_part(status.beside)


def test_the_whole_explanation_has_the_operators_with_what_they_hand_up() -> None:
    found = explained("city_sales", CITY_SALES, SALES, STILL_STORES)
    heading = "\n\nwhat each operator hands up when a table below it changes\n"
    lines = found.text.split(heading)[1].split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in lines] == ["γ", "⋈", "sales", "stores"]
    assert lines[0].endswith(
        "change table by city of n (+), total (+): Gupta & Mumick, 5.1, delta/aggregate.py"
    )
    assert "hands up" not in str(found), "printed it fits a screen"
    assert "Gupta &amp; Mumick, 5.1, delta/aggregate.py" in found._repr_html_()
    raw = json.loads(json.dumps(found.to_dict()))["derivation"]
    assert (raw["hands_up"], raw["key"]) == ("change table", ["city"])
    assert raw["areas"][1] == {"column": "total", "update": "+"}
    assert raw["inputs"][0]["rule"] == {"file": "delta/join.py", "printed": ""}
    assert explained("cities", CITIES, STORES).to_dict()["derivation"] is None


def test_an_older_record_does_not_say_it() -> None:
    given = facts("v", shape(MOST), SALES)
    raw = json.loads(given.stored.record.to_json())
    del raw["beside"]
    known = ViewRecord.from_json(json.dumps(raw))
    assert known.beside is None
    status = told(replace(given, stored=replace(given.stored, record=known)))
    assert status.to_dict()["beside"] is None
    assert "not recorded" in self_maintenance_part(status.beside)
