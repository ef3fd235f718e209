"""What the log alone answers: status, history and a refresh that finds nothing to do."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.views.world import World

SQL = "SELECT id % 3 AS k, count(*) AS n FROM t GROUP BY 1"
# What takes longer to load than the answer.
PROGRAM = """
import sys
from everview.cli.main import run_command_line
code = run_command_line(sys.argv[1:])
loaded = [m for m in ("pyspark", "sqlglot", "pandas") if m in sys.modules]
sys.exit(f"loaded {loaded}" if loaded else code)
"""


def run(*arguments: str, code: int = 0) -> Any:
    """The JSON that a command prints; neither Spark nor the reader of SQL was loaded for it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments, "--json"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (code, "")
    return json.loads(done.stdout)


def test_the_log_alone_answers(spark: SparkSession, tmp_path: Path) -> None:
    shop = str(tmp_path / "shop")
    with ev.open(shop, spark=spark) as wh:
        table = wh.create_table("t", spark.range(9))
        wh.create_materialized_view("low", SQL)
        wh.create_materialized_view("high", "SELECT max(n) AS n FROM low")
        wh.create_materialized_view("whole", "SELECT percentile(id, 0.5) AS m FROM t")
        kept = [s.kept for s in wh.status()]
        there = [r.to_dict() for r in wh.refresh()]

        receipts = run("refresh", "-w", shop)
        assert receipts == json.loads(json.dumps(there))
        assert {r["strategy"] for r in receipts} == {"skipped: nothing changed"}
        assert [s["kept"] for s in run("status", "-w", shop)] == kept
        assert len(run("history", "low", "-w", shop)) == 1
        assert len(run("history", "t", "-w", shop)) == 2
        assert [s["too_old"] for s in run("status", "-w", shop, "--max-age", "0s")] == [False] * 3

        # A view above one that is behind is as old as what it shows.
        table.delete("id = 0")
        statuses = run("status", "-w", shop, "--max-age", "0s", code=5)
        assert {s["view"]: s["too_old"] for s in statuses} == {
            "high": True,
            "low": True,
            "whole": True,
        }
        committed = table.history()[0]["timestamp"]
        assert {s["behind_since"] for s in statuses} == {committed}
        assert run("status", "-w", shop, "--max-age", "1d")


def test_rows_of_another_layout_stay_until_something_changes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ev.open(tmp_path, spark=spark) as wh:
        table = wh.create_table("t", spark.range(9))
        view = wh.create_materialized_view(
            "v", "SELECT id % 3 AS k, count(*) AS n FROM t GROUP BY 1"
        )
        real = World.defined

        def other(world: World, *given: Any) -> Any:
            defined = real(world, *given)
            layout = replace(defined.shape.layout, kind="grouped")
            return replace(defined, shape=replace(defined.shape, layout=layout))

        table.append(spark.range(9, 10))
        view.refresh()
        monkeypatch.setattr(World, "defined", other)
        assert view.explain().strategy.startswith("skipped")
        assert view.refresh().strategy.startswith("skipped")
        table.append(spark.range(10, 11))
        assert "layout" in view.explain().reason
