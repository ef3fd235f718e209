"""What a refresh says it did: rows, actions, reads, watermarks, and its two forms."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import everview as ev
from tests.api.bags import assert_exact, frame
from tests.api.shop import BY_CITY, HIGHEST, LARGE, SALES, add_sales

JOINED = """
    SELECT c.country, p.kind, count(*) AS n, sum(s.amount * p.price) AS total
    FROM sales AS s JOIN cities AS c ON s.city = c.city JOIN products AS p ON s.id % 3 = p.id
    GROUP BY c.country, p.kind
"""


def counts(receipt: ev.Receipt) -> tuple[int, int, int]:
    return receipt.rows_inserted, receipt.rows_updated, receipt.rows_deleted


@pytest.fixture
def joined(wh: ev.Warehouse, sales: ev.Table) -> ev.View:
    """A warm view of three joined tables."""
    places = (("Bern", "CH"), ("Rome", "IT"), ("Oslo", "NO"))
    wh.create_table("cities", frame(wh.spark, "city STRING, country STRING", *places))
    kinds = ((0, "tea", 2), (1, "tea", 3), (2, "cup", 5))
    wh.create_table("products", frame(wh.spark, "id INT, kind STRING, price INT", *kinds))
    view = wh.create_materialized_view("joined", JOINED, policy="INCREMENTAL STRICT")
    add_sales(sales, (8, "Bern", 1))
    view.refresh()
    return view


CHANGES: dict[str, Callable[[ev.Warehouse], object]] = {
    "insert": lambda wh: add_sales(wh.table("sales"), (9, "Oslo", 90), (10, "Bern", 100)),
    "delete": lambda wh: wh.table("sales").delete("id = 3"),
    "update": lambda wh: wh.table("sales").update({"amount": "amount + 1"}, "city = 'Rome'"),
    "all three tables": lambda wh: (
        wh.table("sales").delete("id = 1"),
        wh.table("cities").update({"country": "'EU'"}, "city = 'Rome'"),
        wh.table("products").update({"price": "7"}, "id = 2"),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_small_change_of_a_join_takes_two_actions(
    wh: ev.Warehouse, joined: ev.View, change: str
) -> None:
    CHANGES[change](wh)
    receipt = joined.refresh()
    assert receipt.strategy == "incremental: groups"
    assert receipt.actions <= 2, receipt.seconds
    assert receipt.changed
    assert_exact(wh, "joined", JOINED)


def test_an_extreme_that_may_be_gone_takes_one_more(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("highest", HIGHEST, policy="INCREMENTAL STRICT")
    add_sales(sales, (6, "Bern", 5))
    assert view.refresh().actions <= 2
    sales.delete("id = 2")
    receipt = view.refresh()
    assert receipt.actions == 3
    assert counts(receipt) == (0, 1, 0)
    assert_exact(wh, "highest", HIGHEST)


def test_a_bag_with_deletes_takes_no_more(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("large", LARGE, policy="INCREMENTAL STRICT")
    add_sales(sales, (6, "Bern", 60), (7, "Bern", 60))
    receipt = view.refresh()
    assert (receipt.strategy, receipt.actions) == ("incremental: append", 1)
    assert counts(receipt) == (2, 0, 0)
    sales.delete("id IN (3, 6)")
    add_sales(sales, (8, "Oslo", 80))
    receipt = view.refresh()
    assert (receipt.strategy, receipt.actions) == ("incremental: rows", 1)
    assert counts(receipt) == (1, 0, 2)
    assert_exact(wh, "large", LARGE)


def test_groups_that_come_change_and_go_are_counted(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    first = view.history()[0]
    assert (first["strategy"], first["reason"]) == ("full", "first build")
    assert first["rows_inserted"] == 3
    assert first["watermark_after"] == {"sales": 2}
    add_sales(sales, (6, "Oslo", 60), (7, "Bern", 0), (8, "Rome", 5))
    sales.delete("city IS NULL OR id = 8")
    receipt = view.refresh()
    assert counts(receipt) == (1, 1, 1), "Rome is as it was: +5 -5 rows cancel"
    assert dict(receipt.watermark_before) == {"sales": 2}
    assert dict(receipt.watermark_after) == {"sales": 4}
    assert receipt.view == "by_city"
    assert receipt.read["sales"].rows == 5
    assert receipt.read["sales"].bytes > 0
    assert receipt.total_seconds > 0
    assert receipt.below == ()
    assert_exact(wh, "by_city", BY_CITY)


def test_a_refresh_of_nothing_commits_nothing(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    before = len(view.history())
    receipt = view.refresh()
    assert receipt.strategy == "skipped: nothing changed"
    assert (receipt.actions, counts(receipt), dict(receipt.read)) == (0, (0, 0, 0), {})
    assert receipt.watermark_before == receipt.watermark_after == {"sales": 2}
    assert len(view.history()) == before
    sales.delete("id = 5")
    add_sales(sales, (5, None, 50))
    receipt = view.refresh()
    assert counts(receipt) == (0, 0, 0), "a row deleted and inserted again"
    assert_exact(wh, "by_city", BY_CITY)
    assert view.verify().ok


def test_versions_without_a_change_move_the_watermark(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL STRICT")
    for i in range(2):
        sales.delete("id = 99", token=f"nothing {i}")
    assert view.refresh().strategy.startswith("skipped")
    assert view.status().exact_at == {"sales": 4}
    assert view.status().behind == {"sales": 0}
    assert view.verify().ok


def test_a_receipt_survives_json(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    upper = wh.create_materialized_view("total", "SELECT sum(total) AS total FROM by_city")
    add_sales(sales, (6, "Oslo", 60))
    for receipt in (upper.refresh(), upper.refresh()):
        assert [r.view for r in receipt.below] == ["by_city"]
        again = ev.Receipt.from_dict(json.loads(json.dumps(receipt.to_dict())))
        assert again == receipt
        assert again.below[0].read == receipt.below[0].read
    stored = upper.history()[0]
    assert json.loads(json.dumps(stored)) == stored
    json.dumps([upper.status().to_dict(), upper.explain().to_dict(), upper.verify().to_dict()])


def test_the_text_of_a_receipt_says_what_a_person_asks(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    add_sales(sales, (6, "Oslo", 60), (7, "Bern", 70))
    receipt = view.refresh()
    line, reason = str(receipt).splitlines()
    assert line.startswith("by_city  incremental  ")
    assert " s  2 of 4 rows changed (1 new, 1 updated)  read 2 changes  (recompute: " in line
    assert receipt.recompute_seconds == pytest.approx(sum(view.history()[1]["seconds"].values()))
    assert (receipt.rows, receipt.actions, receipt.read["sales"].changes) == (4, 1, 2)
    assert reason.startswith("  the policy is INCREMENTAL (estimated ")
    assert reason.endswith(" · exact at sales v2 -> v3")
    assert str(view.refresh()) == "by_city  skipped  nothing changed"
    assert str(view.verify()).startswith("by_city  exact  4 rows, recomputed at sales v3")
    sales.delete("id = 1")
    assert view.refresh().recompute_seconds == receipt.recompute_seconds, "receipts carry it on"
    with pytest.raises(AttributeError):
        view.refresh().view = "other"  # type: ignore[misc]


def test_status_and_explain_before_and_after(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    add_sales(sales, (6, "Oslo", 60))
    sales.append(frame(wh.spark, SALES, (7, "Oslo", 70)))
    status, explained = view.status(), view.explain()
    assert (status.exact_at, status.behind, status.rows) == ({"sales": 2}, {"sales": 2}, 3)
    assert "behind: sales +2 commits" in str(status)
    assert status.fresh_as_of == view.history()[0]["timestamp"] <= status.asked_at
    assert explained.strategy == "incremental: groups"
    assert "sales  v2 -> v4  +2 rows  2 commits  read from appended files, " in str(explained)
    assert explained.formula == ("Δby_city = γ city, Σw, Σw·amount ( Δsales )",)
    receipt = view.refresh()
    assert receipt.estimates == explained.estimates, "explain and refresh plan the same"
    assert {s.name for s in explained.steps} >= {"changes", "write", "commit"}
    assert view.status().behind == {"sales": 0}
    last = view.status().last_refresh
    assert last is not None
    assert last["strategy"] == "incremental: groups"
    assert "up to date" in str(view.status())


def test_everything_has_a_card_that_runs_nothing(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, comment="<script>", policy="FULL")
    add_sales(sales, (6, "Oslo", 60))
    texts = {
        "1 commit behind": view._repr_html_(),
        "6 rows": sales._repr_html_(),
        "sales +1 commit": wh._repr_html_(),
        "the policy is FULL": view.explain()._repr_html_(),
        "first build": view.status()._repr_html_(),
        "4 rows written": view.refresh()._repr_html_(),
        "sales v3": view.verify()._repr_html_(),
    }
    for said, html in texts.items():
        assert said in html
        assert "<script" not in html
    wh.close()
    assert "closed" in wh._repr_html_()
