"""What doctor thinks of machines that are not this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everview.cli import doctor
from everview.cli.checks import (
    DoctorCheck,
    checks,
    is_version_within,
    memory_bytes,
    spark_check,
    warehouse_check,
)
from everview.cli.doctor import show_checks
from everview.cli.machine import Disk, JavaFound, Machine, Package, disk, machine, memory, packages
from everview.cli.main import run_command_line
from everview.cli.probe import Probe, probe
from everview.settings import Settings
from tests.cli.fakes import screen

GIGA = 1 << 30
GOOD = Machine(
    everview="0.1.0",
    python="3.12.1",
    system="Linux x86_64",
    packages=(Package("pyspark", "4.1.4", "<4.4,>=4.0"),),
    java=JavaFound(21, "bundled", "cache/java", ("JAVA_HOME: not set",)),
    settings=Settings(),
    cores=2,
    memory_total=16 * GIGA,
    memory_free=8 * GIGA,
    temp=Disk("t", 100 * GIGA),
)


def check(name: str, **different: Any) -> DoctorCheck:
    (found,) = [c for c in checks(replace(GOOD, **different)) if c.name == name]
    return found


def test_a_good_machine_is_ok() -> None:
    assert {c.state for c in checks(GOOD)} == {"ok"}
    assert not any(c.remedy for c in checks(GOOD))


@pytest.mark.parametrize(
    ("name", "different", "state", "what"),
    [
        ("pyspark", {"packages": (Package("pyspark", "3.5.1", ">=4.0"),)}, "fail", "3.5.1"),
        ("pyspark", {"packages": (Package("pyspark", None, ">=4.0"),)}, "fail", "not installed"),
        ("java", {"java": JavaFound(None, passed_over=("PATH: odd",))}, "fail", "PATH: odd"),
        ("java", {"java": JavaFound(21, "bundled", "h", ("PATH: odd",))}, "warn", "PATH: odd"),
        ("java", {"java": JavaFound(17, "PATH", "h", ())}, "ok", "17, on PATH: h"),
        ("memory", {"memory_total": 2 * GIGA}, "fail", "2.0 GiB"),
        ("memory", {"memory_free": GIGA}, "warn", "1.0 GiB available; Spark asks for 2g"),
        ("memory", {"memory_total": None}, "ok", "not known"),
        ("memory", {"settings": Settings(memory="20g")}, "fail", "20g"),
        ("cores", {"settings": Settings(cores=1)}, "ok", "2, 1 asked"),
        ("temporary files", {"temp": Disk("t", GIGA)}, "warn", "free at t"),
        ("temporary files", {"temp": Disk("t", 1000)}, "fail", "1.0 kB"),
        ("warehouse disk", {"warehouse": Disk("w", GIGA, "not writable")}, "fail", "not writable"),
        ("local ports", {"loopback": "not permitted"}, "fail", "not permitted"),
        ("SPARK_HOME", {"variables": {"SPARK_HOME": "x"}}, "warn", "is set: x"),
    ],
)
def test_what_is_wrong_is_found(
    name: str, different: dict[str, Any], state: str, what: str
) -> None:
    found = check(name, **different)
    assert found.state == state
    assert what in found.what
    assert bool(found.remedy) == (state != "ok")


@pytest.mark.parametrize(
    ("version", "wanted", "holds"),
    [
        ("4.1.4", "<4.4,>=4.0", True),
        ("4.4.0", "<4.4,>=4.0", False),
        ("4.0", ">=4.0.0", True),
        ("30.25.1", "<31,>=30.25", True),
        ("4.4.0.dev1", "<4.4", False),
        ("1.0", "", True),
        ("2", "==2.0", True),
    ],
)
def test_versions_are_compared_as_numbers(version: str, wanted: str, holds: bool) -> None:
    assert is_version_within(version, wanted) == holds


def test_memory_sizes() -> None:
    assert memory_bytes("512m") == 512 << 20
    assert memory_bytes("2G") == 2 * GIGA


def test_spark_and_the_warehouse() -> None:
    good = Probe(True, "4.1.4", 5.2, tables=3, views=2, behind=1)
    assert spark_check(good).what == "4.1.4 started in 5.2 s"
    assert warehouse_check("w", good).what == "w: 3 tables, 2 views, 1 behind: everview refresh"
    bad = Probe(False, what="No port.", remedy="Open one.", log="x.log")
    assert spark_check(bad) == DoctorCheck("spark", "fail", "No port.\nlog: x.log", "Open one.")
    lost = replace(good, error={"what": "Not there.", "remedy": "Make it."})
    assert warehouse_check("w", lost) == DoctorCheck(
        "warehouse", "fail", "w: Not there.", "Make it."
    )


def test_this_machine_can_be_asked(tmp_path: Path) -> None:
    found = machine({"PATH": "", "SPARK_HOME": "x"}, str(tmp_path / "new"))
    assert found.java.origin == "bundled"
    assert found.variables == {"SPARK_HOME": "x"}
    assert found.warehouse is not None
    assert found.cores >= 1
    assert all(p.version and p.wanted for p in packages())
    total, free = memory()
    assert total is None or total > GIGA // 8
    assert free is None or free > 0


def test_a_folder_that_is_not_there_has_the_disk_above_it(tmp_path: Path) -> None:
    assert disk(str(tmp_path / "a" / "b")).free > 0


@pytest.fixture
def no_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    monkeypatch.setattr(doctor, "machine", lambda environ, path: GOOD)
    monkeypatch.delenv("EVERVIEW_WAREHOUSE", raising=False)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def test_exit_codes_and_json(
    no_machine: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["doctor", "--no-spark"]) == 0
    assert "Nothing is wrong." in capsys.readouterr().out
    no_machine.setattr(doctor, "probe", lambda path, seconds: Probe(False, what="No."))
    assert run_command_line(["doctor", "--json"]) == 4
    found = json.loads(capsys.readouterr().out)
    assert found[-1] == {"name": "spark", "state": "fail", "what": "No.", "remedy": ""}
    assert run_command_line(["doctor", "--no-spark", "-w", "nothing"]) == 4
    assert "nothing is not a warehouse" in capsys.readouterr().out


def test_a_reader_that_goes_away_is_no_error() -> None:
    ends = os.pipe()
    os.close(ends[0])
    command = [sys.executable, "-m", "everview", "doctor", "--no-spark", "--json"]
    done = subprocess.run(command, stdout=ends[1], stderr=subprocess.PIPE, text=True)
    os.close(ends[1])
    assert (done.returncode, done.stderr) == (0, "")


def test_the_table_fits_and_ends_with_what_to_do() -> None:
    found = [
        *checks(replace(GOOD, memory_free=GIGA)),
        DoctorCheck("java", "fail", "x" * 200, "Mend it."),
    ]
    made = screen("doctor", width=80)
    show_checks(found, made.screen)
    text = made.out.getvalue()
    assert text.endswith("java: Mend it.\n")
    assert text.count("x" * 10) >= 15


def test_a_spark_that_cannot_start_in_time_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/sleep")
    monkeypatch.setattr("everview.cli.probe._command", lambda warehouse: ["/bin/sleep", "60"])
    found = probe(None, 0.2)
    assert not found.ok
    assert "within 0.2 seconds" in found.what
    Path(found.log).unlink()


def test_what_the_other_process_says_last_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    said = 'echo noise; echo \'everview probe: {"ok": true, "version": "4.1.4"}\'; echo more'
    monkeypatch.setattr("everview.cli.probe._command", lambda warehouse: ["/bin/sh", "-c", said])
    assert probe(None, 10) == Probe(True, "4.1.4")
    monkeypatch.setattr(
        "everview.cli.probe._command", lambda w: ["/bin/sh", "-c", "echo BindException; exit 1"]
    )
    found = probe(None, 10)
    assert "could not open a port" in found.what
    assert "BindException" in Path(found.log).read_text()
    Path(found.log).unlink()
