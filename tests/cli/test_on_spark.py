"""The command line on a real warehouse, in this process and as the installed program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.cli.main import run_command_line

Captured = pytest.CaptureFixture[str]
PROGRAM = Path(sys.executable).with_name("everview")


def said(capsys: Captured) -> Any:
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_a_day_with_the_command_line(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("EVERVIEW_WAREHOUSE", str(tmp_path / "shop"))
    with ev.open(tmp_path / "shop", spark=spark) as wh:
        sales = wh.create_table("sales", spark.range(100).selectExpr("id", "id % 3 AS store"))
        wh.create_materialized_view(
            "per_store", "SELECT store, count(*) AS n FROM sales GROUP BY store"
        )
        wh.create_materialized_view("large", "SELECT store FROM per_store WHERE n > 33")
        sales.delete("id = 0")

        assert run_command_line(["status", "--json"]) == 0
        behind = {s["view"]: s["behind"] for s in said(capsys)}
        assert behind["per_store"] == {"sales": 1}
        assert run_command_line(["explain", "per_store"]) == 0
        assert "per_store" in capsys.readouterr().out
        assert run_command_line(["refresh", "--select", "per_*+", "--json"]) == 0
        assert [r["view"] for r in said(capsys)] == ["per_store", "large"]
        assert run_command_line(["refresh"]) == 0
        assert capsys.readouterr().out.count("skipped") == 2
        assert run_command_line(["verify", "--all", "--json"]) == 0
        assert all(v["ok"] for v in said(capsys))
        assert run_command_line(["history", "per_store", "--json"]) == 0
        assert len(said(capsys)) == 2
        assert run_command_line(["history", "sales"]) == 0
        assert "DELETE" in capsys.readouterr().out.upper()
        assert (
            run_command_line(["sql", "SELECT store, n FROM per_store ORDER BY store", "--json"])
            == 0
        )
        assert said(capsys) == [{"store": s, "n": 33} for s in range(3)]


def test_errors_of_a_real_warehouse(spark: SparkSession, tmp_path: Path, capsys: Captured) -> None:
    assert run_command_line(["status", "-w", str(tmp_path / "none"), "--json"]) == 1
    assert said(capsys)["error"]["code"] == "EV-1001"
    assert not (tmp_path / "none").exists()
    assert (
        run_command_line(["sql", "-w", str(tmp_path / "new"), "SELECT * FROM nothing", "--json"])
        == 1
    )
    assert said(capsys)["error"]["code"] == "EV-1002"
    assert run_command_line(["explain", "-w", str(tmp_path / "new"), "nothing"]) == 1
    assert "EV-1002" in capsys.readouterr().err


def test_a_script_creates_changes_and_asks(
    spark: SparkSession, tmp_path: Path, capsys: Captured
) -> None:
    script = tmp_path / "shop.sql"
    script.write_text(
        "CREATE TABLE t (id BIGINT, price DECIMAL(10,2));\n"
        "INSERT INTO t VALUES (1, 2.50), (2, NULL); -- two rows\n"
        "CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, sum(price) AS total FROM t;\n"
        "SELECT * FROM v;\n"
    )
    assert run_command_line(["sql", "-w", str(tmp_path / "w"), "-f", str(script), "--json"]) == 0
    assert said(capsys) == [{"n": 2, "total": "2.50"}]


@pytest.mark.slow
@pytest.mark.spark
def test_the_installed_program_runs_the_demo_in_a_bare_environment(tmp_path: Path) -> None:
    bare = {"HOME": str(tmp_path), "PATH": os.defpath, "LANG": "C.UTF-8"}
    bare["EVERVIEW_CLASS_ARCHIVE"] = "off"  # it would be made for this one run
    command = [str(PROGRAM), "demo", "--sales", "50000"]
    done = subprocess.run(
        command, cwd=tmp_path, env=bare, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    # A step that takes long on a busy machine is named; Spark says nothing.
    assert all(line.endswith(" ...") for line in done.stderr.splitlines())
    assert "\x1b" not in done.stdout
    assert done.stdout.count("exact") == done.stdout.count("no source has a new version") == 3
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not list(tmp_path.glob("everview-spark-*"))
    assert (tmp_path / "everview-demo" / "_everview" / "demo").is_file()
