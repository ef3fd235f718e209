"""What verify says where ties and order decide: exact without them, else one of the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import everview as ev
from tests.api.bags import frame
from tests.api.tampering import tamper

Row = dict[str, Any]
LATEST = """
    SELECT * FROM (
        SELECT id, city, at, row_number() OVER (PARTITION BY city ORDER BY at DESC) AS rn FROM seen
    ) WHERE rn = 1
"""
UNTIED = ((1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30), (4, "Rome", 40), (5, None, 50))
TIED = ((6, "Oslo", 7), (7, "Oslo", 7), (8, "Oslo", 1), (9, "Bern", 10))


@pytest.fixture
def seen(wh: ev.Warehouse) -> ev.Table:
    """Rows in three cities; those that tie come later."""
    table = wh.create_table("seen", "id BIGINT, city STRING, at BIGINT")
    return add(table, *UNTIED)


def add(table: ev.Table, *rows: tuple[Any, ...]) -> ev.Table:
    table.append(frame(table._warehouse.spark, "id BIGINT, city STRING, at BIGINT", *rows))
    return table


def changed(city: str, **values: Any) -> Callable[[Row], Row]:
    """Other values in the stored rows of a city."""
    return lambda row: {**row, **values} if row["city"] == city else row


def verdict(view: ev.View) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    found = view.verify()
    return found.outcome, found.possible, found.left_out


def test_the_latest_of_each_is_compared_in_full_where_no_rows_tie(
    wh: ev.Warehouse, seen: ev.Table
) -> None:
    view = wh.create_materialized_view("v", LATEST, policy="INCREMENTAL STRICT")
    assert verdict(view) == ("exact", (), ())
    assert view.verify().compared == ("id", "city", "at", "rn")
    tamper(view, changed("Rome", id=3, at=30))  # a row of the partition that is not the first one
    found = view.verify()
    assert (found.outcome, found.missing, found.unexpected) == ("wrong", 1, 1)


def test_the_latest_of_each_is_one_of_those_that_tie(wh: ev.Warehouse, seen: ev.Table) -> None:
    add(seen, *TIED)
    view = wh.create_materialized_view("v", LATEST, policy="INCREMENTAL STRICT")
    stored = {r.city: r.id for r in view.to_df().collect()}
    consistent = ("consistent", ("id", "at", "rn"), ())
    assert verdict(view) == consistent
    assert str(view.verify()).startswith("v  consistent: 1 of 4 columns compared")
    tamper(view, changed("Oslo", id=13 - stored["Oslo"]))  # the other one that ties
    assert verdict(view) == consistent
    for city, values in (
        ("Oslo", {"id": 8, "at": 1}),  # a row that is not among the first
        ("Oslo", {"id": 6, "at": 8}),  # a row that does not exist
        ("Oslo", {"id": 3, "at": 30}),  # of another partition
        ("Bern", {"id": 1, "at": 10}),  # where no rows tie for the first place
    ):
        before = {r.city: r.asDict() for r in view.to_df().collect()}[city]
        tamper(view, changed(city, **values))
        assert view_is_wrong(view), (city, values)
        tamper(view, changed(city, **{k: before[k] for k in values}))
    assert verdict(view) == consistent


def test_ties_that_no_cut_goes_through_decide_nothing(wh: ev.Warehouse, seen: ev.Table) -> None:
    add(seen, (9, "Bern", 10), (10, "Bern", 20))
    sql = f"SELECT id, city FROM ({LATEST.replace('rn = 1', 'rn <= 2')})"
    assert verdict(wh.create_materialized_view("v", sql)) == ("exact", (), ())
    numbered = wh.create_materialized_view("w", LATEST.replace("rn = 1", "rn <= 2"))
    assert verdict(numbered) == ("consistent", ("id", "at", "rn"), ())
    three = wh.create_materialized_view("x", sql.replace("<= 2", "<= 3"))
    assert verdict(three) == ("consistent", ("id",), ())
    tamper(three, lambda row: {**row, "id": 9} if row["id"] == 10 else row)
    assert view_is_wrong(three)


def test_of_each_key_there_are_as_many_rows_also_where_it_is_not_shown(
    wh: ev.Warehouse, seen: ev.Table
) -> None:
    add(seen, *TIED, (10, "Bern", 20))
    sql = f"SELECT id FROM ({LATEST})"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    assert verdict(view) == ("consistent", ("id",), ())
    rows: dict[int, Row] = {}
    tamper(view, lambda row: rows.setdefault(row["id"], row))
    (oslo,) = {6, 7} & rows.keys()
    twice = {**rows[oslo], "id": 13 - oslo}  # the other one that ties, beside it
    tamper(view, lambda row: twice if row["id"] in (2, 10) else row)
    assert view_is_wrong(view)


def view_is_wrong(view: ev.View) -> bool:
    return view.verify().outcome == "wrong"


def test_numbers_that_are_shown_lie_within_those_of_the_ties(
    wh: ev.Warehouse, seen: ev.Table
) -> None:
    sql = "SELECT id, row_number() OVER (PARTITION BY city ORDER BY at) AS n FROM seen"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    assert verdict(view) == ("exact", (), ())
    add(seen, *TIED)
    view.refresh()
    assert verdict(view) == ("consistent", ("n",), ())
    numbers = {r.id: r.n for r in view.to_df().collect()}
    ties = {6: 5 - numbers[6], 7: 5 - numbers[7]}
    tamper(view, lambda row: {**row, "n": ties.get(row["id"], row["n"])})
    assert verdict(view) == ("consistent", ("n",), ())
    tamper(view, lambda row: {**row, "n": {8: 2, 6: 1}.get(row["id"], row["n"])})
    assert view_is_wrong(view)


def test_other_windows_are_compared_where_no_rows_tie(wh: ev.Warehouse, seen: ev.Table) -> None:
    sql = "SELECT id, city, lag(id) OVER (PARTITION BY city ORDER BY at) AS l FROM seen"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    assert verdict(view) == ("exact", (), ())
    add(seen, *TIED)
    view.refresh()
    found = view.verify()
    assert (found.outcome, found.left_out) == ("consistent", ("l",))
    assert "every column where no rows tie, which they do in 2 groups" in str(found)
    tamper(view, lambda row: {**row, "l": 4} if row["id"] == 4 else row)  # in Rome no rows tie
    assert view_is_wrong(view)


def test_aggregates_that_order_decides(wh: ev.Warehouse, seen: ev.Table) -> None:
    sql = """SELECT city, collect_list(id) AS ids, max_by(id, at) AS latest,
        min_by(id, at) AS oldest, first(at) AS some, mode(at) AS often FROM seen GROUP BY city"""
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    assert verdict(view) == ("consistent", ("ids", "some", "often"), ())
    assert view.verify().compared == ("city", "latest", "oldest")
    add(seen, *TIED)
    view.refresh()
    several = ("consistent", ("ids", "latest", "oldest", "some", "often"), ())
    assert verdict(view) == several
    rows = {r.city: r.asDict(recursive=True) for r in view.to_df().collect()}
    oslo, bern = rows["Oslo"], rows["Bern"]
    fine: list[tuple[str, Row]] = [
        ("Oslo", {"ids": [8, 7, 6], "latest": 13 - oslo["latest"], "some": 1}),
        ("Bern", {"oldest": 10 - bern["oldest"], "some": 20, "often": 10}),
    ]
    for city, values in fine:
        tamper(view, changed(city, **values))
        assert verdict(view) == several
    wrong: list[tuple[str, Row]] = [
        ("Oslo", {"ids": [8, 7, 7]}),
        ("Oslo", {"latest": 8}),
        ("Bern", {"oldest": 2}),
        ("Rome", {"some": 7}),
        ("Oslo", {"often": 1}),
        ("Oslo", {"latest": None}),
    ]
    for city, values in wrong:
        before = {r.city: r.asDict(recursive=True) for r in view.to_df().collect()}[city]
        tamper(view, changed(city, **values))
        assert view_is_wrong(view), (city, values)
        tamper(view, changed(city, **{k: before[k] for k in values}))
    assert verdict(view) == several
