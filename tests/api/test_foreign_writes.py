"""Views whose folder somebody else wrote to, and what verify finds."""

from __future__ import annotations

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

import everview as ev
from tests.api.bags import assert_exact, bag
from tests.api.shop import BY_CITY, HIGHEST, LARGE, add_sales
from tests.api.tampering import tamper


def large(wh: ev.Warehouse, policy: str = "INCREMENTAL STRICT") -> ev.View:
    return wh.create_materialized_view("large", LARGE, policy=policy)


def foreign_row(view: ev.View, *, as_if_ours: bool = False) -> None:
    """Append a row with the Delta library; `as_if_ours` also forges the mark of a refresh."""
    version = DeltaTable(view.path).version()
    mark = [Transaction("everview:self", version + 1)] if as_if_ours else None
    write_deltalake(
        view.path,
        pa.table({"city": ["Nowhere"], "amount": [1000]}),
        mode="append",
        commit_properties=CommitProperties(app_transactions=mark),
    )


def test_a_foreign_row_is_noticed_named_and_healed(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = large(wh)
    foreign_row(view)
    assert not view.verify().ok
    assert "changed by another writer" in str(view.explain())
    receipt = view.refresh()
    assert receipt.strategy == "full"
    assert "changed by another writer" in receipt.reason
    assert_exact(wh, "large", LARGE)
    assert view.verify().ok
    add_sales(sales, (6, "Oslo", 60))
    assert view.refresh().strategy == "incremental: append"
    assert_exact(wh, "large", LARGE)


def test_a_restore_of_a_view_is_noticed(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = large(wh)
    add_sales(sales, (6, "Oslo", 60))
    view.refresh()
    DeltaTable(view.path).restore(1)
    receipt = view.refresh()
    assert (receipt.strategy, "another writer" in receipt.reason) == ("full", True)
    assert_exact(wh, "large", LARGE)


def test_a_foreign_write_in_a_lower_view_is_healed_before_it_is_read(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    view = large(wh)
    above = "SELECT count(*) AS n, sum(amount) AS total FROM large"
    wh.create_materialized_view("above", above, policy="INCREMENTAL")
    foreign_row(view)
    assert [r.view for r in wh.refresh()] == ["large", "above"]
    assert_exact(wh, "large", LARGE)
    assert_exact(wh, "above", above)
    assert wh.view("above").verify().ok


def test_foreign_maintenance_is_no_change(wh: ev.Warehouse, sales: ev.Table) -> None:
    """OPTIMIZE, VACUUM and a checkpoint by the Delta library leave the rows as they are."""
    view = large(wh)
    add_sales(sales, (6, "Oslo", 60))
    view.refresh()
    table = DeltaTable(view.path)
    table.optimize.compact()
    table.vacuum(0, dry_run=False, enforce_retention_duration=False)
    table.create_checkpoint()
    sales.delete("id = 3")
    receipt = view.refresh()
    assert receipt.strategy == "incremental: rows", receipt.reason
    assert_exact(wh, "large", LARGE)


def test_compaction_of_a_view_is_no_change_for_it_nor_for_views_above(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    views = {"large": LARGE, "by_city": BY_CITY, "highest": HIGHEST}
    for name, sql in views.items():
        wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
    above = "SELECT city, n FROM by_city WHERE n > 1"
    wh.create_materialized_view("above", above, policy="INCREMENTAL STRICT")
    add_sales(sales, (6, "Oslo", 60), (7, "Oslo", 70))
    wh.refresh()
    for name in views:
        before, rows = wh.view(name).compact(), bag(wh.view(name).to_df())
        assert len(DeltaTable(wh.view(name).path).file_uris()) == 1
        assert wh.view(name).compact() == before, "one file is compact"
        assert bag(wh.view(name).to_df()) == rows
    assert all(r.strategy.startswith("skipped") for r in wh.refresh())
    sales.delete("id IN (2, 7)")
    for receipt in wh.refresh():
        assert receipt.strategy.startswith("incremental"), receipt.reason
    for name, sql in {**views, "above": above}.items():
        assert_exact(wh, name, sql)
    wh.view("large").vacuum(0, force=True)
    assert_exact(wh, "large", LARGE)


def test_verify_finds_a_row_too_many_with_counts_and_samples(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    view = large(wh)
    assert bool(view.verify())
    foreign_row(view, as_if_ours=True)
    found = view.verify()
    assert (found.ok, found.missing, found.unexpected, found.rows) == (False, 0, 1, 5)
    assert found.missing_sample == ()
    assert "Nowhere" in found.unexpected_sample[0]
    assert found.watermark == {"sales": 2}
    assert "WRONG" in str(found)
    assert "Nowhere" in str(found)
    assert "refresh(full=True)" in str(found)
    assert found.to_dict()["unexpected"] == 1
    view.refresh(full=True)
    assert view.verify().ok


def test_verify_finds_copies_and_wrong_values(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    tamper(view, lambda row: {**row, "total": 31} if row["city"] == "Bern" else row)
    found = view.verify()
    assert (found.ok, found.missing, found.unexpected) == (False, 1, 1)
    assert "total=30" in found.missing_sample[0]
    assert found.missing_sample[0].endswith("copies=1")
    assert "total=31" in found.unexpected_sample[0]
    assert found.unexpected_sample[0].endswith("copies=1")
    bag_view = large(wh)
    tamper(bag_view, lambda row: {"city": "Rome", "amount": 30})
    found = bag_view.verify()
    assert (found.missing, found.unexpected) == (2, 2), "copies are counted"


def test_verify_of_floats_allows_the_stated_bound_only(wh: ev.Warehouse) -> None:
    values = wh.spark.sql("SELECT id % 3 AS k, CAST(id AS DOUBLE) / 7 AS x FROM range(30)")
    table = wh.create_table("t", values)
    sql = "SELECT k, sum(x) AS total, avg(x) AS mean FROM t GROUP BY k"
    view = wh.create_materialized_view("v", sql, policy="INCREMENTAL STRICT")
    table.append(values.where("x > 3"))
    view.refresh()
    assert view.verify().ok
    tamper(view, lambda row: {**row, "total": row["total"] + 0.01})
    assert not view.verify().ok
