"""A warehouse that keeps itself fresh: by the command, and in the background."""

from __future__ import annotations

import json
import time

import pytest

import everview as ev
from everview.cli.main import run_command_line
from everview.scheduler.watch import Watch
from tests.api.shop import BY_CITY, add_sales

Captured = pytest.CaptureFixture[str]


def test_run_refreshes_what_is_due(wh: ev.Warehouse, sales: ev.Table, capsys: Captured) -> None:
    """One warehouse for all: the command, what it leaves, and the same in the background."""
    wh.create_materialized_view("by_city", BY_CITY)
    wh.create_materialized_view(
        "cities", "SELECT count(*) AS n FROM by_city", when="EVERY 1 SECOND"
    )
    wh.create_materialized_view("bad", "SELECT sum(1 / amount) AS x FROM sales", when="IMMEDIATE")
    watch = Watch(wh._world)
    assert [(v.name, v.below, v.lacks) for v in watch.look()] == [
        ("bad", (), False),
        ("cities", ("by_city",), False),
    ]
    wh.view("bad").suspend()
    add_sales(sales, (6, "Oslo", 0))
    (seen,) = watch.look()
    assert seen.behind_since == wh.view("cities").status().behind_since is not None

    wh.view("bad").resume()
    time.sleep(1.1)
    assert run_command_line(["run", "-w", wh.path, "--once", "--json"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(t["view"] for t in told) == ["bad", "by_city", "cities"]
    assert [t["view"] for t in told if "error" in t] == ["bad"]
    assert wh.view("cities").to_pandas().n[0] == 4
    failing = wh.view("bad").status().failing
    assert failing is not None
    assert (failing["tries"], failing["error"]["code"]) == (1, "EV-5003")
    watch.forget(["cities"])
    assert {v.name: v.lacks for v in watch.look()} == {"bad": True, "cities": False}

    sales.delete("id = 6")
    assert wh.view("bad").status().failing is None  # the write has refreshed it
    wh.view("bad").drop()
    with wh.run_scheduler() as scheduler:
        assert wh.run_scheduler() is scheduler
        add_sales(sales, (7, "Nice", 5))
        until = time.monotonic() + 60
        while wh.view("cities").status().behind_since and time.monotonic() < until:
            time.sleep(0.1)
    stopped = scheduler.status()
    assert (stopped.state, stopped.failures) == ("stopped", 0)
    assert stopped.refreshes >= 2  # with the view below
    assert wh.view("cities").to_pandas().n[0] == 4
    assert wh.view("cities").verify().ok
