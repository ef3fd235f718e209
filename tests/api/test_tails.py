"""Views with LIMIT: what lies below is maintained, the tail is applied wherever they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from deltalake import DeltaTable

import everview as ev
from everview.errors import NotIncremental
from tests.api.bags import assert_exact, bag, refused
from tests.api.shop import add_sales
from tests.api.tails import BEST, LATER, STRICT, listed
from tests.api.tampering import tamper


def test_the_best_groups_follow_every_change(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("best", BEST, policy=STRICT)
    assert listed(view.to_df()) == [("Rome", 60), (None, 50)]
    batches: tuple[tuple[Callable[[], object], list[tuple[object, ...]]], ...] = (
        (lambda: add_sales(sales, (6, "Oslo", 55), (7, "Bern", 1)), [("Rome", 60), ("Oslo", 55)]),
        (lambda: sales.delete("id = 3"), [("Oslo", 55), (None, 50)]),
        (lambda: sales.update({"amount": "-amount"}), [("Rome", -30), ("Bern", -31)]),
        (lambda: sales.delete("city IS NOT NULL"), [(None, -50)]),
        (lambda: sales.delete("TRUE"), []),
        (lambda: add_sales(sales, (8, "Rome", None)), [("Rome", None)]),
    )
    for change, rows in batches:
        change()
        receipt = view.refresh()
        assert receipt.strategy == "incremental: groups", receipt.reason
        assert listed(view.to_df()) == rows
        assert listed(wh.sql("FROM best")) == rows
        verified = view.verify()
        assert verified.ok, str(verified)


def test_an_order_that_is_not_shown_is_stored_and_kept(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("later", LATER, policy=STRICT)
    assert listed(view.to_df()) == [(3, "Rome"), (4, "Rome")]
    add_sales(sales, (6, "Oslo", 60), (7, "Bern", None))
    assert view.refresh().strategy == "incremental: append"
    assert listed(view.to_df()) == [(5, None), (3, "Rome")]
    assert view.verify().ok
    sales.update({"amount": "CASE WHEN id = 7 THEN 61 ELSE amount - 40 END"}, "id IN (5, 7)")
    assert view.refresh().strategy == "incremental: rows"
    assert listed(view.to_df()) == [(6, "Oslo"), (3, "Rome")]
    verified = view.verify()
    assert verified.ok, str(verified)
    sales.delete("id <> 4")
    assert view.refresh().strategy == "incremental: rows"
    assert (listed(view.to_df()), view.status().rows) == ([], 0), "the offset passes the one row"
    assert view.verify().ok


def test_among_ties_the_rows_shown_are_some_of_those_that_tie(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    rows = [(i, "Rome" if i % 2 else None, 30) for i in range(10, 20)]
    add_sales(sales, *rows, *rows)
    sql = "SELECT id FROM sales ORDER BY city DESC NULLS FIRST, amount DESC LIMIT 5 OFFSET 2"
    view = wh.create_materialized_view("tied", sql, policy=STRICT)
    for change in (lambda: sales.delete("id IN (10, 5)"), lambda: sales.delete("city IS NULL")):
        change()
        assert view.refresh().strategy == "incremental: rows"
        shown = listed(view.to_df())
        assert shown == listed(view.to_df()), "each read shows the same ones"
        order = {i: (c, a) for i, c, a in listed(sales.to_df())}
        wanted = [order[row["id"]] for row in wh.sql(sql).collect()]
        assert [order[i] for (i,) in shown] == wanted
        assert all(n <= bag(sales.to_df().select("id"))[row] for row, n in Counter(shown).items())
        verified = view.verify()
        assert verified.ok, str(verified)
        assert "ties aside" in str(verified)


def test_a_query_over_the_view_sees_what_it_shows(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("best", BEST, policy=STRICT)
    assert listed(wh.sql("SELECT city FROM best WHERE total < 60")) == [(None,)]
    assert listed(wh.sql("SELECT count(*), sum(total) FROM best")) == [(2, 110)]
    wh.sql("CREATE VIEW cities AS SELECT city FROM best")
    assert bag(wh.sql("FROM cities")) == bag([("Rome",), (None,)])
    wh.sql("CREATE TABLE copy AS SELECT * FROM best")
    assert bag(wh.table("copy").to_df()) == bag([("Rome", 60), (None, 50)])
    before = DeltaTable(view.path).version()
    sales.delete("city = 'Rome'")
    view.refresh()
    assert listed(view.to_df()) == [(None, 50), ("Bern", 30)]
    assert listed(view.to_df(before)) == [("Rome", 60), (None, 50)]


def test_a_view_above_reads_what_it_shows_and_is_recomputed(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    wh.create_materialized_view("best", BEST, policy=STRICT)
    above = "SELECT count(*) AS n, min(total) AS least FROM best"
    with refused(NotIncremental, "`best` has a LIMIT, its rows are not changed row by row", "line"):
        wh.create_materialized_view("above", above, policy=STRICT)
    view = wh.create_materialized_view("above", above)
    assert listed(view.to_df()) == [(2, 50)]
    for change in (
        lambda: add_sales(sales, (6, "Bern", 1)),
        lambda: add_sales(sales, (7, "Oslo", 55)),
        lambda: sales.delete("city IS NOT NULL"),
    ):
        change()
        receipt = view.refresh()
        assert receipt.strategy == "full"
        assert "`best` has a LIMIT" in receipt.reason
        assert receipt.below[0].strategy == "incremental: groups"
        assert_exact(wh, "above", above)
        verified = view.verify()
        assert verified.ok, str(verified)
    assert listed(view.to_df()) == [(1, 50)]


def test_it_says_that_its_folder_holds_more(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("best", BEST, policy=STRICT)
    assert DeltaTable(view.path).to_pyarrow_table().num_rows == 3
    status = view.status()
    assert (status.rows, status.readable_by_others) == (2, False)
    assert "its folder holds 3 rows, ORDER BY total DESC, city LIMIT 2" in status.readable_reason
    assert "read with ORDER BY total DESC, city LIMIT 2" in str(view.explain())
    details = dict(row[:2] for row in listed(wh.sql("DESCRIBE EXTENDED best")))
    assert details["Rows"] == "2"
    assert "its folder holds 3 rows" in str(details["Readable by others"])
    assert "LIMIT 2" in view._repr_html_()


def test_its_tail_is_read_from_its_record(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path
) -> None:
    wh.create_materialized_view("later", LATER, policy=STRICT)
    add_sales(sales, (6, "Oslo", 60))
    wh.refresh()
    other = ev.open(str(tmp_path / "shop"), spark=wh.spark)
    assert listed(other.sql("FROM later")) == [(5, None), (3, "Rome")]
    assert not other._world._defined, "nothing was planned"
    other.view("later").compact()
    assert listed(other.view("later").to_df()) == [(5, None), (3, "Rome")]
    assert all(r.strategy.startswith("skipped") for r in other.refresh())


def test_verify_finds_a_wrong_row_below_those_that_are_shown(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    best = wh.create_materialized_view("best", BEST, policy=STRICT)
    tamper(best, lambda row: {**row, "total": 31} if row["city"] == "Bern" else row)
    found = best.verify()
    assert (found.ok, found.missing, found.unexpected) == (False, 1, 1)
    assert "total=30" in found.missing_sample[0]
    later = wh.create_materialized_view("later", LATER, policy=STRICT)
    assert later.verify().ok
    tamper(later, lambda row: {**row, "__ev": {"by0_amount": 21}} if row["id"] == 2 else row)
    found = later.verify()
    assert (found.ok, found.missing, found.unexpected) == (False, 1, 1)
    assert "by0_amount=21" in found.unexpected_sample[0]
