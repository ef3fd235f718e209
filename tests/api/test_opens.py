"""How often a refresh opens the logs of its tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import everview as ev
from everview.lake.delta import load
from everview.lake.delta.opened import OPENED
from tests.api.shop import add_sales


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each log was opened, by the last folder of its place."""
    counted: Counter[str] = Counter()
    library = load.DeltaTable

    def counting(uri: str, *args: Any, **named: Any) -> DeltaTable:
        counted[Path(uri).parent.name] += 1
        return library(uri, *args, **named)

    monkeypatch.setattr(load, "DeltaTable", counting)
    return counted


@pytest.fixture
def by_country(wh: ev.Warehouse, sales: ev.Table) -> ev.View:
    wh.sql("CREATE TABLE cities (city STRING, country STRING)")
    wh.sql("INSERT INTO cities VALUES ('Bern', 'CH'), ('Rome', 'IT')")
    wh.sql(
        "CREATE MATERIALIZED VIEW by_country REFRESH POLICY INCREMENTAL AS"
        " SELECT country, sum(amount) AS total, count(*) AS n"
        " FROM sales JOIN cities USING (city) GROUP BY country"
    )
    return wh.view("by_country")


def test_a_refresh_opens_each_log_once(
    sales: ev.Table, by_country: ev.View, opens: Counter[str]
) -> None:
    add_sales(sales, (6, "Bern", 60))
    opens.clear()
    receipt = by_country.refresh()
    assert receipt.strategy.startswith("incremental")
    assert opens == {"views": 1}
    assert by_country.verify().ok


def test_a_refresh_with_nothing_to_do_opens_none(by_country: ev.View, opens: Counter[str]) -> None:
    assert by_country.refresh().strategy.startswith("skip")
    assert not opens


def test_a_new_process_opens_each_log_once(by_country: ev.View, opens: Counter[str]) -> None:
    OPENED.clear()
    assert by_country.refresh().strategy.startswith("skip")
    assert opens == {"tables": 2, "views": 1, "_everview": 1}


def test_the_commit_of_another_writer_is_read(
    wh: ev.Warehouse, sales: ev.Table, by_country: ev.View, opens: Counter[str]
) -> None:
    place = wh._world.open(sales._entry).uri
    more = pa.table({"id": [7], "city": ["Rome"], "amount": [70]})
    write_deltalake(place, more, mode="append")
    opens.clear()
    by_country.refresh()
    assert opens == {"tables": 1, "views": 1}
    assert by_country.verify().ok
