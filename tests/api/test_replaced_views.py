"""A view that is replaced or built anew stays where it is, and what reads it follows."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from deltalake import DeltaTable

import everview as ev
from everview.errors import (
    CommitConflict,
    InvalidArgument,
    LostHistory,
    NotIncremental,
    SqlInvalid,
    StillUsed,
)
from tests.api.bags import assert_exact, bag, refused
from tests.api.meanwhile import write_once_at
from tests.api.shop import BY_CITY, LARGE, add_sales

ABOVE = "SELECT max(total) AS highest, count(*) AS cities FROM v"
TOTALS = "SELECT city, sum(amount) AS total FROM sales GROUP BY city"


def replace(wh: ev.Warehouse, sql: str, policy: str = "AUTO") -> ev.View:
    return wh.create_materialized_view("v", sql, policy, replace=True)


def folders(wh: ev.Warehouse) -> list[str]:
    return sorted(p.name for p in (Path(wh.path) / "views").glob("*"))


def test_each_version_is_read_by_the_definition_it_had(wh: ev.Warehouse, sales: ev.Table) -> None:
    by_city = replace(wh, BY_CITY)
    path, first, folder = by_city.path, bag(by_city.to_df()), folders(wh)
    reader = by_city.to_df()
    replace(wh, f"{LARGE} ORDER BY amount DESC LIMIT 2")
    replace(wh, "SELECT city, TIMESTAMP_NTZ'2026-01-01' AS t, amount FROM sales")
    view = wh.view("v")
    assert (view.path, folders(wh)) == (path, folder)
    assert view.to_df().columns == ["city", "t", "amount"]
    assert view.to_df(1).columns == ["city", "n", "total"]
    assert bag(view.to_df(1)) == bag(reader) == first
    assert view.to_df(2).columns == ["city", "amount"]
    assert view.to_df(2).count() == 2, "with the LIMIT that it had"
    assert [r["version"] for r in view.history()] == [3, 2, 1]
    assert DeltaTable(path).to_pyarrow_table().column_names == ["city", "t", "amount"]
    assert view.verify().ok
    add_sales(sales, (6, "Oslo", 60))
    assert view.refresh().strategy == "incremental: append"
    assert view.verify().ok
    view.vacuum(0, force=True)
    with refused(LostHistory, "vacuumed"):
        view.to_df(1)
    assert view.to_df().count() == 6


def test_sources_come_and_go(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_table("prices", wh.spark.range(3))
    replace(wh, TOTALS)
    wh.sql("INSERT INTO prices VALUES (3)")
    view = replace(wh, "SELECT id FROM prices WHERE id > 0", "INCREMENTAL STRICT")
    assert view.status().exact_at == {"prices": wh.table("prices").version}
    add_sales(sales, (6, "Oslo", 60))
    assert view.refresh().strategy.startswith("skipped"), "what it no longer reads does not move it"
    wh.sql("INSERT INTO prices VALUES (4)")
    assert view.refresh().strategy == "incremental: append"
    replace(wh, TOTALS, "INCREMENTAL STRICT")
    assert view.status().exact_at == {"sales": sales.version}
    assert view.status().behind == {"sales": 0}
    wh.table("prices").drop()
    add_sales(sales, (7, "Rome", 70))
    assert view.refresh().strategy == "incremental: groups"
    assert_exact(wh, "v", TOTALS)
    assert view.verify().ok


def test_views_above_follow_a_compatible_replacement(wh: ev.Warehouse, sales: ev.Table) -> None:
    replace(wh, "SELECT city, sum(amount) AS total, count(*) AS unused FROM sales GROUP BY city")
    above = wh.create_materialized_view("above", ABOVE, "INCREMENTAL STRICT")
    wh.create_materialized_view("all_of_it", "SELECT total FROM v WHERE total > 0")
    add_sales(sales, (6, "Oslo", 60))
    replace(wh, "SELECT city, 2 * sum(amount) AS total, avg(amount) AS new FROM sales GROUP BY ALL")
    for name in ("above", "all_of_it"):
        assert wh.view(name).verify().ok, "it is exact at the version it read, whose columns it has"
        assert wh.view(name).status().behind == {"v": 1}
    receipt = above.refresh()
    assert receipt.strategy == "incremental: groups", "by the difference of the files"
    assert_exact(wh, "above", ABOVE)
    wh.refresh()
    assert_exact(wh, "all_of_it", "SELECT total FROM v WHERE total > 0")
    assert above.verify().ok
    assert wh.view("all_of_it").verify().ok


def test_a_view_below_gets_a_limit_and_loses_it(wh: ev.Warehouse, sales: ev.Table) -> None:
    replace(wh, LARGE)
    sql = "SELECT city, count(*) AS n FROM v GROUP BY city"
    above = wh.create_materialized_view("above", sql, "INCREMENTAL")
    limited = f"{LARGE} ORDER BY amount, city LIMIT 2"
    with refused(StillUsed, "`above` has the policy INCREMENTAL"):
        replace(wh, limited)
    above.set_policy("AUTO")
    replace(wh, limited)
    assert above.verify().ok
    assert "`v` has a LIMIT now" in above.status().next_full
    assert "`v` has a LIMIT now" in str(above.explain())
    assert above.refresh().reason == "built anew: `v` has a LIMIT now"
    assert_exact(wh, "above", sql)
    assert above.verify().ok
    replace(wh, LARGE)
    assert above.refresh().reason == "built anew: `v` has no LIMIT now"
    add_sales(sales, (6, "Oslo", 60))
    above.set_policy("INCREMENTAL STRICT")
    assert above.refresh().strategy == "incremental: groups"
    assert_exact(wh, "above", sql)


def test_a_replacement_that_fails_leaves_everything_as_it_was(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    view = wh.create_materialized_view("v", TOTALS, "INCREMENTAL", "kept")
    before, folder = view.history(), folders(wh)
    with refused(NotIncremental):
        replace(wh, "SELECT city, rank() OVER (ORDER BY city) AS r FROM sales", "INCREMENTAL")
    with refused(SqlInvalid, "nowhere"):
        replace(wh, "SELECT nowhere FROM sales")
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        replace(wh, "SELECT city, 1 / (amount - 30) AS x FROM sales")
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        wh.create_materialized_view("w", "SELECT city, 1 / (amount - 30) AS x FROM sales")
    assert wh.views() == ["v"]
    assert folders(wh) == folder, "of a view that was never published nothing is left"
    assert view.history() == before
    assert (view.status().policy, view.status().comment) == ("INCREMENTAL", "kept")
    assert_exact(wh, "v", TOTALS)
    add_sales(sales, (6, "Oslo", 60))
    assert view.refresh().strategy == "incremental: groups"
    assert view.verify().ok


def test_of_two_who_change_a_view_at_once_one_is_told(
    wh: ev.Warehouse, sales: ev.Table, tmp_path: Path
) -> None:
    view = replace(wh, TOTALS)
    other = ev.open(str(tmp_path / "shop"), spark=wh.spark)
    add_sales(sales, (6, "Oslo", 60))
    write_once_at(wh, "refresh: commit", lambda: other.view("v").refresh())
    with refused(CommitConflict):
        replace(wh, LARGE)
    assert_exact(wh, "v", TOTALS)
    write_once_at(wh, "refresh: commit", lambda: replace(other, LARGE))
    add_sales(sales, (7, "Oslo", 70))
    assert view.refresh().strategy == "skipped: already done"
    assert_exact(wh, "v", LARGE)
    assert view.verify().ok
    assert view.refresh().strategy.startswith("skipped")


def test_a_foreign_write_is_noticed_after_a_replacement(wh: ev.Warehouse, sales: ev.Table) -> None:
    replace(wh, BY_CITY)
    view = replace(wh, LARGE)
    assert view.refresh().strategy.startswith("skipped"), "the replacement itself is trusted"
    DeltaTable(view.path).delete("amount > 25")
    assert "another writer" in view.status().next_full
    assert "another writer" in view.refresh().reason
    assert_exact(wh, "v", LARGE)


def test_a_view_whose_folder_is_gone_is_made_anew(wh: ev.Warehouse, sales: ev.Table) -> None:
    view = replace(wh, TOTALS)
    shutil.rmtree(view.path)
    replace(wh, LARGE)
    assert_exact(wh, "v", LARGE)


# Virtual views


def test_a_virtual_view_is_replaced_below_others(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_view("chosen", "SELECT city, amount FROM sales WHERE amount >= 20")
    wh.create_view("named", "SELECT city AS c, amount FROM chosen")
    sql = "SELECT c, sum(amount) AS total FROM named GROUP BY c"
    view = wh.create_materialized_view("v", sql, "INCREMENTAL")
    wh.create_materialized_view("above", ABOVE, "INCREMENTAL STRICT")
    before = bag(view.to_df())
    wh.create_table("more", "city STRING, amount BIGINT")
    wh.sql("INSERT INTO more VALUES ('Oslo', 5), ('Bern', 6)")
    both = "SELECT city, amount FROM sales UNION ALL SELECT city, amount FROM more"
    wh.sql(f"CREATE OR REPLACE VIEW chosen AS {both}")
    assert bag(view.to_df()) == before
    assert view.verify().ok, "what is stored is what it was"
    said = "one of the views `named`, `chosen` was replaced"
    assert view.status().next_full == said
    assert said in view._repr_html_()
    assert said in str(view.explain())
    with refused(StillUsed, "chosen"):
        wh.table("more").drop()
    receipts = {r.view: r for r in wh.refresh()}
    assert receipts["v"].reason == f"built anew: {said}"
    assert receipts["above"].changed
    assert_exact(wh, "v", sql)
    assert_exact(wh, "above", ABOVE)
    assert view.status().next_full == ""
    wh.sql("INSERT INTO more VALUES ('Oslo', 500)")
    assert view.refresh().strategy == "incremental: groups"
    assert_exact(wh, "v", sql)
    assert view.verify().ok


def test_views_below_a_new_text_are_refreshed_first(wh: ev.Warehouse, sales: ev.Table) -> None:
    wh.create_view("chosen", "SELECT city, sum(amount) AS total FROM sales GROUP BY city")
    wh.create_materialized_view("top", "SELECT max(total) AS most FROM chosen")
    wh.create_materialized_view("by_city", BY_CITY)
    wh.create_view("chosen", "SELECT city, total FROM by_city", replace=True)
    add_sales(sales, (6, "Oslo", 600))
    wh.view("top").refresh()
    assert bag(wh.view("top").to_df()) == bag([(600,)])
    assert wh.view("by_city").refresh().strategy.startswith("skipped")


def test_a_virtual_view_that_others_could_not_read_is_refused(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    wh.create_view("chosen", "SELECT city, amount FROM sales")
    wh.create_view("named", "SELECT city AS c FROM chosen")
    sql = "SELECT city, sum(amount) AS total FROM chosen GROUP BY city"
    view = wh.create_materialized_view("v", sql, "INCREMENTAL")
    for text, said in (
        ("SELECT amount FROM sales", ("`named`", "`v` would not be valid")),
        ("SELECT city, CAST(amount AS DOUBLE) AS amount FROM sales", ("`v` would have double",)),
        ("SELECT city, rank() OVER (ORDER BY city) AS amount FROM sales", ("`v`",)),
        ("SELECT DISTINCT city, rand() AS amount FROM sales", ("`v`",)),
    ):
        with refused(StillUsed, "`chosen` cannot be replaced so", *said):
            wh.create_view("chosen", text, replace=True)
    assert view.status().next_full == ""
    assert view.refresh().strategy.startswith("skipped")
    view.rename("renamed")
    wh.create_view("chosen", "SELECT city, amount, id FROM sales WHERE id > 1", replace=True)
    assert "`chosen` was replaced" in wh.view("renamed").status().next_full
    wh.refresh()
    assert_exact(wh, "renamed", sql)


def test_a_virtual_view_above_keeps_a_materialized_one_from_losing_columns(
    wh: ev.Warehouse, sales: ev.Table
) -> None:
    replace(wh, BY_CITY)
    wh.create_view("above", "SELECT city, n FROM v")
    with refused(StillUsed, "`above` would not be valid any more", "`n`"):
        replace(wh, TOTALS)
    replace(wh, "SELECT city, 7 AS n FROM sales")
    assert bag(wh.sql("SELECT n FROM above WHERE city = 'Rome'")) == bag([(7,), (7,)])


# Clustering


def test_files_are_clustered_as_wished(wh: ev.Warehouse) -> None:
    wh.create_table("t", wh.spark.range(4000).selectExpr("id", "(id * 37) % 4000 AS x"))
    wh.sql("CREATE MATERIALIZED VIEW v CLUSTER BY (X) AS SELECT id, x FROM t WHERE id >= 0")
    details = {r[0]: r[1] for r in wh.sql("DESCRIBE EXTENDED v").collect()}
    assert details["Clustered by"] == "x"
    wh.sql("INSERT INTO t SELECT id + 4000, id FROM range(4000)")
    view = wh.view("v")
    view.refresh()
    view.compact()
    table = wh._world.open(view._entry)
    bounds = [dict(f.bounds)["x"] for f in table.snapshot(table.head().version).files]
    ranges = sorted((b.low, b.high) for b in bounds)
    assert all(a[1] <= b[0] for a, b in pairwise(ranges)), ranges
    assert view.verify().ok
    with refused(InvalidArgument, "`v` has no column `y`"):
        wh.create_materialized_view("v", "SELECT x FROM t", replace=True, cluster_by="y")
    replaced = wh.create_materialized_view(
        "v", "SELECT x, count(*) AS n FROM t GROUP BY x", replace=True, cluster_by=["n"]
    )
    assert replaced.verify().ok
    wh.sql("DELETE FROM t WHERE id = 5")
    replaced.refresh()
    assert replaced.verify().ok
