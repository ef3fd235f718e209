"""Views of values that need not come out the same twice: what is kept, and what verify compares."""

from __future__ import annotations

import pytest

import everview as ev
from everview.errors import NotIncremental
from everview.run.rows import staging
from tests.api.bags import assert_exact, bag, refused
from tests.api.shop import add_sales
from tests.api.test_foreign_writes import tamper

NUMBERED = """
    SELECT id, city, row_number() OVER (PARTITION BY city ORDER BY amount) AS place FROM sales
"""


def numbers(view: ev.View) -> dict[str | None, list[int]]:
    """Per city the numbers of its rows, in order."""
    found: dict[str | None, list[int]] = {}
    for row in view.to_df().collect():
        found.setdefault(row.city, []).append(row.place)
    return {city: sorted(some) for city, some in found.items()}


def test_verify_names_what_need_not_repeat_and_compares_the_rest(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    sql = """
        SELECT city, collect_list(id) AS ids, stddev(amount) AS s, kurtosis(amount) AS k
        FROM sales GROUP BY city
    """
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    add_sales(sales, (6, "Oslo", 60), (7, "Rome", 1))
    assert view.refresh().strategy == "incremental: groups"
    verified = view.verify()
    assert verified.ok
    assert (verified.possible, verified.left_out) == (("ids",), ("k",))
    assert verified.outcome == "consistent"
    assert "consistent: 2 of 4 columns compared" in str(verified)


def test_verify_of_spreads_allows_the_stated_bound_only(wh: ev.Warehouse, sales: ev.Table) -> None:
    sql = "SELECT city, stddev(amount) AS s, round(var_pop(amount)) AS v FROM sales GROUP BY city"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    add_sales(sales, (6, "Bern", 60), (7, "Rome", 1))
    view.refresh()
    verified = view.verify()
    assert (verified.ok, verified.left_out) == (True, ())
    for factor, ok in ((1 + 1e-13, True), (1 + 1e-6, False)):
        tamper(view, lambda row, f=factor: {**row, "s": row["s"] and row["s"] * f})  # type: ignore[misc]
        assert view.verify().ok is ok


def test_verify_compares_the_columns_that_do_repeat(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("v", NUMBERED, policy="INCREMENTAL STRICT")
    assert view.verify().possible == ("place",)
    tamper(view, lambda row: {**row, "place": 7})
    assert not view.verify().ok
    tamper(view, lambda row: {**row, "id": 1})
    found = view.verify()
    assert (found.ok, found.missing, found.unexpected) == (False, 4, 4)


def test_rows_that_tie_are_replaced_as_they_are_stored(wh: ev.Warehouse, sales: ev.Table) -> None:
    """Which of two rows that tie is first may be told otherwise each time, and a view above is told
    what really went.
    """
    view = wh.create_materialized_view("v", NUMBERED, policy="INCREMENTAL STRICT")
    first = "SELECT id, city FROM v WHERE place = 1"
    above = wh.create_materialized_view("first", first, policy="INCREMENTAL STRICT")
    ties = [(100 + i, city, 30) for city in ("Rome", None) for i in range(20)]
    add_sales(sales, *ties)
    for i in range(3):
        sales.update({"amount": "amount"}, f"id % 3 = {i}")
        add_sales(sales, (200 + i, "Rome", 30))
        assert above.refresh().below[0].strategy == "incremental: partitions"
        assert numbers(view) == {
            "Bern": [1, 2],
            "Rome": list(range(1, 24 + i)),
            None: list(range(1, 22)),
        }
        assert_exact(wh, "first", first)
        verified = view.verify()
        assert verified.ok
        assert (verified.possible, verified.left_out) == (("place",), ())


def test_the_first_of_each_is_one_of_those_that_tie(wh: ev.Warehouse, sales: ev.Table) -> None:
    sql = f"SELECT city, id FROM ({NUMBERED}) WHERE place <= 2"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    assert view.status().kept == "incremental, rows by city"
    add_sales(sales, *((i, "Rome", 30) for i in range(20, 30)), (30, "Oslo", 1))
    sales.delete("id = 1")
    assert view.refresh().strategy == "incremental: partitions"
    verified = view.verify()
    assert verified.ok
    assert (verified.possible, verified.left_out) == (("id",), ())
    cities = bag([(row.city,) for row in view.to_df().collect()])
    assert cities == {("Bern",): 1, ("Rome",): 2, ("Oslo",): 1, (None,): 1}


def test_a_condition_on_such_a_value_is_refused(wh: ev.Warehouse, sales: ev.Table) -> None:
    sql = "SELECT city, stddev(amount) AS s FROM sales GROUP BY city HAVING stddev(amount) > 1"
    with refused(NotIncremental, "which rows pass a condition on stddev", "line 1, column 14"):
        wh.create_materialized_view("v", sql, policy="INCREMENTAL")


def test_many_keys_are_replaced_by_clustering_anew(
    wh: ev.Warehouse, sales: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = """
        SELECT id, sum(amount / 3D) OVER (PARTITION BY city ORDER BY id ROWS 1 PRECEDING) AS two
        FROM sales
    """
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    monkeypatch.setattr(staging, "FEW_CHANGES", 0)
    add_sales(sales, (6, None, 60), (7, "Rome", 1), (8, "Oslo", 2))
    sales.delete("city = 'Bern'")
    receipt = view.refresh()
    assert receipt.strategy == "incremental: partitions"
    assert (receipt.rows_inserted, receipt.rows_deleted, receipt.rows) == (3, 2, 6)
    assert_exact(wh, "v", sql)
    assert view.verify().ok
    monkeypatch.undo()
    view.compact()
    assert view.refresh().strategy.startswith("skipped")
    sales.delete("id = 7")
    assert view.refresh().strategy == "incremental: partitions"
    assert_exact(wh, "v", sql)


def test_explain_says_what_is_replaced(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("v", NUMBERED, policy="INCREMENTAL STRICT")
    add_sales(sales, (6, "Oslo", 60))
    explained = view.explain()
    assert [step.name for step in explained.steps] == [
        "changes",
        "rows",
        "write",
        "commit",
    ]
    assert explained.formula == ("K = touched city ( Δsales )",)
    assert explained.kept == "rows by city"
    assert any("row_number()" in query for query in explained.queries)


def test_a_value_that_is_needed_again_is_shown_in_its_place(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    sql = """SELECT a.city, b.id
        FROM (SELECT city, stddev(amount) AS s FROM sales GROUP BY city) AS a
        JOIN sales AS b ON b.amount > a.s"""
    with pytest.raises(NotIncremental, match="the old value of stddev") as caught:
        wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    place = caught.value.where
    assert place is not None
    assert (place.line, place.column, place.length) == (2, 28, len("stddev"))
