"""Views with LIMIT: what lies below is maintained, the tail is applied wherever they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import DataFrame

import everview as ev
from everview.algebra.relations import Rel, TopK
from everview.errors import NotIncremental
from everview.run.understand import define
from everview.sql.bind.query import Lowered
from tests.api.bags import assert_exact, bag, frame, refused
from tests.api.shop import BY_CITY, add_sales
from tests.api.tampering import tamper

BEST = (
    "SELECT city, sum(amount) AS total FROM sales GROUP BY city ORDER BY total DESC, city LIMIT 2"
)
LATER = "SELECT id, city FROM sales ORDER BY amount DESC, id LIMIT 2 OFFSET 1"
STRICT = "INCREMENTAL STRICT"


def listed(rows: DataFrame) -> list[tuple[object, ...]]:
    return [tuple(row) for row in rows.collect()]


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


def test_a_limit_that_does_not_end_the_text(wh: ev.Warehouse, sales: ev.Table) -> None:
    """Then the text cannot be run without it, and our reading of it is compared."""
    sql = "FROM sales |> ORDER BY amount DESC, id |> LIMIT 2 |> SELECT id"
    view = wh.create_materialized_view("piped", sql, policy=STRICT)
    sales.delete("id = 5")
    view.refresh()
    assert listed(view.to_df()) == [(3,), (4,)]
    found = view.verify()
    assert found.ok, str(found)
    assert "our reading of the text" in found.how
    tamper(view, lambda row: {**row, "id": 9} if row["id"] == 1 else row)
    assert not view.verify().ok


def test_an_order_by_a_sum_of_floats_is_left_out(wh: ev.Warehouse) -> None:
    values = wh.spark.sql("SELECT id % 5 AS k, CAST(id AS DOUBLE) / 7 AS x FROM range(50)")
    table = wh.create_table("t", values)
    sql = "SELECT k FROM t GROUP BY k ORDER BY sum(x) DESC LIMIT 2"
    view = wh.create_materialized_view("v", sql, policy=STRICT)
    table.append(values.where("k = 1"))
    view.refresh()
    assert listed(view.to_df()) == [(1,), (4,)]
    found = view.verify()
    assert found.ok, str(found)
    assert "ties and __ev.by0_sum aside" in found.how
    tamper(view, lambda row: {**row, "k": 8} if row["k"] == 2 else row)
    assert not view.verify().ok


def test_one_group_needs_no_order(wh: ev.Warehouse, sales: ev.Table) -> None:
    sql = "SELECT count(*) AS n FROM sales WHERE amount > 20 LIMIT 100"
    view = wh.create_materialized_view("n", sql, policy=STRICT)
    sales.delete("id = 5")
    assert view.refresh().strategy == "incremental: groups"
    assert listed(view.to_df()) == [(2,)]
    assert view.verify().ok


def test_what_cannot_be_stored_or_has_no_order_is_recomputed(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    interval = "SELECT id FROM sales ORDER BY make_dt_interval(0, 0, 0, amount) DESC, id LIMIT 2"
    for sql, reason in (
        (interval, "LIMIT by an order that cannot be stored"),
        ("SELECT id FROM sales LIMIT 2", "LIMIT or OFFSET is not maintained"),
        ("SELECT id FROM sales ORDER BY id LIMIT 1 + 1", "LIMIT or OFFSET is not maintained"),
    ):
        view = wh.create_materialized_view("v", sql, replace=True)
        assert view.status().kept.startswith(f"recomputed in full: {reason}"), view.status().kept
        assert view.status().readable_by_others
        assert view.to_df().count() == 2
    wh.create_materialized_view("v", interval, replace=True)
    assert_exact(wh, "v", interval)


def misread(change: Callable[[TopK], TopK], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the binder read the LIMIT of a definition otherwise."""
    original = define.lower

    def everywhere(rel: Rel) -> Rel:
        made = rel.over(tuple(everywhere(i) for i in rel.inputs))
        return change(made) if isinstance(made, TopK) else made

    def mutated(*args: object, **named: object) -> object:
        found = original(*args, **named)  # type: ignore[arg-type]
        assert isinstance(found, Lowered)
        return replace(found, rel=everywhere(found.rel))

    monkeypatch.setattr(define, "lower", mutated)


@pytest.mark.parametrize(
    "change",
    [
        lambda top: replace(top, order=tuple(replace(k, descending=False) for k in top.order)),
        lambda top: replace(top, order=top.order[1:]),
        lambda top: replace(top, offset=None),
    ],
    ids=["direction", "key", "offset"],
)
def test_a_misreading_of_the_tail_is_found_at_creation(
    wh: ev.Warehouse,
    sales: ev.Table,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[TopK], TopK],
) -> None:
    misread(change, monkeypatch)
    wh.create_materialized_view("later", LATER)
    monkeypatch.undo()
    view = wh.view("later")
    assert listed(view.to_df()) == [(3, "Rome"), (4, "Rome")]
    assert "other rows than Spark's" in view.status().kept


def test_a_join_in_the_order_of_the_other_side(wh: ev.Warehouse, sales: ev.Table) -> None:
    stores = wh.create_table("stores", "city STRING, place BIGINT")
    given = (("Bern", 2), ("Rome", None), ("Oslo", 1))
    stores.append(frame(wh.spark, "city STRING, place BIGINT", *given))
    sql = (
        "SELECT s.id, s.amount FROM sales s JOIN stores c ON s.city = c.city\n"
        "ORDER BY c.place NULLS LAST, s.id DESC LIMIT 3;"
    )
    view = wh.create_materialized_view("nearest", sql, policy=STRICT)
    assert listed(view.to_df()) == [(2, 20), (1, 10), (4, 30)]
    add_sales(sales, (6, "Oslo", 60))
    stores.update({"place": "0"}, "city = 'Rome'")
    assert view.refresh().strategy == "incremental: rows"
    assert listed(view.to_df()) == [(4, 30), (3, 30), (6, 60)]
    assert view.verify().ok
    stores.delete("city <> 'Bern'")
    sales.delete("id = 1")
    assert view.refresh().strategy == "incremental: rows"
    assert listed(view.to_df()) == [(2, 20)]
    verified = view.verify()
    assert verified.ok, str(verified)


def test_a_view_without_limit_in_its_place(wh: ev.Warehouse, sales: ev.Table) -> None:
    """The view above is built anew with the one it reads, and is incremental from then on."""
    wh.create_materialized_view("lower", f"{BY_CITY} ORDER BY n DESC LIMIT 1")
    above = "SELECT sum(n) AS n FROM lower"
    view = wh.create_materialized_view("above", above)
    assert listed(view.to_df()) == [(2,)]
    wh.create_materialized_view("lower", BY_CITY, replace=True)
    assert view.refresh().reason == "built anew: `lower` has no LIMIT now"
    assert listed(view.to_df()) == [(5,)]
    view.set_policy(STRICT)
    add_sales(sales, (6, "Oslo", 60))
    assert view.refresh().strategy == "incremental: groups"
    assert listed(view.to_df()) == [(6,)]
