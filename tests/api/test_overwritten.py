"""Tables that are written anew with few other rows: only what differs is propagated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

import everview as ev
from everview.choose import netting
from everview.facts.methods import Way
from everview.run.driver import net_changes
from everview.run.refresh import compare
from tests.api.bags import assert_exact

BY_CITY = """
    SELECT c.city, count(*) AS n, sum(o.amount) AS total, max(o.price) AS top
    FROM o JOIN c ON o.c = c.id GROUP BY c.city
"""
JOINED = "SELECT o.id, o.amount, o.price, c.city FROM o LEFT JOIN c ON o.c = c.id"
ABOVE = "SELECT max(n) AS most, sum(total) AS total FROM by_city"
VIEWS = {"by_city": BY_CITY, "joined": JOINED, "above": ABOVE}
ROWS = 60


def orders(**changed: tuple[object, ...]) -> pa.Table:
    """Orders with NULL, NaN, -0.0 and copies; some of them as `r<number>` says, None: left out."""
    rows: list[tuple[object, ...]] = []
    for i in range(ROWS):
        price = (None, float("nan"), -0.0, 0.0, 1.5)[i % 5]
        rows.append(changed.get(f"r{i}", (i // 2 * 2, i % 7, i // 2, price, i)))
    columns = list(zip(*(r for r in rows if r), strict=True))
    types = (pa.int64(), pa.int64(), pa.int64(), pa.float64(), pa.int64())
    arrays = [pa.array(c, t) for c, t in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["id", "c", "amount", "price", "loaded"])


@pytest.fixture
def shop(wh: ev.Warehouse) -> ev.Warehouse:
    wh.run_script("""
        CREATE TABLE o (id BIGINT, c BIGINT, amount BIGINT, price DOUBLE, loaded BIGINT);
        CREATE TABLE c (id BIGINT, city STRING);
        INSERT INTO c VALUES (0, 'Bern'), (1, 'Rome'), (2, 'Bern'), (3, NULL), (4, 'Oslo');
    """)
    wh.table("o").overwrite(orders())
    for name, text in VIEWS.items():
        wh.create_materialized_view(name, text, policy="INCREMENTAL STRICT")
    return wh


def refreshed(wh: ev.Warehouse) -> dict[str, ev.Receipt]:
    """All views, each compared with its recomputation."""
    receipts = {r.view: r for r in wh.refresh()}
    assert [wh.view(name).verify().outcome for name in VIEWS] == ["exact"] * len(VIEWS)
    return receipts


ONE = (20, 6, 777, float("nan"), 0)


def test_what_is_written_anew_is_netted_before_anything_is_joined(shop: ev.Warehouse) -> None:
    o = shop.table("o")
    o.overwrite(orders(r20=ONE))
    told = str(shop.view("by_city").explain())
    assert "o: 120 changes netted to 2 first" in told
    assert "+1 -1 rows" in told
    receipts = refreshed(shop)
    assert "o: 120 changes netted to 2 first" in receipts["by_city"].reason
    assert receipts["joined"].rows_inserted == receipts["joined"].rows_deleted == 1

    o.overwrite(orders(r20=ONE))
    receipts = refreshed(shop)
    assert {r.way for r in receipts.values()} == {Way.MOVED, Way.SKIPPED}
    assert receipts["by_city"].actions == 0

    o.overwrite(orders(r20=ONE).take(list(range(ROWS))[::-1]))
    assert refreshed(shop)["joined"].way is Way.MOVED

    o.overwrite(orders())
    o.overwrite(orders(r1=(), r7=ONE))
    o.append(orders().slice(3, 2))
    refreshed(shop)

    table = orders(r1=(), r7=ONE)
    loaded = pa.array([9] * table.num_rows)
    o.overwrite(pa.concat_tables([table.set_column(4, "loaded", loaded), orders().slice(3, 2)]))
    assert refreshed(shop)["by_city"].way is Way.MOVED, "no view uses the column"


def test_what_many_rows_leave_is_read_where_it_lies(
    shop: ev.Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(net_changes, "MOST_NETTED_ROWS", 1)
    shop.table("o").overwrite(orders(r20=ONE, r31=(1, 2, 3, 4.0, 5)))
    assert "netted to 4 first" in refreshed(shop)["by_city"].reason


def test_a_query_nets_first_what_is_too_large_for_the_driver(
    shop: ev.Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(netting, "MOST_ROWS_BY_DRIVER", 0)
    monkeypatch.setattr(netting, "FEWEST_ROWS_BY_SPARK", 1)
    shop.table("o").overwrite(orders(r20=ONE, r33=()))
    assert "net the changes of a table that was written anew" in str(shop.view("joined").explain())
    receipts = refreshed(shop)
    assert receipts["joined"].rows_inserted == 1
    assert receipts["joined"].rows_deleted == 2
    assert receipts["by_city"].seconds["parts"] > 0


@pytest.mark.parametrize("by", [[], ["day"]])
def test_a_table_of_somebody_else_is_netted_too(
    wh: ev.Warehouse, tmp_path: Path, by: list[str]
) -> None:
    path = str(tmp_path / "theirs")

    def write(*amounts: int) -> None:
        days = [f"2026-01-0{1 + i % 3}" for i, _ in enumerate(amounts)]
        table = pa.table({"day": days, "amount": amounts})
        write_deltalake(path, table, mode="overwrite", partition_by=by or None)

    write(1, 2, 3, 4, 5, 5)
    wh.attach("theirs", path)
    text = "SELECT day, sum(amount) AS total, count(*) AS n FROM theirs GROUP BY day"
    wh.create_materialized_view("daily", text)
    changes: tuple[tuple[Callable[[], None], str], ...] = (
        (lambda: write(1, 2, 3, 4, 5, 6), "12 changes netted to 2"),
        (lambda: write(1, 2, 3, 4, 5, 6), "12 changes netted to 0"),
        (lambda: write(4, 5, 6, 1, 2, 3), "12 changes netted to 0"),
    )
    for change, said in changes:
        change()
        receipt = wh.view("daily").refresh()
        assert said in receipt.reason
        assert wh.view("daily").verify().outcome == "exact"
        assert_exact(wh, "daily", text)


SILVER = "SELECT id, c, amount, price, uuid() IS NULL AS never FROM o"
GROUPED = "SELECT c, count(*) AS n, sum(price) AS total, max(amount) AS top FROM o GROUP BY c"
TOWER = {
    "silver": SILVER,
    "grouped": GROUPED,
    "alone": SILVER,
    "gold": "SELECT c, count(*) AS n, sum(amount) AS total FROM silver GROUP BY c",
    "most": "SELECT max(n) AS most, sum(top) AS top FROM grouped",
}


@pytest.fixture
def tower(wh: ev.Warehouse) -> ev.Warehouse:
    """Views that are always recomputed; those that read them never."""
    wh.run_script(
        "CREATE TABLE o (id BIGINT, c BIGINT, amount BIGINT, price DOUBLE, loaded BIGINT)"
    )
    wh.table("o").overwrite(orders())
    for name, text in TOWER.items():
        policy = "INCREMENTAL STRICT" if name in ("gold", "most") else "FULL"
        wh.create_materialized_view(name, text, policy=policy)
    return wh


def rebuilt(wh: ev.Warehouse) -> dict[str, ev.Receipt]:
    receipts = {r.view: r for r in wh.refresh()}
    assert all(wh.view(name).verify().ok for name in TOWER)
    return receipts


@pytest.mark.parametrize("by_spark", [False, True])
def test_a_view_that_is_recomputed_tells_its_readers_only_what_differs(
    tower: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, by_spark: bool
) -> None:
    if by_spark:
        monkeypatch.setattr(compare, "MOST_BYTES_BY_DRIVER", 0)
    tower.table("o").overwrite(orders(r20=ONE))
    assert "compare" in {s.name for s in tower.view("silver").explain().steps}
    found = rebuilt(tower)
    assert found["silver"].is_full
    assert "2 of 61 rows differ (1 new, 1 gone)" in str(found["silver"])
    assert "read by gold, so only what differs is told" in found["silver"].reason
    grouped = found["grouped"]
    changed = grouped.rows_inserted, grouped.rows_updated, grouped.rows_deleted
    assert changed == ((1, 0, 1) if by_spark else (0, 1, 0)), "amounts of one group"
    assert found["gold"].read["silver"].changes == 2
    assert not found["alone"].compared

    for name in ("silver", "grouped"):
        receipt = tower.view(name).refresh(full=True)
        assert receipt.is_full
        assert not receipt.changed
        assert "none of" in str(receipt)
    assert rebuilt(tower)["gold"].way.is_skipped

    tower.table("o").overwrite(orders().slice(0, 5))
    assert not rebuilt(tower)["silver"].compared, "most rows differ"
