"""Values that Python does not have, as days before the year 1, are left to Spark."""

from __future__ import annotations

import pytest

import everview as ev
from everview.run.driver import way

VIEWS = {
    "joined": "SELECT t.d, t.n, u.note FROM t JOIN u ON t.d <=> u.d",
    "by_day": "SELECT d, count(*) AS c, max(n) AS most FROM t GROUP BY d",
}


def test_days_before_the_year_1_and_after_9999(
    wh: ev.Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way, "MOST_REWRITTEN", 0)
    wh.create_table("t", "d DATE, n INT")
    wh.create_table("u", "d DATE, note STRING")
    wh.sql("INSERT INTO t VALUES (DATE'-0005-01-01', 1), (DATE'2024-01-01', 2), (NULL, 3)")
    wh.sql("INSERT INTO u VALUES (DATE'-0005-01-01', 'old'), (DATE'+12000-01-01', 'far')")
    for name, sql in VIEWS.items():
        wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
    for statement in (
        "INSERT INTO t VALUES (DATE'+12000-01-01', 4), (DATE'-0005-01-01', 5)",
        "DELETE FROM t WHERE n = 1",
        "INSERT INTO u VALUES (NULL, 'none'), (DATE'2024-01-01', 'new')",
        "DELETE FROM u WHERE note = 'far'",
    ):
        wh.sql(statement)
        wh.refresh()
        for name in VIEWS:
            assert wh.view(name).verify().outcome == "exact"
    assert wh.sql("SELECT count(*) FROM joined WHERE note = 'far'").collect()[0][0] == 0
    assert wh.sql("SELECT count(*) FROM joined").collect()[0][0] == 3
