"""Which views with LIMIT are maintained, whatever their order is, and which are recomputed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import everview as ev
from everview.algebra.relations import Rel, TopK
from everview.run.understand import define
from everview.sql.bind.query import Lowered
from tests.api.bags import assert_exact, frame
from tests.api.shop import BY_CITY, add_sales
from tests.api.tails import LATER, STRICT, listed
from tests.api.tampering import tamper


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
