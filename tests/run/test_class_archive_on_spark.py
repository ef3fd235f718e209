"""Java makes an archive of Spark's classes and uses it, whatever became of the file meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everview.spark.java import find_java

PROGRAM = """
import contextlib, subprocess, sys
from pathlib import Path
import everview as ev
from everview.spark.local import starting_within

with starting_within(contextlib.nullcontext), ev.open(sys.argv[1]) as wh:
    print(wh.spark.range(10).count())
    java = str(wh.spark.sparkContext._gateway.proc.pid)
    if sys.platform == "darwin":
        mapped = subprocess.run(["vmmap", java], check=True, capture_output=True, text=True).stdout
    else:
        mapped = Path("/proc", java, "maps").read_text()
    print("everview/spark-" in mapped)
"""


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize("kind", ["of the machine", "bundled"])
def test_it_is_made_then_used_and_a_broken_one_is_no_harm(tmp_path: Path, kind: str) -> None:
    environ = os.environ | {"HOME": str(tmp_path), "EVERVIEW_CLASS_ARCHIVE": "on"}
    environ.pop("XDG_CACHE_HOME", None)
    if kind == "bundled":
        environ["JAVA_HOME"] = find_java({"HOME": str(tmp_path / "java")}).home
    else:
        environ.pop("JAVA_HOME", None)
    folder = tmp_path / ".cache" / "everview"
    assert _started(tmp_path, environ) == ["10", "False"]
    assert list(folder.glob("spark-*.part")), "Java had ended when the program ended"
    assert _started(tmp_path, environ) == ["10", "True"]
    (archive,) = folder.glob("spark-*.jsa")
    archive.chmod(0o600)
    with archive.open("r+b") as file:  # of the same size, other bytes
        file.seek(archive.stat().st_size // 2)
        file.write(os.urandom(1_000_000))
    assert _started(tmp_path, environ)[0] == "10"
    os.truncate(archive, 100_000)
    assert _started(tmp_path, environ) == ["10", "False"]


def _started(folder: Path, environ: dict[str, str]) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder / "warehouse")]
    done = subprocess.run(
        command, env=environ, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
